import type { Input } from '@mem-service/contract';
import { emptySql, type Query, type Sql, sql } from '../../../db/index.ts';
import { branchOf, type EntryView, timesOfForks } from '../../../kernel/index.ts';
import { type EntryRow, entriesIn, findShown, isEntryIn } from '../../entries/index.ts';
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
  const read = readEntries(
    { account_id, of: { branch: branchOf(view), until: null }, reader, viewer },
    isWithin,
    limit,
  );
  return query.all<AgentReadRow>(
    sql`SELECT entity_path, key, read_count, agent_id AS author FROM (${read}) AS seen
        LEFT JOIN ${entriesIn(view)} ON entries.entry_id = seen.read_entry_id
        ORDER BY seen.read_entry_id DESC`,
  );
}

/** The entries that an agent has read on a branch and, until the fork, on those it was made from, newest first. */
export async function listInheritedReads(
  query: Query,
  view: EntryView,
  { reader, limit }: { reader: string; limit: number },
): Promise<AgentReadRow[]> {
  const { account_id, agent_id: viewer } = view;
  const times = await timesOfForks(query, view);
  const counts = new Map<number, number>();
  for (const [i, { branch }] of view.lineage.entries()) {
    const of = { branch, until: times[i] ?? null };
    const rows = await query.all<{ read_entry_id: number; read_count: number }>(
      readEntries({ account_id, of, reader, viewer }, () => emptySql, limit),
    );
    for (const { read_entry_id: id, read_count } of rows) counts.set(id, (counts.get(id) ?? 0) + read_count);
  }
  const shown = await findShown(query, view, { ids: counts.keys() });
  const reads = new Map<number, AgentReadRow>();
  for (const [id, read_count] of counts) {
    const entry = shown.get(id);
    const known = reads.get(entry?.entry_id ?? id)?.read_count ?? 0;
    const { entity_path = null, key = null, agent_id: author = null } = entry ?? {};
    reads.set(entry?.entry_id ?? id, { entity_path, key, author, read_count: known + read_count });
  }
  return [...reads]
    .sort(([a], [b]) => b - a)
    .map(([, row]) => row)
    .slice(0, limit);
}
