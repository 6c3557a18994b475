import { expect, it } from 'vitest';
import { benjaminiHochberg } from './benjamini-hochberg.ts';
import { confusionOf, detectionOf, kappaOf } from './detection.ts';
import { fisher, logFactorial } from './fisher.ts';
import { isSampled, shareOf } from './sample.ts';
import { twoProportions, upperTail } from './two-proportions.ts';
import { wilson } from './wilson.ts';

it('an interval of Wilson has the known ends', () => {
  const { rate, low, high } = wilson(8, 10);
  expect(rate).toBe(0.8);
  expect(low).toBeCloseTo(0.4902, 4);
  expect(high).toBeCloseTo(0.9433, 4);
  expect(wilson(0, 20).high).toBeCloseTo(0.1611, 4);
  expect(wilson(0, 20).low).toBe(0);
  expect(wilson(20, 20).high).toBe(1);
  expect(wilson(0, 0)).toEqual({ rate: null, low: 0, high: 1, count: 0, of: 0 });
});

it("Fisher's test gives the known probabilities", () => {
  expect(fisher({ a: 3, ofA: 4, b: 1, ofB: 4 })).toBeCloseTo(0.485714, 6);
  expect(fisher({ a: 1, ofA: 10, b: 11, ofB: 14 })).toBeCloseTo(0.002759, 6);
  expect(fisher({ a: 0, ofA: 5, b: 0, ofB: 5 })).toBeCloseTo(1, 9);
  expect(logFactorial(20)).toBeCloseTo(Math.log(2432902008176640000), 9);
});

it('the difference of two shares has an interval and a probability', () => {
  const few = twoProportions({ a: 1, ofA: 10, b: 11, ofB: 14 });
  expect(few.difference).toBeCloseTo(0.1 - 11 / 14, 9);
  expect(few.p).toBeCloseTo(0.002759, 6);
  expect(few.high).toBeLessThan(0);
  const many = twoProportions({ a: 520, ofA: 5000, b: 400, ofB: 5000 });
  expect(many.p).toBeCloseTo(0.0000297, 5);
  expect(many.low).toBeGreaterThan(0);
  expect(twoProportions({ a: 0, ofA: 0, b: 1, ofB: 2 }).p).toBe(1);
  expect(upperTail(1.959963984540054)).toBeCloseTo(0.025, 6);
});

it('probabilities of many comparisons are adjusted as Benjamini and Hochberg did', () => {
  const adjusted = benjaminiHochberg([0.01, 0.04, 0.03, 0.005]);
  expect(adjusted.map((p) => Math.round(p * 1e4) / 1e4)).toEqual([0.02, 0.04, 0.04, 0.02]);
  expect(benjaminiHochberg([])).toEqual([]);
});

it('what a judge detects is counted against labels', () => {
  const pairs = (found: 'pass' | 'fail', label: 'pass' | 'fail', n: number) =>
    Array.from({ length: n }, () => ({ found, label }));
  const confusion = confusionOf([
    ...pairs('fail', 'fail', 20),
    ...pairs('fail', 'pass', 5),
    ...pairs('pass', 'fail', 10),
    ...pairs('pass', 'pass', 15),
  ]);
  expect(confusion).toEqual({ true_fail: 20, false_fail: 5, false_pass: 10, true_pass: 15 });
  const { precision, recall, agreement, kappa } = detectionOf(confusion);
  expect([precision.rate, recall.rate, agreement.rate]).toEqual([0.8, 20 / 30, 0.7]);
  expect(kappa).toBeCloseTo(0.4, 9);
  expect(kappaOf({ true_fail: 0, false_fail: 0, true_pass: 3, false_pass: 0 })).toBeNull();
});

it('a sample follows from the ids, has the asked size, and grows with the rate', () => {
  const ids = Array.from({ length: 20_000 }, (_, n) => `01hzy3v9k2m8q4w6x0c5b7${n.toString(32).padStart(4, '0')}`);
  const chosen = ids.filter((id) => isSampled(id, 0.1));
  expect(chosen.length / ids.length).toBeGreaterThan(0.09);
  expect(chosen.length / ids.length).toBeLessThan(0.11);
  expect(chosen.every((id) => isSampled(id, 0.2))).toBe(true);
  expect(ids.every((id) => isSampled(id, 1))).toBe(true);
  expect(ids.some((id) => isSampled(id, 0))).toBe(false);
  expect(shareOf('a trace')).toBe(shareOf('a trace'));
});
