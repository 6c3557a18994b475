import {
  behaviorShapes,
  type Caller,
  changed,
  findTraces,
  type Handlers,
  hashedBy,
  invalidInput,
  listNewestTraces,
  listTracesBetween,
  MAIN_BRANCH,
  type Output,
  pause,
  prepares,
  requireTrace,
  type Services,
  type TraceFacts,
  writes,
} from '@mem-service/server/module';
import { judgeInTurns, newMatchers } from '../evaluation/index.ts';
import { loadJudged, loadOneJudged, type TraceSource } from '../evaluation/load-traces.ts';
import { authorOf } from '../judges/index.ts';
import { hasFailed } from '../segments/index.ts';
import { addBehavior, requireFree } from './changes.ts';
import { toBehavior } from './render.ts';
import { candidatesOf, type FeatureCandidate } from './rules/candidates.ts';
import { type ObservedRun, observe, withMissing } from './rules/observe.ts';
import { type StandOut, standOut } from './rules/stand-out.ts';

type FoundBehavior = Output<'behaviors.create_from_trace'>;
type PreparedBehavior = {
  example: TraceFacts;
  candidates: FeatureCandidate[];
  found: StandOut;
  traces: TraceFacts[];
  isAll: boolean;
};

/** Of the traces that an example is compared with, so many may be newer. */
const MAX_NEWER = 100;
/** As much of each is looked at. */
const BYTES_OF_TRACE = 256 * 1024;
const SHOWN_NEIGHBOURS = 10;

async function prepare(
  services: Services,
  input: { trace_id: string; behavior_id: string; for_agent: string | null },
  caller: Caller,
): Promise<PreparedBehavior> {
  const { account_id } = caller;
  const { read, scan } = services.database.forAccount(account_id);
  const { trace_id, behavior_id } = input;
  const example = await requireTrace({ read, caller, services }, trace_id, { behavior_id });
  if (example.visible_to !== '' || example.branch !== MAIN_BRANCH)
    throw invalidInput([
      { path: 'trace_id', message: 'every agent sees a behavior: it is made from a trace on main that is not private' },
    ]);
  await requireFree({ tx: read, account_id }, behavior_id);
  const source = { query: scan, dialect: services.database.dialect, account_id };
  const { traces, isAll } = await tracesAround(source, example, input.for_agent);
  const place = traces.findIndex(({ seq }) => seq === example.seq);
  const own = await loadOneJudged(source, example.seq);
  const first = own ? await judgeInTurns(account_id, candidatesOf(own)) : [];
  const { candidates, runs } = withMissing(first, await observeAll(source, traces, first), place);
  const isEffect = candidates.map(({ kind }) => kind === 'outcome');
  const found = standOut({ runs, example: place, isEffect });
  if (!found) throw nothingApart(traces.length - 1);
  return { example, candidates, found, traces, isAll };
}

function nothingApart(others: number) {
  const compared =
    {
      0: 'there is no other trace to compare it with',
      1: 'the 1 trace around it has all that it has',
    }[others] ?? `the ${others} traces around it, or most of them, have all that it has`;
  return invalidInput([{ path: 'trace_id', message: `${compared}: define the behavior by its checks` }]);
}

type TracesAround = { traces: TraceFacts[]; isAll: boolean };

/** The example among its neighbours in time, oldest first: what every agent may see. */
async function tracesAround(
  { query, account_id }: TraceSource,
  example: TraceFacts,
  agent_id: string | null,
): Promise<TracesAround> {
  const { seq } = example;
  const after = { account_id, agent_id, from: seq + 1, before: MAX_SEQ, limit: MAX_NEWER };
  const newer = (await listTracesBetween(query, after)).map((trace) => trace.seq);
  const limit = behaviorShapes.MAX_AROUND - newer.length;
  const older = await listNewestTraces(query, { account_id, agent_id, from: 0, before: seq, limit });
  const later = (await findTraces(query, account_id, newer)).flatMap((trace) => trace ?? []);
  const shown = [...older.toReversed(), example, ...later].filter(
    ({ visible_to, branch }) => visible_to === '' && branch === MAIN_BRANCH,
  );
  return { traces: shown, isAll: newer.length < MAX_NEWER && older.length < limit };
}

const MAX_SEQ = Number.MAX_SAFE_INTEGER;

async function observeAll(
  source: TraceSource,
  traces: readonly TraceFacts[],
  candidates: readonly FeatureCandidate[],
): Promise<ObservedRun[]> {
  const runs = new Map<number, ObservedRun>();
  const seqs = traces.map(({ seq }) => seq);
  for await (const trace of loadJudged({ ...source, bytes: BYTES_OF_TRACE }, seqs)) {
    const observed = { trace, matchers: { ...newMatchers(), look: () => {} }, failed: hasFailed(trace.outcome_type) };
    runs.set(trace.seq, await judgeInTurns(source.account_id, observe(candidates, observed)));
    await pause();
  }
  // A trace that was removed in the meantime has nothing.
  const nothing = { has: candidates.map(() => false), failed: null, tools: new Set<string>() };
  return seqs.map((seq) => runs.get(seq) ?? nothing);
}

const create = writes<'behaviors.create_from_trace'>(async (work, { input, caller, prepared }) => {
  const { example, candidates, found, traces, isAll } = prepared as PreparedBehavior;
  const { agent_id: _, session_id: __, backfill, trace_id: ___, ...behavior } = input;
  const matcher = found.used.map((no) => (candidates[no] as FeatureCandidate).check);
  const row = await addBehavior(
    work,
    { ...behavior, for_path: null, matcher, example },
    { author: authorOf(input, caller), backfill },
  );
  const { reason, chance, neighbours, features } = found;
  const answer: FoundBehavior = {
    behavior: toBehavior(row),
    ...{ reason, chance, neighbours: neighbours.length + 1 },
    trace_ids: neighbours.slice(0, SHOWN_NEIGHBOURS).map((at) => (traces[at] as TraceFacts).trace_id),
    features: features.map(({ candidate, ...counts }) => ({
      ...(candidates[candidate] as FeatureCandidate),
      ...counts,
    })),
    looked_at: traces.length,
    complete: isAll,
  };
  return changed(answer, { resource: input.behavior_id, ...hashedBy(answer.behavior) });
});

export const fromTraceHandlers: Handlers = {
  'behaviors.create_from_trace': prepares<'behaviors.create_from_trace'>(prepare, create),
};
