import { expect, test } from 'vitest';
import { TermCounts } from './term-counts.ts';

/** Counts as a store would, and records what it was asked for. */
function counter(matches: Record<string, number>) {
  const asked: string[] = [];
  const count = async (terms: readonly string[]) => {
    asked.push(...terms);
    return terms.map((term) => matches[term] ?? 0);
  };
  return { asked, count };
}

test('a term is counted once while few entries were added', async () => {
  const counts = new TermCounts();
  const { asked, count } = counter({ a: 5, b: 7 });
  expect(await counts.get(['a', 'b'], 1000, count)).toEqual([5, 7]);
  expect(await counts.get(['b', 'a'], 1100, count)).toEqual([7, 5]);
  expect(asked).toEqual(['a', 'b']);
});

test('a term is counted again when it may have become another kind of term', async () => {
  const counts = new TermCounts();
  const { asked, count } = counter({ a: 5 });
  await counts.get(['a'], 1000, count);
  await counts.get(['a'], 1106, count);
  expect(asked).toEqual(['a', 'a']);
});

test('a term that nothing matched is counted each time', async () => {
  const counts = new TermCounts();
  const matches: Record<string, number> = {};
  const { count } = counter(matches);
  expect(await counts.get(['new'], 10, count)).toEqual([0]);
  matches.new = 1;
  expect(await counts.get(['new'], 11, count)).toEqual([1]);
});
