import { andAll, emptySql, type Query, sql } from '../../db/index.ts';
import type { EntryView } from '../../kernel/index.ts';
import { includedIn, pathsOf } from './relation.ts';

type ChangedSpan = { branch: string; after: number; until: number | null; limit: number };

/**
 * How many entries of a branch itself were written after a `seq`, tombstones among them. Of the first `limit` of them,
 * `looked_at`, those that the view shows are counted.
 */
export async function countChanged(
  query: Query,
  view: EntryView,
  { branch, after, until, limit }: ChangedSpan,
): Promise<{ count: number; looked_at: number }> {
  const end = until === null ? emptySql : sql` AND seq <= ${until}`;
  const shown = sql`${includedIn(view, 'visible')}${andAll(pathsOf(view, undefined))}`;
  const found = await query.get<{ count: number; looked_at: number }>(
    sql`SELECT count(*) AS looked_at, coalesce(sum(CASE WHEN ${shown} THEN 1 ELSE 0 END), 0) AS count
        FROM (SELECT entity_path, shared, agent_id FROM entries
          WHERE account_id = ${view.account_id} AND branch = ${branch} AND seq > ${after}${end}
          ORDER BY seq LIMIT ${limit}) AS entries`,
  );
  return found ?? { count: 0, looked_at: 0 };
}
