import type { EvidenceStatus } from '../../entries/index.ts';

/** What decides the place of a hit among others. */
export type PlacedHit = {
  /** BM25; null where the words do not rank. */
  score: number | null;
  status: EvidenceStatus;
  rank: number;
  signal: number;
  seq: number;
};

/**
 * How far evidence moves a score. A single success lifts a hit by about a sixth, so it decides between entries that say
 * nearly the same, and not between an entry that has the words and one that hardly does.
 */
const EVIDENCE_WEIGHT = 0.3;

/** Orders hits whose words fit equally well by their evidence; discredited ones come last, however well they fit. */
export function compareHits(a: PlacedHit, b: PlacedHit): number {
  const isLast = Number(a.status === 'discredited') - Number(b.status === 'discredited');
  if (isLast !== 0) return isLast;
  const byScore = weighed(b) - weighed(a);
  return byScore || b.rank - a.rank || b.seq - a.seq;
}

/** Contested evidence never lifts a hit above one that nobody has tested. */
const weighed = ({ score, signal, status }: PlacedHit): number =>
  (score ?? 0) * (1 + EVIDENCE_WEIGHT * (status === 'contested' ? Math.min(0, signal) : signal));

/**
 * Hits are ordered within blocks of this many, counted from the best words: so the pages of a search agree with each
 * other, and a page never needs more than the blocks it touches.
 */
export const BLOCK_HITS = 128;

/** The least number of hits, in whole blocks, that a page up to `end` depends on. */
export const hitsToOrder = (end: number): number => Math.ceil(end / BLOCK_HITS) * BLOCK_HITS;

/**
 * How many of the best matches evidence can bring among the first `wanted`, as long as it lowers none of them: the others
 * would stay below even with the best evidence there is.
 */
export function countLiftable(matches: readonly { score: number | null }[], wanted: number): number {
  const last = matches[wanted - 1]?.score ?? null;
  if (last === null || wanted > BLOCK_HITS) return matches.length;
  const least = last / (1 + EVIDENCE_WEIGHT);
  const end = matches.findIndex(({ score }) => score === null || score < least);
  return end === -1 ? matches.length : end;
}

/** Whether evidence puts a hit below where its words would put it. */
export const isLowered = ({ status, signal }: Pick<PlacedHit, 'status' | 'signal'>): boolean =>
  status === 'discredited' || signal < 0;

/** Orders each block. `placed` says where a hit belongs. */
export function orderBlocks<T>(hits: readonly T[], placed: (hit: T) => PlacedHit): T[] {
  const ordered: T[] = [];
  for (let from = 0; from < hits.length; from += BLOCK_HITS) {
    const block = hits.slice(from, from + BLOCK_HITS).map((hit) => ({ hit, place: placed(hit) }));
    block.sort((a, b) => compareHits(a.place, b.place));
    for (const { hit } of block) ordered.push(hit);
  }
  return ordered;
}
