import { describe, expect, it } from 'vitest';
import { PagedList } from './paged-list.ts';

const PAGE = 10;

/** A list over numbers that may change under it. */
function listOf(all: number[]) {
  const asked: number[] = [];
  const list = new PagedList<number, number>({
    id: 'numbers',
    first: 0,
    load: async (after) => {
      asked.push(after);
      const rows = all.filter((n) => n > after).slice(0, PAGE);
      return { rows, next: rows.length === PAGE ? rows.at(-1) : undefined };
    },
    changed: () => {},
  });
  const show = async (first: number, last: number) => {
    list.show(first, last);
    while (list.isLoading) await new Promise((resolve) => setTimeout(resolve));
  };
  return { list, show, asked };
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

describe('a list of pages', () => {
  it('loads what is in view and what comes next, and knows where it ends', async () => {
    const { list, show } = listOf(numbers(95));
    await show(0, 5);
    expect([list.rowAt(0), list.rowAt(9), list.hasMore]).toEqual([1, 10, true]);
    for (let i = 0; i < 5; i++) await show(list.count - 1, list.count);
    expect([list.count, list.hasMore, list.rowAt(94)]).toEqual([95, false, 95]);
  });

  it('keeps the rows of a few pages only, and asks for the others again', async () => {
    const { list, show, asked } = listOf(numbers(1000));
    while (list.hasMore) await show(list.count, list.count);
    expect([list.count, list.rowAt(0)]).toEqual([1000, undefined]);
    asked.length = 0;
    await show(0, 5);
    expect([asked, list.rowAt(0), list.count]).toEqual([[0], 1, 1000]);
  });

  it('asks again for an empty page, which then has rows', async () => {
    const all: number[] = [];
    const { list, show } = listOf(all);
    await show(0, 0);
    expect([list.isPending, list.count]).toEqual([false, 0]);
    all.push(7);
    list.refresh();
    await show(0, 0);
    expect([list.count, list.rowAt(0)]).toEqual([1, 7]);
  });

  it('shows the rows as they were until those after a change are there, and forgets what no longer follows', async () => {
    const all = numbers(100);
    const { list, show } = listOf(all);
    while (list.hasMore) await show(list.count, list.count);
    all.splice(2, 1);
    list.refresh();
    expect(list.rowAt(2)).toBe(3);
    await show(0, 5);
    expect([list.rowAt(2), list.rowAt(9)]).toEqual([4, 11]);
    while (list.hasMore) await show(list.count, list.count);
    expect([list.count, list.rowAt(98)]).toEqual([99, 100]);
  });

  it('puts new rows before the first without another question', async () => {
    const { list, show, asked } = listOf(numbers(5));
    await show(0, 5);
    list.prepend([-1, 0]);
    expect([list.count, list.rowAt(0), list.rowAt(2), asked.length]).toEqual([7, -1, 1, 1]);
  });
});
