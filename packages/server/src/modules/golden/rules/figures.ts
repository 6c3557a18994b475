/** A golden query as it was last asked again. */
export type ReplayedQuery = {
  hit_rank: number | null;
  stale: number | null;
  hits: number | null;
  duplicates: number | null;
};

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;
const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
const shareOf = (part: number, whole: number): number | null => (whole === 0 ? null : rounded(part / whole));

/** What is stale is not looked for. */
export function figuresOf(replayed: readonly ReplayedQuery[]) {
  const ranks = replayed.filter(({ stale }) => stale === 0).map(({ hit_rank }) => hit_rank ?? 0);
  const within = (most: number) => shareOf(ranks.filter((rank) => rank > 0 && rank <= most).length, ranks.length);
  return {
    recall_at_5: within(5),
    recall_at_10: within(10),
    recall_at_20: within(20),
    mrr: shareOf(sumOf(ranks.map((rank) => (rank > 0 ? 1 / rank : 0))), ranks.length),
    stale_hit_rate: shareOf(sumOf(replayed.map(({ stale }) => stale ?? 0)), replayed.length),
    duplicate_rate: shareOf(
      sumOf(replayed.map(({ duplicates }) => duplicates ?? 0)),
      sumOf(replayed.map(({ hits }) => hits ?? 0)),
    ),
  };
}
