import type { Dialect } from './database.ts';
import type { SqlValue } from './sql.ts';

export const dialect: Dialect = {
  engine: 'postgres',
  forUpdate: 'FOR UPDATE',
  skipLocked: ' FOR UPDATE SKIP LOCKED',
  lane: (accountId) => accountId,
  texts: (values) => ({ text: 'unnest(CAST(? AS text[])) AS texts(value)', values: [arrayLiteral(values)] }),
  // Numbers from the start: under row-level security no index is asked for what has to be made from a text first.
  numbers: (values) => ({ text: 'unnest(CAST(? AS bigint[])) AS numbers(value)', values: [arrayLiteral(values)] }),
  pairs: (values) => ({
    text: 'unnest(CAST(? AS text[]), CAST(? AS text[])) AS pairs(a, b)',
    values: [arrayLiteral(values.map(([a]) => a)), arrayLiteral(values.map(([, b]) => b))],
  }),
  jsonMember(column, path, as) {
    const member = `${readableJson(column)} #>> '{${path.join(',')}}'`;
    return as === 'text' ? `(${member}) COLLATE "C"` : `CASE WHEN ${member} = 'true' THEN 1 ELSE 0 END`;
  },
};

/**
 * PostgreSQL refuses to look into JSON that has an escaped NUL or half a surrogate pair anywhere. In such a text, and only
 * there, escapes are taken out first: what stands between quotes changes, and which members there are does not.
 */
const readableJson = (column: string): string =>
  `CAST(CASE WHEN ${column} ~ '\\\\u(0000|[dD][89a-fA-F])'
    THEN replace(replace(${column}, '\\\\', ''), '\\u', 'u') ELSE ${column} END AS json)`;

/** A PostgreSQL array as text, so that values stay plain strings and numbers everywhere above. */
function arrayLiteral(values: readonly SqlValue[]): string {
  const item = (value: SqlValue) => {
    if (value === null) return 'NULL';
    return typeof value === 'number' ? String(value) : `"${value.replace(/["\\]/g, '\\$&')}"`;
  };
  return `{${values.map(item).join(',')}}`;
}
