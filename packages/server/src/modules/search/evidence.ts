import { isNewestOfOneBranch, type LogPosition, type ReadContext, type Services } from '../../kernel/index.ts';
import { evidenceRank, evidenceSignal, evidenceStatus, standingOf } from '../entries/index.ts';
import { getTestedBySeq, type TestedKey } from './queries.ts';
import { countLiftable, isLowered, orderBlocks, type PlacedHit } from './rules/evidence-order.ts';
import type { SearchHit, TextMatch } from './text-search.ts';
import { UntestedEntries } from './untested.ts';

/** More rows than this are fetched off the main thread. */
export const MANY = 200;

export function placeOf(row: TestedKey, score: number | null): PlacedHit {
  const standing = standingOf(row);
  const status = evidenceStatus(standing, row.confidence);
  return { score, status, rank: evidenceRank(status), signal: evidenceSignal(standing), seq: row.seq };
}

/** Each hit is compared many times and ranked once. */
export function ranksOf(hits: readonly SearchHit[]): (hit: SearchHit) => number {
  const ranks = new Map(hits.map((hit) => [hit, placeOf(hit.row, null).rank]));
  return (hit) => ranks.get(hit) ?? 0;
}

/** One per store. */
const memories = new WeakMap<Services['database'], UntestedEntries>();
function memoryOf({ database }: Services): UntestedEntries {
  const known = memories.get(database) ?? new UntestedEntries();
  memories.set(database, known);
  return known;
}

/** Evidence that is looked up: where the log ended before, and how many of the first hits are wanted. */
type EvidenceWanted = { end: LogPosition; wanted: number };

/**
 * Orders matches by their words and, where these fit alike, by evidence. Loads only what has been tested, and only of those
 * that it could bring among the first.
 */
export async function byEvidence(
  context: ReadContext,
  matches: readonly TextMatch[],
  { end, wanted }: EvidenceWanted,
): Promise<readonly TextMatch[]> {
  const { view, read, scan, services } = context;
  // What is remembered is how entries stand now.
  const untested = isNewestOfOneBranch(view)
    ? await memoryOf(services).of(read, view.account_id, end)
    : new Set<number>();
  const tested = new Map<number, TestedKey>();
  const load = async (some: readonly TextMatch[]) => {
    const seqs: number[] = [];
    for (const { seq } of some) if (!untested.has(seq) && !tested.has(seq)) seqs.push(seq);
    if (seqs.length === 0) return;
    for (const row of await getTestedBySeq(seqs.length > MANY ? scan : read, view, seqs)) tested.set(row.seq, row);
    for (const seq of seqs) if (!tested.has(seq)) untested.add(seq);
  };
  const near = countLiftable(matches, wanted);
  await load(matches.slice(0, near));
  if (tested.size === 0) return matches;
  if (near < matches.length && [...tested.values()].some((row) => isLowered(placeOf(row, null)))) await load(matches);
  return orderBlocks(matches, ({ seq, score }) =>
    placeOf(tested.get(seq) ?? { seq, confidence: 1, standing: null }, score),
  );
}
