/** How many requests took how long, by bucket number. */
export type Histogram = ReadonlyMap<number, number>;

/** The middle of a bucket, in milliseconds: there are four buckets per doubling, starting at a microsecond. */
const middleOf = (bucket: number): number => 2 ** ((bucket - 0.5) / 4) / 1000;

/** To three digits: the buckets are no finer. */
const rounded = (milliseconds: number): number => Number(milliseconds.toPrecision(3));

/** The duration that this share of the requests did not exceed. */
export function percentile(histogram: Histogram, share: number): number | null {
  const total = [...histogram.values()].reduce((sum, n) => sum + n, 0);
  if (total === 0) return null;
  let below = 0;
  const buckets = [...histogram.keys()].sort((a, b) => a - b);
  for (const bucket of buckets) {
    below += histogram.get(bucket) ?? 0;
    if (below >= total * share) return rounded(middleOf(bucket));
  }
  return null;
}

export const latencyOf = (histogram: Histogram) => ({
  p50: percentile(histogram, 0.5),
  p95: percentile(histogram, 0.95),
  p99: percentile(histogram, 0.99),
});
