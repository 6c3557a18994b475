import type { SqlValue } from '../../../db/index.ts';
import type { ExportedTable } from '../../../kernel/index.ts';
import type { ExportRecord } from './format.ts';

/** The order of texts in both databases: by bytes. */
function compare(a: SqlValue, b: SqlValue): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
}

/** Each record must come after the one before it, so that none occurs twice. */
export function orderProblem(
  tables: readonly ExportedTable[],
  before: ExportRecord | undefined,
  next: ExportRecord,
): string | undefined {
  if (!before) return undefined;
  if (before.table !== next.table) {
    if (tables.indexOf(before.table) > tables.indexOf(next.table))
      return `is a record of the kind ${next.table.kind}, which comes before ${before.table.kind}`;
    return undefined;
  }
  const differing = next.table.key.find((name) => compare(before.row[name] ?? null, next.row[name] ?? null) !== 0);
  if (differing === undefined || compare(before.row[differing] ?? null, next.row[differing] ?? null) > 0)
    return 'is not after the line before it: records are ordered by their key, and none is there twice';
  return undefined;
}
