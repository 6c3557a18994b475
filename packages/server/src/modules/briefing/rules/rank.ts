/** What orders the entries of a section. */
export type RankedFacts = {
  seq: number;
  confidence: number;
  success_count: number;
  failure_count: number;
  last_outcome_at: number | null;
  /** The chance that the agent reads at its path next. */
  anticipated: number;
};

const DAY_MS = 86_400_000;
/** An outcome counts half after so many days. */
const HALF_LIFE_DAYS = 60;

const freshness = (at: number | null, now: number): number =>
  at === null ? 0 : 0.5 ** (Math.max(0, now - at) / DAY_MS / HALF_LIFE_DAYS);

/** How much outcomes say about an entry: their number, in orders of magnitude, and how recent the last one is. */
const weight = (n: number, { last_outcome_at }: RankedFacts, now: number): number =>
  Math.log2(1 + n) * (0.5 + 0.5 * freshness(last_outcome_at, now));

/** The higher, the sooner an entry is shown. */
export const strength = {
  validated: (facts: RankedFacts, now: number): number =>
    facts.confidence * (1 + weight(facts.success_count, facts, now)) + facts.anticipated,
  discredited: (facts: RankedFacts, now: number): number =>
    (1 - facts.confidence) * (1 + weight(facts.failure_count, facts, now)) + facts.anticipated,
} as const;

/** The best first; of equals the newest. */
export function bestFirst<T>(items: readonly T[], scoreOf: (item: T) => number, seqOf: (item: T) => number): T[] {
  const scored = items.map((item) => ({ item, score: scoreOf(item), seq: seqOf(item) }));
  return scored.sort((a, b) => b.score - a.score || b.seq - a.seq).map(({ item }) => item);
}
