import { describe, expect, it } from 'vitest';
import { bucketOf } from '../../../kernel/index.ts';
import { latencyOf, percentile } from './percentile.ts';

describe('percentiles of how long answers took', () => {
  it('are within a tenth of the real ones', () => {
    const took = Array.from({ length: 1000 }, (_, i) => 0.05 * 1.01 ** i);
    const histogram = new Map<number, number>();
    for (const ms of took) histogram.set(bucketOf(ms), (histogram.get(bucketOf(ms)) ?? 0) + 1);
    for (const share of [0.5, 0.95, 0.99]) {
      const real = took[Math.ceil(took.length * share) - 1] as number;
      expect(Math.abs((percentile(histogram, share) ?? 0) / real - 1)).toBeLessThan(0.1);
    }
  });

  it('are none where nothing was asked', () => {
    expect(latencyOf(new Map())).toEqual({ p50: null, p95: null, p99: null });
  });

  it('take no time at all for a microsecond', () => {
    expect(bucketOf(0)).toBe(0);
    expect(bucketOf(0.001)).toBe(0);
  });
});
