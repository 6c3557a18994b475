import { Fault } from '@mem-service/contract';

export type Position = readonly (string | number)[];

/** Where a page ended, as text that callers hand back unread. */
export function toCursor(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/** `shape` gives the type of each part, so that a cursor of another list is refused. */
export function fromCursor(cursor: string, shape: readonly ('string' | 'number')[]): Position {
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (Array.isArray(position) && position.length === shape.length)
      if (shape.every((type, i) => typeof position[i] === type)) return position;
  } catch {}
  throw new Fault('invalid_cursor', 'cursor: hand back `next_cursor` of the page before, unchanged');
}

export type Page<T> = { items: T[]; next_cursor: string | null; has_more: boolean };

/** Cuts a page out of rows that were fetched with one more than the limit. */
export function cutPage<T>(rows: T[], limit: number, position: (row: T) => Position): Page<T> {
  const has_more = rows.length > limit;
  const items = has_more ? rows.slice(0, limit) : rows;
  const last = items.at(-1);
  return { items, has_more, next_cursor: has_more && last ? toCursor(position(last)) : null };
}
