import {
  findEntriesByNumber,
  listChangedHeads,
  listTracesById,
  newestChangeOn,
  type Output,
  type Query,
  type ReadContext,
} from '@mem-service/server/module';
import { type CaseRunRow, getNewestRun, listResults, readSet, toRun } from '../cases/index.ts';
import { type FixRow, listEntriesOf } from './queries.ts';
import { staleTraces } from './rules/stale-traces.ts';

export type FixReplay = Output<'fixes.read'>['replay'];
type ReplayReader = Pick<ReadContext, 'services'> & { read: Query };

/** Beyond so many changes of a branch since its cases were tried, they have to be tried again. */
const MAX_CHANGES = 1000;

/** Whether the regression cases of a fix have passed on its branch, as both are now. */
export async function replayOf(reader: ReplayReader, fix: FixRow): Promise<FixReplay> {
  const { read } = reader;
  const { account_id, set_id, branch } = fix;
  const [set, run, changed_seq] = await Promise.all([
    readSet(read, account_id, set_id),
    getNewestRun(read, account_id, { set_id, branch }),
    newestChangeOn(read, account_id, branch),
  ]);
  const { cases } = set;
  const known = { cases, case_run_id: run?.case_run_id ?? null };
  const fails = (reason: string): FixReplay => ({ ...known, passed: false, reason });
  if (cases === 0) return fails(`set ${set_id} has no cases: keep one with cases.create`);
  if (!run) return fails(`the cases of set ${set_id} have not been run on ${branch}`);
  if (run.seq < Math.max(changed_seq, set.updated_seq))
    return fails(`the branch or a case was changed after run ${run.case_run_id}`);
  const { passed, cases: ran } = toRun(run);
  if (passed < ran) return fails(`${passed} of ${ran} cases passed in run ${run.case_run_id}`);
  const stale = await staleCases(reader, fix, run);
  if (stale.length > 0)
    return fails(`the branch was changed after ${namedCases(stale)} was tried, for run ${run.case_run_id}`);
  return {
    ...known,
    passed: true,
    reason: `${ran === 1 ? 'the case' : `all ${ran} cases`} passed in run ${run.case_run_id}`,
  };
}

const namedCases = ([first, ...others]: readonly string[]): string =>
  others.length === 0 ? `case ${first}` : `case ${first} (and ${others.length} more)`;

/** The cases of a run that rest on traces from before a change of the branch. */
async function staleCases({ read, services }: ReplayReader, fix: FixRow, run: CaseRunRow): Promise<string[]> {
  const { account_id, fix_id, branch } = fix;
  const results = await listResults(read, account_id, run.seq);
  const tried = results.flatMap(({ case_id, trace_id }) => (trace_id === null ? [] : [{ case_id, trace_id }]));
  if (tried.length === 0) return [];
  const trace_ids = tried.map(({ trace_id }) => trace_id);
  const traces = await listTracesById(read, services.database.dialect, { account_id, trace_ids });
  const after = Math.min(...traces.map(({ seq }) => seq));
  const changes = await listChangedHeads(read, { account_id, branch, after, limit: MAX_CHANGES });
  const corrected = await findEntriesByNumber(read, account_id, await listEntriesOf(read, account_id, fix_id));
  const isKnown = new Set(traces.map(({ trace_id }) => trace_id));
  const isStale =
    changes.length < MAX_CHANGES
      ? staleTraces(
          traces,
          changes,
          corrected.flatMap((head) => head ?? []),
        )
      : isKnown;
  return tried.flatMap(({ case_id, trace_id }) => (isStale.has(trace_id) || !isKnown.has(trace_id) ? [case_id] : []));
}
