import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calibrate } from './calibration.ts';

let seq = 0;
/** Each of an outcome of its own, the newest first. */
const times = (n: number, confidence_before: number, success: boolean) =>
  Array.from({ length: n }, () => ({ seq: --seq, confidence_before, success }));

describe('calibration', () => {
  it('of nothing knows nothing', () => {
    const { buckets, ...rest } = calibrate([]);
    expect(rest).toEqual({
      n: 0,
      brier_score: null,
      expected_calibration_error: null,
      learned_calibration_error: null,
    });
    expect(buckets).toHaveLength(10);
    expect(buckets[3]).toEqual({
      from: 0.3,
      to: 0.4,
      n: 0,
      successes: 0,
      success_rate: null,
      mean_confidence: null,
      expected_success_rate: null,
    });
  });

  it('holds confidence against what happened', () => {
    const { n, buckets, brier_score, expected_calibration_error } = calibrate([
      ...times(3, 0.75, true),
      ...times(1, 0.75, false),
      ...times(1, 0.25, true),
      ...times(1, 0.25, false),
    ]);
    expect(n).toBe(6);
    expect(buckets[7]).toMatchObject({
      from: 0.7,
      to: 0.8,
      n: 4,
      successes: 3,
      success_rate: 0.75,
      mean_confidence: 0.75,
    });
    expect(buckets[2]).toMatchObject({
      from: 0.2,
      to: 0.3,
      n: 2,
      successes: 1,
      success_rate: 0.5,
      mean_confidence: 0.25,
    });
    expect(brier_score).toBeCloseTo((4 * 0.0625 + 2 * 0.5625) / 6, 12);
    expect(expected_calibration_error).toBeCloseTo((2 / 6) * 0.25, 12);
  });

  it('puts an edge into the bucket that it begins, and 1 into the last', () => {
    const bucketOf = (confidence: number) =>
      calibrate(times(1, confidence, true)).buckets.findIndex(({ n }) => n === 1);
    for (let n = 0; n < 10; n++) expect(bucketOf(n / 10)).toBe(n);
    expect(bucketOf(1)).toBe(9);
    expect(bucketOf(0.8999999999999999)).toBe(8);
    expect(bucketOf(0.09999999999999999)).toBe(0);
  });

  it('is perfect for one that is always right and as bad as can be for one that is always wrong', () => {
    expect(calibrate([...times(3, 1, true), ...times(2, 0, false)])).toMatchObject({
      brier_score: 0,
      expected_calibration_error: 0,
    });
    expect(calibrate([...times(3, 0, true), ...times(2, 1, false)])).toMatchObject({
      brier_score: 1,
      expected_calibration_error: 1,
    });
  });

  it('counts each prediction once, whatever the order', () => {
    const predictions = fc.array(
      fc.record({
        seq: fc.integer(),
        confidence_before: fc.double({ min: 0, max: 1, noNaN: true }),
        success: fc.boolean(),
      }),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(predictions, (list) => {
        const made = calibrate(list);
        const counted = made.buckets.reduce((sum, { n }) => sum + n, 0);
        expect([made.n, counted]).toEqual([list.length, list.length]);
        const error = made.buckets.reduce(
          (sum, { n, success_rate, mean_confidence }) =>
            sum + (n / list.length) * Math.abs((success_rate ?? 0) - (mean_confidence ?? 0)),
          0,
        );
        expect(made.expected_calibration_error).toBeCloseTo(error, 9);
        expect(calibrate(list.toReversed()).brier_score).toBeCloseTo(made.brier_score as number, 9);
      }),
    );
  });

  it('learns what a confidence means, from the outcomes before each', () => {
    // Cautious: of a hundred outcomes ninety-six go well, at a confidence of 0.75.
    const cautious = Array.from({ length: 400 }, (_, i) => times(1, 0.75, i % 25 !== 0)).flat();
    const { expected_calibration_error, learned_calibration_error, buckets } = calibrate(cautious);
    expect(expected_calibration_error).toBeCloseTo(0.21, 9);
    expect(learned_calibration_error).toBeLessThan(0.02);
    expect(buckets[7]?.expected_success_rate).toBeGreaterThan(0.92);
    expect(buckets[7]?.expected_success_rate).toBeLessThan(0.98);
  });

  it('expects nothing of an outcome from that outcome itself', () => {
    const together = Array.from({ length: 50 }, () => ({ seq: 1, confidence_before: 0.5, success: true }));
    expect(calibrate(together).learned_calibration_error).toBe(0.5);
  });

  it('forgets what was: a bucket that went well and now fails is expected to fail', () => {
    const { buckets } = calibrate([...times(100, 0.85, false), ...times(300, 0.85, true)]);
    expect(buckets[8]?.expected_success_rate).toBeLessThan(0.25);
  });
});
