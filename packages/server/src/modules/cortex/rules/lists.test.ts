import { describe, expect, it } from 'vitest';
import { grownLists, SHOWN_WHOLE } from './lists.ts';

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

describe('the lists of a digest', () => {
  it('show a small scope whole, whatever happened to its entries', () => {
    const lists = { shown: [1, 2], reserve: [] };
    for (const areNew of [true, false])
      expect(grownLists(lists, { entries: [2, 3], areNew })).toEqual({ shown: [1, 2, 3], reserve: [] });
    expect(grownLists(lists, { entries: numbers(3, SHOWN_WHOLE + 2), areNew: true })).toBeUndefined();
  });

  it('of a large scope take new entries beside those that were chosen, each once', () => {
    const lists = { shown: [1, 2], reserve: [3] };
    const grown = grownLists(lists, { entries: [9, 8], areNew: true });
    expect(grown).toEqual({ ...lists, added: [8, 9] });
    expect(grownLists(grown ?? lists, { entries: [9, 3, 10], areNew: true })).toEqual({ ...lists, added: [8, 9, 10] });
  });

  it('are chosen again where one of a large scope may have changed, and after twenty new ones', () => {
    const lists = { shown: [1, 2], reserve: [3] };
    expect(grownLists(lists, { entries: [2], areNew: false })).toBeUndefined();
    expect(grownLists(lists, { entries: numbers(10, 30), areNew: true })?.added).toHaveLength(20);
    expect(grownLists(lists, { entries: numbers(10, 31), areNew: true })).toBeUndefined();
  });
});
