import type { Glob } from '@mem-service/contract';
import { emptySql, fragment, type Sql, sql } from '../../db/index.ts';

/** A path below deeper ones is found by its ancestor of this depth. */
const MAX_LEVELS = 6;

const ancestorText = (level: number): string => {
  const segments = Array.from({ length: level }, (_, i) => `split_part(entity_path, '/', ${i + 1})`);
  return `CASE WHEN split_part(entity_path, '/', ${level + 1}) <> '' THEN account_id || ' / ' || ${segments.join(" || '/' || ")} END`;
};

/**
 * An entry's path and what this is below, as the index of words on PostgreSQL has them beside the words: so it finds the
 * matches at a path without reading those elsewhere. Never changed: the index is made of this text.
 */
export const PATH_MARKS = `array_remove(ARRAY[account_id || ' = ' || entity_path, ${Array.from({ length: MAX_LEVELS }, (_, i) => ancestorText(i + 1)).join(', ')}], NULL)`;

const MARKS = fragment(PATH_MARKS);

/** With more of them, matches are filtered as they are read. */
const MAX_MARKS = 64;

/** The mark that all entries at a glob have. */
function markAt(accountId: string, glob: Glob): string | undefined {
  if (glob.kind === 'all') return undefined;
  if (glob.kind === 'exact') return `${accountId} = ${glob.path}`;
  return `${accountId} / ${glob.base.split('/').slice(0, MAX_LEVELS).join('/')}`;
}

/** A condition that entries at some globs meet, and few others: the index of words knows it. */
export function isMarked(accountId: string, globs: readonly Glob[]): Sql {
  const marks = new Set(globs.map((glob) => markAt(accountId, glob)));
  if (marks.has(undefined) || marks.size === 0 || marks.size > MAX_MARKS) return emptySql;
  return sql` AND ${MARKS} && (SELECT array_agg(value) FROM json_array_elements_text(CAST(${JSON.stringify([...marks])} AS json)))`;
}
