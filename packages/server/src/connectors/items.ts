import type { ResultItem } from './types.ts';

/** Items of a list by their ids; null for one that is gone. */
export type Items = Readonly<Record<string, ResultItem | null>>;

/** The lists of a result, without those that have no items. */
export function listsOf(lists: Readonly<Record<string, Items | undefined>>): Record<string, Items> {
  const out: Record<string, Items> = {};
  for (const [name, items] of Object.entries(lists)) if (items && Object.keys(items).length > 0) out[name] = items;
  return out;
}
