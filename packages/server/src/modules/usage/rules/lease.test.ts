import { describe, expect, it } from 'vitest';
import { leaseSize } from './lease.ts';

describe('a lease', () => {
  it.each([
    ['is small at first', { size: 0, spent: 0, ms: 0, limit: 50_000 }, 5],
    ['is about what a second takes', { size: 100, spent: 50, ms: 500, limit: 50_000 }, 100],
    ['grows by steps, however fast a burst is', { size: 5, spent: 5, ms: 1, limit: 50_000 }, 20],
    ['shrinks with what is spent', { size: 400, spent: 10, ms: 10_000, limit: 50_000 }, 5],
    ['is at most a hundredth of the limit', { size: 1_000, spent: 9_000, ms: 1_000, limit: 50_000 }, 500],
    ['is at least one op, of the smallest plan', { size: 5, spent: 5, ms: 1_000, limit: 10 }, 1],
    ['is bounded without a limit', { size: 1e6, spent: 1e9, ms: 1_000, limit: null }, 100_000],
  ])('%s', (_, spending, size) => {
    expect(leaseSize(spending)).toBe(size);
  });
});
