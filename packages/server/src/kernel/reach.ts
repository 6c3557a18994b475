import { type Glob, matchesGlob } from '@mem-service/contract';
import { joinSql, type Sql, sql } from '../db/index.ts';
import { pathWithin } from './path-filter.ts';

/** Where a key may do something: of each list, at least one glob has to cover the path. */
export type Reach = readonly (readonly Glob[])[];

export const reaches = (reach: Reach | undefined, path: string): boolean =>
  reach === undefined || reach.every((globs) => globs.some((glob) => matchesGlob(glob, path)));

/** The same as conditions of a statement. */
export function withinReach(reach: Reach | undefined, column: 'entity_path' | 'name' = 'entity_path'): Sql[] {
  return (reach ?? []).map((globs) => {
    const each = globs.map((glob) => {
      const conditions = pathWithin(glob, column);
      return conditions.length === 0 ? sql`1 = 1` : sql`(${joinSql(conditions, ' AND ')})`;
    });
    return each.length === 0 ? sql`1 = 0` : sql`(${joinSql(each, ' OR ')})`;
  });
}
