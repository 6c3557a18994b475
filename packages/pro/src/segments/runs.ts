import {
  fromIso,
  invalidInput,
  isSuccess,
  listNewestTraces,
  parseOutcomeType,
  pause,
  type ReadContext,
  readAccount,
  readableRows,
  seqAt,
  type TraceFacts,
  tracesInSight,
  viewerOf,
} from '@mem-service/server/module';
import { requireBehavior } from '../behaviors/render.ts';
import { requireJudge } from '../judges/index.ts';
import { judgedTraces } from './judged-traces.ts';
import { type LookedFor, lookedTraces } from './looked-traces.ts';

/** A sealed trace that the reader may see; `failed` is null where its result is not known. */
export type TracedRun = TraceFacts & { failed: boolean | null };

/**
 * Which runs are asked for, and what says that they failed: a judge, a behavior that they have, or their outcomes.
 */
export type RunsAsked = {
  judge_id?: string | undefined;
  behavior_id?: string | undefined;
  agent_id?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
};

/** Some runs, the newest first; `isAll` says whether there are no others. */
export type CollectedRuns = { runs: TracedRun[]; isAll: boolean };

/** Traces between two places in the log with their results, newest first, without a visibility check. */
export type RunPage = { runs: TracedRun[]; next: number | null };
export type RunRange = { from: number; before: number; limit: number };

const RUNS_AT_ONCE = 500;

type PageOf = (range: RunRange) => Promise<RunPage>;

/** Walks back from the newest run through at most so many. */
export async function collectRuns(context: ReadContext, asked: RunsAsked, most: number): Promise<CollectedRuns> {
  return walkBack(context, asked, { most, pageOf: await pagesOf(context, asked) });
}

/** The same for the runs with a behavior. */
export async function collectMatched(
  context: ReadContext,
  asked: RunsAsked & { behavior_id: string },
  most: number,
): Promise<CollectedRuns> {
  const looked = await lookedFor(context, asked);
  return walkBack(context, asked, {
    most,
    pageOf: (range) => lookedTraces(context, { ...looked, isMatched: true }, range),
  });
}

async function pagesOf(context: ReadContext, asked: RunsAsked): Promise<PageOf> {
  const { read, caller } = context;
  const { judge_id, behavior_id } = asked;
  if (judge_id !== undefined && behavior_id !== undefined)
    throw invalidInput([{ path: 'behavior_id', message: 'is given beside judge_id' }]);
  if (behavior_id !== undefined) {
    const looked = await lookedFor(context, { ...asked, behavior_id });
    return (range) => lookedTraces(context, looked, range);
  }
  if (judge_id === undefined) return (range) => committedTraces(context, asked, range);
  await requireJudge(read, caller.account_id, judge_id);
  return (range) => judgedTraces(context, asked, range);
}

async function lookedFor(
  { read, caller }: ReadContext,
  { behavior_id, agent_id }: RunsAsked & { behavior_id: string },
): Promise<LookedFor> {
  const { version } = await requireBehavior(read, caller.account_id, behavior_id);
  return { behavior_id, behavior_version: version, agent_id, isMatched: false };
}

async function walkBack(
  context: ReadContext,
  { since, until }: RunsAsked,
  { most, pageOf }: { most: number; pageOf: PageOf },
): Promise<CollectedRuns> {
  const { read, caller } = context;
  const { account_id } = caller;
  const account = await readAccount(read, account_id);
  const from = since ? await seqAt(read, account_id, fromIso(since)) : 0;
  let before: number | null = until ? await seqAt(read, account_id, fromIso(until)) : (account?.seq ?? 0) + 1;
  const runs: TracedRun[] = [];
  for (let left = most; left > 0 && before !== null; left -= RUNS_AT_ONCE) {
    const page: RunPage = await pageOf({ from, before, limit: Math.min(RUNS_AT_ONCE, left) });
    runs.push(...(await inSight(context, page.runs)));
    before = page.next;
    await pause();
  }
  return { runs, isAll: before === null };
}

async function committedTraces(
  { scan, caller }: ReadContext,
  { agent_id = undefined }: RunsAsked,
  range: RunRange,
): Promise<RunPage> {
  const traces = await listNewestTraces(scan, { account_id: caller.account_id, agent_id: agent_id ?? null, ...range });
  const runs = traces.map((trace) => ({ ...trace, failed: hasFailed(trace.outcome_type) }));
  return { runs, next: traces.length < range.limit ? null : (traces.at(-1)?.seq ?? null) };
}

/** Null where there is no outcome. */
export function hasFailed(outcomeType: string | null): boolean | null {
  const type = outcomeType === null ? undefined : parseOutcomeType(outcomeType);
  return type === undefined ? null : !isSuccess(type);
}

/** Those that the reader may see: by agent, by branch, and by the scope of its key. */
async function inSight(context: ReadContext, runs: readonly TracedRun[]): Promise<readonly TracedRun[]> {
  const viewer = viewerOf(context);
  const { scan, dialect } = context;
  const shown = runs.filter(({ visible_to }) => visible_to === '' || visible_to === viewer.agent_id);
  const readable = await readableRows(context, shown);
  if (viewer.scope === undefined) return readable;
  const seqs = readable.map(({ seq }) => seq);
  const seen = await tracesInSight(scan, { viewer, dialect }, seqs);
  return readable.filter(({ seq }) => seen.has(seq));
}
