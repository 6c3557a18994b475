import { expect, it } from 'vitest';
import { type AlignedPair, align } from './align.ts';

function run(left: string, right: string): AlignedPair[] {
  const steps = align([...left], [...right]);
  for (let next = steps.next(); ; next = steps.next()) if (next.done) return next.value;
}

const shown = (left: string, right: string) =>
  run(left, right).map(({ left: a, right: b }) => `${a === null ? '-' : left[a]}${b === null ? '-' : right[b]}`);

it('equal names stand beside each other, and the rest at its place', () => {
  expect(shown('', '')).toEqual([]);
  expect(shown('abc', 'abc')).toEqual(['aa', 'bb', 'cc']);
  expect(shown('abc', 'ac')).toEqual(['aa', 'b-', 'cc']);
  expect(shown('ac', 'abc')).toEqual(['aa', '-b', 'cc']);
  expect(shown('abd', 'acd')).toEqual(['aa', 'b-', '-c', 'dd']);
  expect(shown('aab', 'ab')).toEqual(['aa', 'a-', 'bb']);
  expect(shown('x', 'y')).toEqual(['x-', '-y']);
});

it('no item is lost or taken twice, whatever the lists', () => {
  let seed = 7;
  const next = (n: number) => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return seed % n;
  };
  const text = () => Array.from({ length: next(12) }, () => 'abc'[next(3)]).join('');
  for (let round = 0; round < 300; round++) {
    const [left, right] = [text(), text()];
    const pairs = run(left, right);
    expect(pairs.flatMap(({ left: a }) => (a === null ? [] : [a]))).toEqual([...left].map((_, i) => i));
    expect(pairs.flatMap(({ right: b }) => (b === null ? [] : [b]))).toEqual([...right].map((_, i) => i));
    for (const { left: a, right: b } of pairs) if (a !== null && b !== null) expect(left[a]).toBe(right[b]);
  }
});
