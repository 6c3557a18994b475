import type { Dialect } from './database.ts';
import type { SqlValue } from './sql.ts';

export const dialect: Dialect = {
  engine: 'postgres',
  forUpdate: 'FOR UPDATE',
  skipLocked: ' FOR UPDATE SKIP LOCKED',
  forShare: ' FOR SHARE',
  fence: ' OFFSET 0',
  leftJoin: (table, on) => ` LEFT JOIN LATERAL (SELECT * FROM ${table} WHERE ${on} OFFSET 0) AS ${table} ON true`,
  lane: (accountId) => accountId,
  texts: (values) => ({ text: 'unnest(CAST(? AS text[])) AS texts(value)', values: [arrayLiteral(values)] }),
  // As an array of numbers: under row-level security, no index is used for values that must be converted from text.
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
 * PostgreSQL refuses to parse JSON that contains an escaped NUL or half a surrogate pair. In such texts only, escapes
 * are removed first: this changes strings, but not which members exist.
 */
const readableJson = (column: string): string =>
  `CAST(CASE WHEN ${column} ~ '\\\\u(0000|[dD][89a-fA-F])'
    THEN replace(replace(${column}, '\\\\', ''), '\\u', 'u') ELSE ${column} END AS json)`;

/** A PostgreSQL array as text, so that all code above passes plain strings and numbers. */
function arrayLiteral(values: readonly SqlValue[]): string {
  const item = (value: SqlValue) => {
    if (value === null) return 'NULL';
    return typeof value === 'number' ? String(value) : `"${value.replace(/["\\]/g, '\\$&')}"`;
  };
  return `{${values.map(item).join(',')}}`;
}
