import { Fault, type Input, stringify } from '@mem-service/contract';
import {
  type Caller,
  changed,
  hashedBy,
  pageBytes,
  prepares,
  requireNewest,
  type Services,
  sessionName,
  startWithin,
  unchanged,
  type Work,
  writes,
} from '../../kernel/index.ts';
import { applyStep, deleteOldest, startedRun } from './advance.ts';
import type { DoneDemotion } from './demote.ts';
import { newAmong } from './propose.ts';
import * as queries from './queries.ts';
import { DEMOTION_FACTOR } from './rules/plan.ts';
import { type Coverage, coverageHash, coverageOf, newRun, reportOf } from './runs.ts';
import { type CandidateAnswer, showCandidates } from './show.ts';
import { boundsNow, type PlannedStep, planStep, type RunBounds } from './step.ts';
import { lookInTurn } from './turns.ts';

type RunInput = Input<'consolidation.run'>;
type PreparedRun = { coverage: Coverage; until: RunBounds; step: PlannedStep; candidates: CandidateAnswer[] };

/** The first step is planned before the transaction begins. */
async function prepareRun(services: Services, input: RunInput, caller: Caller): Promise<PreparedRun> {
  const coverage = coverageOf(caller, input);
  const { account_id } = coverage;
  // Nobody waits in vain for the turn of a run that will be refused.
  if (!input.preview) refuseSecond(await listRunsOf(services, account_id), coverage);
  return lookInTurn(services, account_id, () => planRun(services, input, coverage));
}

const listRunsOf = ({ database }: Services, accountId: string): Promise<queries.RunRow[]> =>
  queries.listRuns(database.forAccount(accountId).read, accountId);

async function planRun(services: Services, input: RunInput, coverage: Coverage): Promise<PreparedRun> {
  const { account_id } = coverage;
  const { scan } = services.database.forAccount(account_id);
  const runs = await listRunsOf(services, account_id);
  if (!input.preview) refuseSecond(runs, coverage);
  const known = runs.find((one) => one.coverage === coverageHash(coverage));
  const until = known?.status === 'running' ? known : await boundsNow(services, account_id);
  const from = {
    done_seq: Math.min(known?.done_seq ?? 0, until.until_seq),
    stale_seq: Math.min(known?.stale_seq ?? 0, until.stale_until_seq),
  };
  const step = await planStep(services, { coverage, from, until });
  const within = { account_id, dialect: services.database.dialect, agent_id: coverage.agent_id };
  const shown = input.preview
    ? await showCandidates(scan, account_id, await newAmong(scan, within, step.plan.proposals))
    : [];
  const candidates = startWithin(shown, pageBytes(services), (one) => Buffer.byteLength(stringify(one)));
  return { coverage, until, step, candidates };
}

function refuseSecond(runs: readonly queries.RunRow[], coverage: Coverage): void {
  const own = coverageHash(coverage);
  if (runs.some((one) => one.status === 'running' && one.coverage !== own))
    throw new Fault('conflict', 'another consolidation of this account goes on; try again when it has ended');
}

const run = writes<'consolidation.run'>(async (work, { input, caller, lineage, prepared }) => {
  requireNewest({ lineage }, 'consolidation');
  const { coverage, until, step, candidates } = prepared as PreparedRun;
  const runs = await queries.listRuns(work.tx, work.account_id);
  const known = runs.find((one) => one.coverage === coverageHash(coverage)) ?? newRun(coverage);
  if (input.preview) return unchanged(previewOf(work, known, { step, until, candidates }));
  refuseSecond(runs, coverage);
  const isNew = known.status !== 'running';
  if (isNew && known.runs === 0) await deleteOldest(work, runs);
  const started = isNew ? startedRun(work, known, until) : known;
  const advanced = await applyStep(work, started, step);
  emitStarted(work, started, caller);
  if (advanced.run === started) work.send(work.tx.insertMany(queries.upsertRun, [started]));
  const report = reportOf(advanced.run, work.services);
  const answer = { ...report, demotions: advanced.demotions.map(toDemotion), candidates: [] };
  return changed(answer, { resource: coverage.entity_path, ...hashedBy(report), holds: namesIn(advanced.demotions) });
});

/** Wakes the consumer that goes on with the run. */
function emitStarted(work: Work, { run_id, agent_id }: queries.RunRow, caller: Caller): void {
  work.emit({
    event_type: 'consolidation_started',
    agent_id,
    branch: 'main',
    entity_path: null,
    key: null,
    version: null,
    visible_to: agent_id,
    details: { run_id },
    session: sessionName(caller.session_id, caller),
  });
}

const toDemotion = ({ entry, reason, why, confidence_before, confidence_after }: DoneDemotion) => ({
  ...{ entity_path: entry.entity_path, key: entry.key, version: entry.version, reason, why },
  ...{ confidence_before, confidence_after },
});

/** A reason names the entry that is kept, which is at the same path. */
const namesIn = (demotions: readonly DoneDemotion[]) => demotions.map(({ kept }) => kept ?? {});

type Preview = { step: PlannedStep; until: RunBounds; candidates: CandidateAnswer[] };

function previewOf({ services }: Work, known: queries.RunRow, { step, until, candidates }: Preview) {
  const { looked, plan } = step;
  const demotions = plan.demotions.map((one) => {
    const { confidence } = one.entry;
    return toDemotion({ ...one, confidence_before: confidence, confidence_after: confidence * DEMOTION_FACTOR });
  });
  const seen = { run_looked_at: looked.entries.length, run_demoted: demotions.length, run_proposed: candidates.length };
  const place = { until_seq: until.until_seq, done_seq: step.to.done_seq };
  const none = { run_id: '', status: 'running', is_full: 0, finished_at: null };
  const report = reportOf({ ...known, ...none, ...place, ...seen }, services);
  return { ...report, status: 'preview' as const, demotions, candidates };
}

export const runHandler = prepares<'consolidation.run'>(prepareRun, run);
