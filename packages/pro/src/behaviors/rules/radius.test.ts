import { expect, it } from 'vitest';
import { countNames, growthOf, harmOf, type SoughtRun } from './radius.ts';

const runs = (has: readonly boolean[], failed: boolean | null = false): SoughtRun[] =>
  has.map((has_it, at) => ({ has_it, failed, created_at: at }));
const some = (n: number, of: number) => Array.from({ length: of }, (_, at) => at < n);

it('grows or shrinks only beyond chance, and is unknown of few traces', () => {
  expect(growthOf(runs([...some(2, 40), ...some(20, 40)]))).toMatchObject({ trend: 'growing', later_since: 40 });
  expect(growthOf(runs([...some(20, 40), ...some(2, 40)]))).toMatchObject({ trend: 'shrinking' });
  expect(growthOf(runs([...some(5, 40), ...some(7, 40)]))).toMatchObject({ trend: 'steady' });
  expect(growthOf(runs([...some(0, 9), ...some(9, 9)]))).toMatchObject({ trend: 'unknown' });
  expect(growthOf([])).toMatchObject({ trend: 'unknown', later_since: null, earlier: { of: 0 } });
  const { difference, low, high } = growthOf(runs([...some(2, 40), ...some(20, 40)]));
  expect(difference).toBeCloseTo(0.45, 9);
  expect(low).toBeGreaterThan(0.2);
  expect(high).toBeLessThan(0.65);
});

it('compares how runs end with it and without it, as far as that is known', () => {
  const found = harmOf([...runs(some(30, 30), true), ...runs(some(10, 50)), ...runs(some(5, 10), null)]);
  expect(found).toMatchObject({ with_it: { count: 30, of: 40 }, without_it: { count: 0, of: 40 } });
  expect(found.low).toBeGreaterThan(0.5);
});

it('counts a name once in a run, the most frequent first', () => {
  expect(countNames([['b', 'b'], ['a', 'b'], ['c']])).toEqual([
    { name: 'b', traces: 2 },
    { name: 'a', traces: 1 },
    { name: 'c', traces: 1 },
  ]);
});
