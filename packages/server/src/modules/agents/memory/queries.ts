import type { Input } from '@mem-service/contract';
import { emptySql, type Query, type Sql, sql } from '../../../db/index.ts';
import { branchOf, type EntryView } from '../../../kernel/index.ts';
import { type EntryRow, entriesIn, isEntryIn } from '../../entries/index.ts';
import { readEntries } from '../../graph/index.ts';

/** The entries of a view that an agent wrote, newest first. */
const written = (view: EntryView, agentId: string, standings: boolean): Sql =>
  sql`FROM ${entriesIn(view, { standings })} WHERE agent_id = ${agentId} ORDER BY seq DESC`;

export type WrittenRow = Pick<
  EntryRow,
  'entity_path' | 'key' | 'version' | 'confidence' | 'written_at' | 'recall_count'
> & { memory_type: NonNullable<Input<'entries.write'>['memory_type']> };

type Newest = { agent_id: string; limit: number };

export function listWritten(query: Query, view: EntryView, { agent_id, limit }: Newest): Promise<WrittenRow[]> {
  return query.all<WrittenRow>(
    sql`SELECT entity_path, key, version, confidence, memory_type, written_at, recall_count ${written(view, agent_id, true)}
        LIMIT ${limit}`,
  );
}

/** How many paths the newest `limit` of them are at. */
export function countPaths(
  query: Query,
  view: EntryView,
  { agent_id, limit }: Newest,
): Promise<{ paths: number; looked_at: number } | undefined> {
  return query.get(
    sql`SELECT count(DISTINCT entity_path) AS paths, count(*) AS looked_at
        FROM (SELECT entity_path ${written(view, agent_id, false)} LIMIT ${limit}) AS newest`,
  );
}

/** Name and author are null where the viewer may not see the entry, and where it was deleted or has expired. */
export type AgentReadRow = {
  entity_path: string | null;
  key: string | null;
  read_count: number;
  author: string | null;
};

/** The entries that an agent has read, newest first. */
export function listReads(
  query: Query,
  view: EntryView,
  { reader, limit }: { reader: string; limit: number },
): Promise<AgentReadRow[]> {
  const { account_id, agent_id: viewer, scope } = view;
  const isWithin = (entryId: Sql) => (scope === undefined ? emptySql : sql` AND ${isEntryIn(view, entryId)}`);
  const read = readEntries({ account_id, branch: branchOf(view), reader, viewer }, isWithin, limit);
  return query.all<AgentReadRow>(
    sql`SELECT entity_path, key, read_count, agent_id AS author FROM (${read}) AS seen
        LEFT JOIN ${entriesIn(view)} ON entries.entry_id = seen.read_entry_id
        ORDER BY seen.read_entry_id DESC`,
  );
}
