import { andAll, emptySql, type Query, type Sql, sql } from '../../db/index.ts';
import type { EntryView } from '../../kernel/index.ts';
import { includedIn, pathsOf } from './relation.ts';

type ChangedSpan = {
  branch: string;
  after: number;
  until: number | null;
  limit: number;
  /** The branches that it inherits from. */
  from: readonly string[];
};

/**
 * How many entries of a branch itself were written after a `seq`, tombstones among them. Of the first `limit` of them,
 * `looked_at`, those that the view shows are counted. A version that was only taken over, to be judged here, is none.
 */
export async function countChanged(
  query: Query,
  view: EntryView,
  { branch, after, until, limit, from }: ChangedSpan,
): Promise<{ count: number; looked_at: number }> {
  const end = until === null ? emptySql : sql` AND seq <= ${until}`;
  const shown = sql`${includedIn(view, 'visible')}${andAll(pathsOf(view, undefined))}`;
  const found = await query.get<{ count: number; looked_at: number }>(
    sql`SELECT count(*) AS looked_at, coalesce(sum(CASE WHEN ${shown} THEN 1 ELSE 0 END), 0) AS count
        FROM (SELECT entity_path, shared, agent_id, deleted FROM entries AS head
          WHERE account_id = ${view.account_id} AND branch = ${branch} AND seq > ${after}${end}${andAll(isNoCopy(view, from))}
          ORDER BY seq LIMIT ${limit}) AS entries`,
  );
  return found ?? { count: 0, looked_at: 0 };
}

/** A copy has the number, author, time and content of what it was taken over from, and is the first version here. */
const isNoCopy = (view: EntryView, from: readonly string[]): Sql[] => from.map((branch) => isNoCopyOf(view, branch));

function isNoCopyOf({ account_id, dialect }: EntryView, branch: string): Sql {
  const on = 'versions.account_id = ? AND versions.entry_id = origin.entry_id AND versions.version = head.version';
  const joined: Sql = { text: dialect.leftJoin('versions', on), values: [account_id] };
  // One lookup for each head, whatever PostgreSQL expects of the tables.
  const entries =
    dialect.engine === 'sqlite'
      ? sql`entries`
      : sql`(SELECT * FROM entries AS x WHERE x.account_id = (SELECT CAST(${account_id} AS text))
          AND (x.branch, x.entity_path, x.key) >= (${branch}, head.entity_path, head.key)
        ORDER BY x.account_id, x.branch, x.entity_path, x.key LIMIT 1)`;
  return sql`NOT (head.seq = head.entry_id AND EXISTS (SELECT 1 FROM ${entries} AS origin${joined}
    WHERE origin.account_id = ${account_id} AND origin.branch = ${branch} AND origin.entity_path = head.entity_path
      AND origin.key = head.key AND versions.seq < head.seq AND versions.content_hash = head.content_hash
      AND versions.written_at = head.written_at AND versions.agent_id = head.agent_id))`;
}
