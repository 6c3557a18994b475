import { Fault } from '@mem-service/contract';
import type { FirstRows } from '../db/index.ts';

type CursorTypes = { string: string; number: number };
type CursorShape = readonly (keyof CursorTypes)[];
type CursorPosition<S extends CursorShape> = { [I in keyof S]: CursorTypes[S[I]] };

export type Cursors<S extends CursorShape> = {
  to(position: CursorPosition<S>): string;
  from(cursor: string): CursorPosition<S>;
};

/**
 * Encodes and decodes the cursors of one list: the position where a page ended, as opaque text. Other lists refuse
 * them.
 */
export function cursorsOf<const S extends CursorShape>(list: string, shape: S): Cursors<S> {
  return {
    to: (position) => Buffer.from(JSON.stringify([list, ...position])).toString('base64url'),
    from(cursor) {
      const [name, ...position] = decode(cursor);
      if (name === list && position.length === shape.length && position.every((part, i) => isPart(part, shape[i])))
        return position as unknown as CursorPosition<S>;
      throw new Fault('invalid_cursor', 'cursor: hand back `next_cursor` of the page before, unchanged');
    },
  };
}

function decode(cursor: string): unknown[] {
  try {
    const decoded: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(decoded) ? decoded : [];
  } catch {
    return [];
  }
}

/** Accepts only values that both databases can store: PostgreSQL refuses text with a NUL. */
function isPart(part: unknown, type: keyof CursorTypes | undefined): boolean {
  if (type === 'number') return Number.isSafeInteger(part) && Number(part) >= 0;
  return typeof part === 'string' && !part.includes('\0');
}

export type ResultPage<T> = { items: T[]; next_cursor: string | null; has_more: boolean };

/** Makes a page from rows that were fetched with a limit of one more, as far as they are within a limit of bytes. */
export function cutPage<T>(found: T[] | FirstRows<T>, limit: number, cursorAt: (row: T) => string): ResultPage<T> {
  const { rows, more } = Array.isArray(found) ? { rows: found, more: false } : found;
  const has_more = more || rows.length > limit;
  const items = rows.length > limit ? rows.slice(0, limit) : rows;
  const last = items.at(-1);
  return { items, has_more, next_cursor: has_more && last ? cursorAt(last) : null };
}
