import { findSealed, pause, type ReadContext, type TraceFacts, type TraceHeader } from '@mem-service/server/module';
import type { TracedRun } from '../segments/index.ts';
import { loadFacets } from '../trace-navigation/index.ts';
import { type ComparableRun, likenessOf } from './rules/likeness.ts';

/** Passing runs that are looked at: the nearest in time. */
const MAX_LOOKED_AT = 200;
/** Headers in memory at a time: a task may be long. */
const HEADERS_AT_ONCE = 25;
const MAX_TASK_CHARS = 4000;

/** The passing run that is the most like one that failed: of the same branch where there is any, by what it was for and did, then in time. */
export async function nearestPassing(
  context: ReadContext,
  failing: TraceFacts,
  runs: readonly TracedRun[],
): Promise<TracedRun | undefined> {
  const passing = runs.filter(({ failed, trace_id }) => failed === false && trace_id !== failing.trace_id);
  const ofBranch = passing.filter(({ branch }) => branch === failing.branch);
  const msAway = ({ created_at }: TracedRun) => Math.abs(created_at - failing.created_at);
  const near = (ofBranch.length > 0 ? ofBranch : passing)
    .toSorted((one, other) => msAway(one) - msAway(other))
    .slice(0, MAX_LOOKED_AT);
  const known = await loadComparable(context, [failing, ...near]);
  const own = known.get(failing.seq);
  const likeness = ({ seq }: TracedRun) => {
    const other = known.get(seq);
    return own && other ? likenessOf(own, other) : 0;
  };
  const ranked = near.map((run) => ({ run, likeness: likeness(run) }));
  return ranked.sort((one, other) => other.likeness - one.likeness)[0]?.run;
}

async function loadComparable(
  { scan: query, dialect, caller }: ReadContext,
  traces: readonly TraceFacts[],
): Promise<Map<number, ComparableRun>> {
  const { account_id } = caller;
  const seqs = traces.map(({ seq }) => seq);
  const facets = await loadFacets({ query, dialect, account_id }, seqs);
  const known = new Map<number, ComparableRun>();
  for (let at = 0; at < seqs.length; at += HEADERS_AT_ONCE)
    for (const { seq, header } of await findSealed(query, account_id, seqs.slice(at, at + HEADERS_AT_ONCE))) {
      await pause();
      const { task_input, attributes } = JSON.parse(header) as TraceHeader;
      const task = task_input?.slice(0, MAX_TASK_CHARS) ?? null;
      known.set(seq, { task_input: task, tools: facets.get(seq)?.tools ?? [], attributes });
    }
  return known;
}
