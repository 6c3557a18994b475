/** Upper bounds of the latency buckets, in seconds. */
export const LATENCY_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

export type CallStats = { calls: Map<string, number>; buckets: number[]; sum_s: number; count: number };

/** Counters of this process since it started: calls by operation and result, ops charged, batches committed. */
export class Usage {
  readonly calls = new Map<string, CallStats>();
  ops_charged = 0;
  batches = 0;
  batched_writes = 0;

  charge(ops: number): void {
    this.ops_charged += ops;
  }

  countBatch(size: number): void {
    this.batches++;
    this.batched_writes += size;
  }

  observe(name: string, result: string, durationMs: number): void {
    let stats = this.calls.get(name);
    if (!stats) {
      stats = { calls: new Map(), buckets: LATENCY_BUCKETS_S.map(() => 0), sum_s: 0, count: 0 };
      this.calls.set(name, stats);
    }
    const seconds = durationMs / 1000;
    stats.calls.set(result, (stats.calls.get(result) ?? 0) + 1);
    stats.sum_s += seconds;
    stats.count++;
    const bucket = LATENCY_BUCKETS_S.findIndex((bound) => seconds <= bound);
    if (bucket >= 0) stats.buckets[bucket] = (stats.buckets[bucket] ?? 0) + 1;
  }
}
