import { jsonBytes } from '@mem-service/contract';
import type { ByteLimit, FirstRows } from '../db/index.ts';
import type { Services } from './module.ts';

/** The bytes of documents in one answer, and so about its size: small enough to be made within a turn of the event loop. */
export const PAGE_BYTES = 4 * 1024 * 1024;

export const pageBytes = ({ limits }: Pick<Services, 'limits'>): number => limits.max_page_bytes ?? PAGE_BYTES;

/** The limit of a page whose rows have these long columns. */
export const pageLimit = (services: Pick<Services, 'limits'>, ...columns: readonly string[]): ByteLimit => ({
  columns,
  bytes: pageBytes(services),
});

/** The first of the items that are within a limit of bytes; always one of them, so that pages make progress. */
export function startWithin<T>(items: readonly T[], bytes: number, bytesOf: (item: T) => number): T[] {
  let sum = 0;
  const end = items.findIndex((item, i) => {
    sum += bytesOf(item);
    return i > 0 && sum > bytes;
  });
  return items.slice(0, end < 0 ? items.length : end);
}

/** About as much as an item takes in an answer beside its names and texts. */
const ITEM_BYTES = 128;

/** Those of some rows that one page has room for, by the names and texts that they show. */
export function withinPage<T>(
  services: Pick<Services, 'limits'>,
  found: readonly T[] | FirstRows<T>,
  textsOf: (row: T) => readonly (string | null)[],
): FirstRows<T> {
  const { rows, more } = 'rows' in found ? found : { rows: found, more: false };
  const bytesOf = (row: T) => textsOf(row).reduce((sum, text) => sum + jsonBytes(text ?? ''), ITEM_BYTES);
  const first = startWithin(rows, pageBytes(services), bytesOf);
  return { rows: first, more: more || first.length < rows.length };
}
