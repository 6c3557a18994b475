import {
  bytesOfTexts,
  type Caller,
  type caseShapes,
  changed,
  EVERYONE,
  Fault,
  fromIso,
  type Handlers,
  hashedBy,
  type Input,
  invalidInput,
  MAIN_BRANCH,
  pause,
  prepares,
  type Query,
  requireTrace,
  type Services,
  seqAt,
  storeMore,
  writes,
} from '@mem-service/server/module';
import { judge, judgeInTurns, newMatchers } from '../evaluation/index.ts';
import { loadJudged } from '../evaluation/load-traces.ts';
import { authorOf } from '../judges/index.ts';
import { newestWithAttribute } from '../trace-navigation/index.ts';
import { type CaseToRun, listToRun } from './queries.ts';
import { expectedIn, toWholeRun } from './render.ts';
import { countsOf } from './rules/compare.ts';
import * as queries from './run-queries.ts';

const RUNS_OF_SET = 100;
/** Sets come and go with their cases; what is kept of them does not grow. */
const RUNS_OF_ACCOUNT = 1000;
/** What names the case in a trace. */
const CASE_ATTRIBUTE = 'case_id';

type FoundResult = Omit<queries.CaseResultRow, 'account_id' | 'run_seq' | 'before_result'>;
type CaseRunInput = Input<'case_runs.create'>;
/** A trace that stands for a case. */
type CaseTrace = { seq: number; trace_id: string; agent_id: string; branch: string; visible_to: string };

const WITHOUT_TRACE = { trace_id: null, trace_agent: null, visible_to: '' };

async function judgeSet(services: Services, input: CaseRunInput, caller: Caller): Promise<FoundResult[]> {
  const { account_id } = caller;
  const { read } = services.database.forAccount(account_id);
  const cases = await listToRun(read, account_id, input.set_id);
  const { set_id, branch } = input;
  if (cases.length === 0)
    throw new Fault('not_found', `there is no case in set ${set_id}: cases.create keeps one`, { set_id });
  requireKnown(input, cases);
  const posted = new Map(input.results.map((one) => [one.case_id, one]));
  const traces = await tracesOf(services, caller, { input, cases });
  const found = await judgeEach(services, account_id, { cases, traces });
  return cases.map(({ case_id, version: case_version }) => {
    const judged = found.get(case_id);
    if (judged) return judged;
    const { result = 'missing', reason } = posted.get(case_id) ?? {};
    const on = branch === MAIN_BRANCH ? '' : ` on ${branch}`;
    const why = reason ?? (result === 'missing' ? `no trace${on} has the attribute ${CASE_ATTRIBUTE}=${case_id}` : '');
    return { case_id, case_version, result, score: null, reason: why, branch, ...WITHOUT_TRACE };
  });
}

function requireKnown({ results, set_id }: CaseRunInput, cases: readonly CaseToRun[]): void {
  const known = new Set(cases.map(({ case_id }) => case_id));
  const other = results.find(({ case_id }) => !known.has(case_id));
  if (other) {
    const { case_id } = other;
    throw new Fault('not_found', `there is no case ${case_id} in set ${set_id}`, { case_id, set_id });
  }
  const seen = new Set<string>();
  const problems = results.flatMap(({ case_id, trace_id, result }, i) => {
    const path = `results.${i}`;
    if (seen.has(case_id)) return [{ path, message: `case ${case_id} has another result in this list` }];
    seen.add(case_id);
    const isOne = (trace_id === undefined) !== (result === undefined);
    return isOne ? [] : [{ path, message: 'give either a trace_id or a result' }];
  });
  if (problems.length > 0) throw invalidInput(problems);
}

type CasesOfRun = { input: CaseRunInput; cases: readonly CaseToRun[] };

/** The trace of each case: the one that was posted, or the newest that names it. */
async function tracesOf(
  services: Services,
  caller: Caller,
  { input, cases }: CasesOfRun,
): Promise<ReadonlyMap<string, CaseTrace>> {
  const { account_id } = caller;
  const { read, scan } = services.database.forAccount(account_id);
  const { dialect } = services.database;
  const traces = new Map<string, CaseTrace>();
  const { branch } = input;
  for (const [i, { case_id, trace_id }] of input.results.entries())
    if (trace_id !== undefined) {
      const trace = await requireTrace({ read, caller, services }, trace_id);
      if (trace.branch !== branch)
        throw invalidInput([
          { path: `results.${i}.trace_id`, message: `is a trace on ${trace.branch}, not on ${branch}` },
        ]);
      traces.set(case_id, trace);
    }
  const posted = new Set(input.results.map(({ case_id }) => case_id));
  const open = cases.map(({ case_id }) => case_id).filter((id) => !posted.has(id));
  if (open.length === 0) return traces;
  const from = input.since ? await seqAt(read, account_id, fromIso(input.since)) : 0;
  const reader = { read, scan, dialect, caller, services };
  for (const [case_id, trace] of await newestWithAttribute(reader, { key: CASE_ATTRIBUTE, values: open, from, branch }))
    traces.set(case_id, trace);
  return traces;
}

