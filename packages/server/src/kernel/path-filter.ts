import { type Glob, globRange } from '@mem-service/contract';
import { fragment, type Sql, sql } from '../db/index.ts';

/**
 * Conditions for the paths that a glob covers, as ranges that an index on the column can serve. `column` must be a
 * constant in the code.
 */
export function globConditions(glob: Glob | undefined, column = 'entity_path'): Sql[] {
  if (!glob || glob.kind === 'all') return [];
  const path = fragment(column);
  if (glob.kind === 'exact') return [sql`${path} = ${glob.path}`];
  const range = globRange(glob);
  const inside = range ? [sql`${path} >= ${range.from}`, sql`${path} < ${range.to}`] : [];
  if (glob.kind === 'below') return inside;
  // A direct child has no slash after the base. Both engines count characters, not UTF-16 units.
  const rest = sql`substr(${path}, ${[...glob.base].length + 2})`;
  return [...inside, sql`replace(${rest}, '/', '') = ${rest}`];
}
