import type { Input } from '@mem-service/contract';
import { andAll, fragment, nothing, type Query, type Sql, sql } from '../../../db/index.ts';
import { type Address, type EntryRow, liveAt, visibleTo } from '../../entries/index.ts';
import { readEntries } from '../../graph/index.ts';

export type WrittenScope = {
  account_id: string;
  branch: string;
  agent_id: string;
  viewer: string;
  now: number;
  within: readonly Sql[];
};

/** Current entries that the agent wrote, newest first. */
const written = ({ account_id, branch, agent_id, viewer, now, within }: WrittenScope): Sql =>
  sql`FROM entries WHERE account_id = ${account_id} AND branch = ${branch} AND agent_id = ${agent_id}
        AND ${visibleTo(viewer)} AND ${liveAt(now)}${andAll(within)} ORDER BY seq DESC`;

export type WrittenRow = Pick<
  EntryRow,
  'entity_path' | 'key' | 'version' | 'confidence' | 'written_at' | 'recall_count'
> & { memory_type: NonNullable<Input<'entries.write'>['memory_type']> };

export function listWritten(query: Query, scope: WrittenScope, limit: number): Promise<WrittenRow[]> {
  return query.all<WrittenRow>(
    sql`SELECT entity_path, key, version, confidence, memory_type, written_at, recall_count ${written(scope)} LIMIT ${limit}`,
  );
}

/** How many paths the newest `limit` of them are at. */
export function countPaths(
  query: Query,
  scope: WrittenScope,
  limit: number,
): Promise<{ paths: number; looked_at: number } | undefined> {
  return query.get(
    sql`SELECT count(DISTINCT entity_path) AS paths, count(*) AS looked_at
        FROM (SELECT entity_path ${written(scope)} LIMIT ${limit}) AS newest`,
  );
}

export type ReadScope = { account_id: string; branch: string; reader: string; viewer: string; within: readonly Sql[] };
/** Without a name where the viewer may not see the entry; without an author where it was deleted. */
export type ReadRow = { entity_path: string | null; key: string | null; read_count: number; author: string | null };

/** What an agent has read, the newest entries first. */
export function listReads(query: Query, scope: ReadScope, limit: number): Promise<ReadRow[]> {
  const { account_id, branch, reader, viewer, within } = scope;
  const isWithin = (entryId: Sql) =>
    within.length === 0
      ? nothing
      : sql` AND EXISTS (SELECT 1 FROM entries WHERE entries.account_id = ${account_id}
          AND entries.entry_id = ${entryId}${andAll(within)})`;
  const read = readEntries({ account_id, branch, reader, viewer }, isWithin, limit);
  return query.all<ReadRow>(
    sql`SELECT entity_path, key, read_count, CASE WHEN deleted = 0 THEN agent_id END AS author FROM (${read}) AS seen
        LEFT JOIN entries ON entries.account_id = ${account_id} AND entries.entry_id = seen.read_entry_id
          AND ${visibleTo(viewer)}
        ORDER BY seen.read_entry_id DESC`,
  );
}

export type AuthoredRow = Pick<
  EntryRow,
  | 'entry_id'
  | 'version'
  | 'seq'
  | 'deleted'
  | 'shared'
  | 'agent_id'
  | 'written_at'
  | 'ttl_at'
  | 'confidence'
  | 'document'
  | 'standing'
  | 'recall_count'
  | 'memory_type'
> & { current_version: number; current_confidence: number };

const AUTHORED = fragment(
  ['entry_id', 'version', 'seq', 'deleted', 'shared', 'agent_id', 'written_at', 'ttl_at', 'confidence', 'document']
    .map((column) => `versions.${column}`)
    .join(', '),
);

/**
 * The newest version that the author wrote, or the tombstone that came after it. An entry that has expired is as good
 * as deleted, unless the viewer may not know of that.
 */
export function getAuthored(
  query: Query,
  at: Address,
  { author, viewer, now }: { author: string; viewer: string; now: number },
): Promise<AuthoredRow | undefined> {
  return query.get<AuthoredRow>(
    sql`SELECT ${AUTHORED}, entries.version AS current_version, entries.confidence AS current_confidence,
          entries.standing, entries.recall_count, entries.memory_type
        FROM entries JOIN versions ON versions.account_id = ${at.account_id} AND versions.entry_id = entries.entry_id
        WHERE entries.account_id = ${at.account_id} AND entries.branch = ${at.branch}
          AND entries.entity_path = ${at.entity_path} AND entries.key = ${at.key}
          AND (entries.ttl_at IS NULL OR entries.ttl_at > ${now} OR (entries.shared = 0 AND entries.agent_id <> ${viewer}))
          AND (versions.agent_id = ${author} OR versions.deleted = 1)
          AND (versions.shared = 1 OR versions.agent_id = ${viewer})
        ORDER BY versions.version DESC LIMIT 1`,
  );
}
