import { expect, it } from 'vitest';
import { firstInOrder } from './first-in-order.ts';

type Numbered = { n: number; no: number };
const items = (count: number, of: (no: number) => number): Numbered[] =>
  Array.from({ length: count }, (_, no) => ({ n: of(no), no }));

it.each([
  ['ascending', items(5000, (no) => no)],
  ['descending', items(5000, (no) => -no)],
  ['with many that are equal', items(5000, (no) => (no * 37) % 11)],
  ['fewer than are wanted', items(7, (no) => (no * 3) % 5)],
  ['none', []],
])('the first are those of a sorted list, compared a few times each, in steps: %s', (_, given) => {
  let compared = 0;
  const byNumber = (a: Numbered, b: Numbered) => {
    compared++;
    return a.n - b.n;
  };
  const finding = firstInOrder(given, 20, byNumber);
  let steps = 0;
  let step = finding.next();
  for (; !step.done; step = finding.next()) steps++;
  expect(step.value).toEqual(given.toSorted((a, b) => a.n - b.n).slice(0, 20));
  expect(steps).toBe(Math.ceil(given.length / 1000));
  expect(compared).toBeLessThanOrEqual(7 * given.length);
});
