import type { ByteLimit, FirstRows } from './database.ts';
import type { Sql } from './sql.ts';

/**
 * The same statement, cut off one row after the limit; that row shows that more follow. PostgreSQL knows the size of a
 * text without reading it, and passes rows through a window in the order in which it gets them.
 */
export function withRunningBytes({ text, values }: Sql, { columns, bytes }: ByteLimit): Sql {
  const size = columns.map((name) => `coalesce(octet_length(${name}), 0)`).join(' + ');
  return {
    text: `SELECT * FROM (SELECT *, sum(bytes_here) OVER (ROWS UNBOUNDED PRECEDING) AS bytes_so_far,
        row_number() OVER (ROWS UNBOUNDED PRECEDING) AS place_here
      FROM (SELECT *, ${size} AS bytes_here FROM (${text}) AS page) AS sized) AS running
      WHERE bytes_so_far - bytes_here <= ? OR place_here <= 2`,
    values: [...values, bytes],
  };
}

type SizedRow = { bytes_here?: number; bytes_so_far?: number; place_here?: number };

export function toFirstRows<T>(found: readonly object[], { bytes }: ByteLimit): FirstRows<T> {
  const rows: T[] = [];
  for (const row of found) {
    const { bytes_here: _, bytes_so_far = 0, place_here = 1, ...named } = row as SizedRow;
    if (place_here > 1 && bytes_so_far > bytes) break;
    rows.push(named as T);
  }
  return { rows, more: rows.length < found.length };
}