type CasesWithTraces = { cases: readonly CaseToRun[]; traces: ReadonlyMap<string, CaseTrace> };

/** Each case with a trace, judged by what it expects. */
async function judgeEach(
  { database }: Services,
  account_id: string,
  { cases, traces }: CasesWithTraces,
): Promise<ReadonlyMap<string, FoundResult>> {
  const found = new Map<string, FoundResult>();
  const bySeq = new Map<number, CaseToRun[]>();
  for (const one of cases) {
    const seq = traces.get(one.case_id)?.seq;
    if (seq !== undefined) bySeq.set(seq, [...(bySeq.get(seq) ?? []), one]);
  }
  const source = { query: database.forAccount(account_id).scan, dialect: database.dialect, account_id };
  for await (const trace of loadJudged(source, [...bySeq.keys()])) {
    for (const { case_id, version, expected } of bySeq.get(trace.seq) ?? []) {
      const finding = await judgeInTurns(account_id, judge(expectedIn({ expected }), trace, newMatchers()));
      const { trace_id, agent_id: trace_agent, branch, visible_to } = traces.get(case_id) as CaseTrace;
      const { result, score, reason } = finding;
      found.set(case_id, {
        ...{ case_id, case_version: version, result, score, reason },
        ...{ trace_id, trace_agent, branch, visible_to },
      });
    }
    await pause();
  }
  return found;
}

const save = writes<'case_runs.create'>(async (work, { input, caller, prepared }) => {
  const { account_id, tx, now } = work;
  const found = prepared as FoundResult[];
  const { set_id, branch, label } = input;
  const previous = await runBefore(tx, account_id, { set_id, branch });
  const old = previous ? await queries.listResults(tx, account_id, previous.seq) : [];
  const before = new Map(old.map((one) => [one.case_id, one.result]));
  const counts = countsOf(
    found.map(({ case_id, result }) => ({
      result: result as caseShapes.CaseResultName,
      before: (before.get(case_id) ?? null) as caseShapes.CaseResultName | null,
    })),
  );
  const { agent_id, session } = authorOf(input, caller);
  const case_run_id = work.services.ids.next(now);
  const seq = work.emit({
    event_type: 'cases_run',
    ...{ agent_id, session, branch, entity_path: null, key: null, version: null, visible_to: EVERYONE },
    details: { case_run_id, set_id, cases: counts.cases, passed: counts.passed, broken: counts.broken },
  });
  const run: queries.CaseRunRow = {
    ...{ account_id, seq, case_run_id, set_id, branch, label, counts: JSON.stringify(counts) },
    ...{ previous_case_run_id: previous?.case_run_id ?? null, agent_id, created_at: now },
  };
  const rows = found.map((one) => ({
    ...{ account_id, run_seq: seq, ...one },
    before_result: before.get(one.case_id) ?? null,
  }));
  const kept = { set_id, ofSet: RUNS_OF_SET - 1, ofAccount: RUNS_OF_ACCOUNT - 1 };
  const freed = await queries.deleteOldRuns(tx, account_id, kept);
  storeMore(work, bytesOfTexts(rows.map(({ reason }) => reason)) - freed);
  work.send(tx.insertMany(queries.insertRuns, [run]));
  work.send(tx.insertMany(queries.insertResults, rows));
  const answer = await toWholeRun({ caller, services: work.services }, run, rows);
  return changed(answer, { resource: case_run_id, ...hashedBy(answer) });
});

/** The first run of a branch is compared with what `main` does. */
async function runBefore(tx: Query, accountId: string, { set_id, branch }: { set_id: string; branch: string }) {
  const own = await queries.getNewestRun(tx, accountId, { set_id, branch });
  if (own || branch === MAIN_BRANCH) return own;
  return queries.getNewestRun(tx, accountId, { set_id, branch: MAIN_BRANCH });
}

export const runHandlers: Handlers = { 'case_runs.create': prepares<'case_runs.create'>(judgeSet, save) };
