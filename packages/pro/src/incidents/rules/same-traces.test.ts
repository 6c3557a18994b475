import { expect, it } from 'vitest';
import { areMostlySame } from './same-traces.ts';

it.each([
  { some: [1, 2, 3], others: [1, 2, 3], same: true, how: 'the same' },
  { some: [1, 2, 3], others: [2, 3, 4], same: true, how: 'two of three shared' },
  { some: [1, 2], others: [2, 3], same: false, how: 'half of each' },
  { some: [1, 2], others: [1, 2, 3, 4], same: false, how: 'all of one, half of the other' },
  { some: [1, 2], others: [3, 4], same: false, how: 'none' },
  { some: [], others: [], same: false, how: 'nothing at all' },
])('traces are mostly the same by more than half of each: $how', ({ some, others, same }) => {
  expect(areMostlySame(some, others)).toBe(same);
  expect(areMostlySame(others, some)).toBe(same);
});
