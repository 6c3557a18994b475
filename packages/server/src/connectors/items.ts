import type { ResultItem } from './types.ts';

/** Items of a list by their ids; null for one that is gone. */
export type Items = Readonly<Record<string, ResultItem | null>>;

/** Without a prototype: V8 keeps a shape for each name that an object with one is given, and ids are many. */
export function itemsOf(id: string, item: ResultItem | null): Items {
  const items: Record<string, ResultItem | null> = Object.create(null);
  items[id] = item;
  return items;
}

/** The lists of a result, without those that have no items. */
export function listsOf(lists: Readonly<Record<string, Items | undefined>>): Record<string, Items> {
  const out: Record<string, Items> = {};
  for (const [name, items] of Object.entries(lists)) if (items && Object.keys(items).length > 0) out[name] = items;
  return out;
}
