import type { Dialect, Query, Sql } from '../../db/index.ts';
import { startWithin } from '../../kernel/index.ts';
import { listItemSizes, type SessionKey, type SessionRow } from './queries.ts';

const FEW_ITEMS = 200;
const FEW_BYTES = 512 * 1024;

/** Whether the items of a session are too many or too long for one statement. */
export const isLong = ({ items, bytes }: Pick<SessionRow, 'items' | 'bytes'>): boolean =>
  items > FEW_ITEMS || bytes > FEW_BYTES;

export type ItemSize = { no: number; bytes: number };

/** The numbers of items in parts that one statement can take. */
export function* partsOfItems(sizes: readonly ItemSize[], dialect: Dialect): Generator<Sql, void> {
  for (let at = 0; at < sizes.length; ) {
    const some = startWithin(sizes.slice(at, at + FEW_ITEMS), FEW_BYTES, (item) => item.bytes);
    at += some.length;
    yield dialect.numbers(some.map(({ no }) => no));
  }
}

/** The same for those of a session, in the order they happened. */
export async function listParts(query: Query, key: SessionKey, dialect: Dialect): Promise<Iterable<Sql>> {
  return partsOfItems(await listItemSizes(query, key), dialect);
}
