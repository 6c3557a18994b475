import { andAll, type Query, type Sql, sql } from '../../db/index.ts';
import { type EntryView, isNewestOfOneBranch, scopeConditions } from '../../kernel/index.ts';
import { entriesIn, entryKeysIn, shownIn } from '../entries/index.ts';

/** Filters by scope after the scan is cut: no index on paths serves the order of time. */
const newest = (view: EntryView): Sql => {
  const relation = isNewestOfOneBranch(view) ? entriesIn : entryKeysIn;
  return relation({ ...view, scope: undefined }, { including: 'visible' });
};

export type WrittenPath = { agent_id: string; entity_path: string; n: number; last_at: number };

/** How many of the newest entries of a view each agent wrote at each path, the most first. */
export function countWrittenPaths(
  query: Query,
  view: EntryView,
  { scan, limit }: { scan: number; limit: number },
): Promise<WrittenPath[]> {
  return query.all<WrittenPath>(
    sql`SELECT agent_id, entity_path, count(*) AS n, max(written_at) AS last_at FROM (
          SELECT agent_id, entity_path, written_at, deleted, ttl_at, shared FROM ${newest(view)}
          ORDER BY seq DESC LIMIT ${scan}) AS looked_at
        WHERE ${shownIn(view)}${andAll(scopeConditions(view.scope))} GROUP BY agent_id, entity_path
        ORDER BY n DESC, agent_id, entity_path LIMIT ${limit}`,
  );
}

/** Whether a view has more entries than so many. */
export async function hasMoreEntries(query: Query, view: EntryView, scan: number): Promise<boolean> {
  const row = await query.get(sql`SELECT seq FROM ${newest(view)} ORDER BY seq DESC LIMIT 1 OFFSET ${scan}`);
  return row !== undefined;
}
