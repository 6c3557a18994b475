import { andAll, type Find, fragment, type Insert, type Query, type Sql, sql } from '../../db/index.ts';
import { type EntryRow, entryColumns, type VersionRow, versionColumns } from './rows.ts';

const ENTRY = fragment(Object.keys(entryColumns).join(', '));
const VERSION = fragment(Object.keys(versionColumns).join(', '));

export type Address = { account_id: string; branch: string; entity_path: string; key: string };

/** Rows an agent may see. `shared = 0` is for its author alone. */
export const visibleTo = (agentId: string): Sql => sql`(shared = 1 OR agent_id = ${agentId})`;

/** Rows that are there at a time: not deleted, not expired. */
export const liveAt = (now: number): Sql => sql`deleted = 0 AND (ttl_at IS NULL OR ttl_at > ${now})`;

export function getEntry(query: Query, at: Address): Promise<EntryRow | undefined> {
  return query.get<EntryRow>(
    sql`SELECT ${ENTRY} FROM entries WHERE account_id = ${at.account_id} AND branch = ${at.branch}
        AND entity_path = ${at.entity_path} AND key = ${at.key}`,
  );
}

export function getVersion(query: Query, at: Address, version: number): Promise<VersionRow | undefined> {
  return query.get<VersionRow>(
    sql`SELECT ${VERSION} FROM versions WHERE account_id = ${at.account_id} AND branch = ${at.branch}
        AND entity_path = ${at.entity_path} AND key = ${at.key} AND version = ${version}`,
  );
}

export function getVersionAt(query: Query, at: Address, time: number): Promise<VersionRow | undefined> {
  return query.get<VersionRow>(
    sql`SELECT ${VERSION} FROM versions WHERE account_id = ${at.account_id} AND branch = ${at.branch}
        AND entity_path = ${at.entity_path} AND key = ${at.key} AND written_at <= ${time}
        ORDER BY version DESC LIMIT 1`,
  );
}

export type HistoryPage = { agent_id: string; before: number; since: number; until: number; limit: number };

export function listVersions(query: Query, at: Address, page: HistoryPage): Promise<VersionRow[]> {
  return query.all<VersionRow>(
    sql`SELECT ${VERSION} FROM versions WHERE account_id = ${at.account_id} AND branch = ${at.branch}
        AND entity_path = ${at.entity_path} AND key = ${at.key} AND version < ${page.before}
        AND written_at >= ${page.since} AND written_at < ${page.until} AND ${visibleTo(page.agent_id)}
        ORDER BY version DESC LIMIT ${page.limit}`,
  );
}

export type EntryFilter = { account_id: string; branch: string; where: readonly Sql[] };
export type ListOrder = 'path' | 'recent';

/** Looks at no more than `scan` entries from where the last page ended; the caller learns where it stopped looking. */
export type EntryScan = {
  from: readonly Sql[];
  filters: readonly Sql[];
  order: ListOrder;
  scan: number;
  limit: number;
};

export function listEntries(
  query: Query,
  { account_id, branch, where }: EntryFilter,
  page: EntryScan,
): Promise<EntryRow[]> {
  const order = fragment(page.order === 'path' ? 'entity_path, key' : 'seq DESC');
  const base = sql`SELECT ${ENTRY} FROM entries WHERE account_id = ${account_id} AND branch = ${branch}${andAll([...where, ...page.from])}`;
  if (page.filters.length === 0) return query.all<EntryRow>(sql`${base} ORDER BY ${order} LIMIT ${page.limit}`);
  return query.all<EntryRow>(
    sql`SELECT * FROM (${base} ORDER BY ${order} LIMIT ${page.scan}) AS looked_at
        WHERE true${andAll(page.filters)} ORDER BY ${order} LIMIT ${page.limit}`,
  );
}

/** The last entry that a scan of this length reaches, when there is more behind it. */
export function endOfScan(
  query: Query,
  { account_id, branch, where }: EntryFilter,
  page: EntryScan,
): Promise<EntryRow | undefined> {
  const order = fragment(page.order === 'path' ? 'entity_path, key' : 'seq DESC');
  return query.get<EntryRow>(
    sql`SELECT entity_path, key, seq FROM entries WHERE account_id = ${account_id} AND branch = ${branch}${andAll([...where, ...page.from])}
        ORDER BY ${order} LIMIT 1 OFFSET ${page.scan - 1}`,
  );
}

export const findEntries: Find = {
  table: 'entries',
  select: Object.keys(entryColumns).join(', '),
  by: { account_id: 'text', branch: 'text', entity_path: 'text', key: 'text' },
};

export const insertVersions: Insert = { table: 'versions', columns: versionColumns };

const replaced = [...Object.keys(entryColumns)].filter(
  (name) => !['account_id', 'branch', 'entity_path', 'key'].includes(name),
);

/** Writes the current row of each entry, together with the search columns where the engine keeps them there. */
export function upsertEntries(searchColumns: Insert['columns']): Insert {
  const columns = { ...entryColumns, ...searchColumns };
  const updates = [...replaced, ...Object.keys(searchColumns)].map((name) => `${name} = excluded.${name}`);
  return {
    table: 'entries',
    columns,
    suffix: `ON CONFLICT (account_id, branch, entity_path, key) DO UPDATE SET ${updates.join(', ')}`,
  };
}

export function listVersionsInOrder(
  query: Query,
  { account_id, branch, where }: EntryFilter,
  page: { from: readonly Sql[]; limit: number },
): Promise<VersionRow[]> {
  return query.all<VersionRow>(
    sql`SELECT ${VERSION} FROM versions WHERE account_id = ${account_id} AND branch = ${branch}${andAll([...where, ...page.from])}
        ORDER BY entity_path, key, version LIMIT ${page.limit}`,
  );
}

/** Entries whose time has come, of any account. */
export function listExpired(query: Query, now: number, limit: number): Promise<Address[]> {
  return query.all<Address>(
    sql`SELECT account_id, branch, entity_path, key FROM entries WHERE ttl_at IS NOT NULL AND ttl_at <= ${now} AND deleted = 0
        ORDER BY ttl_at LIMIT ${limit}`,
  );
}
