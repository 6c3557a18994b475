import { andAll, type Find, fragment, type Insert, type Query, type Sql, sql, type Update } from '../../db/index.ts';
import { type EntryRow, entryColumns, type VersionRow, versionColumns } from './rows.ts';

const ENTRY = fragment(Object.keys(entryColumns).join(', '));
const VERSION = fragment(
  Object.keys(versionColumns)
    .map((name) => `versions.${name}`)
    .join(', '),
);

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

export type ReadRow = Pick<
  EntryRow,
  | 'document'
  | 'confidence'
  | 'standing'
  | 'version'
  | 'seq'
  | 'standing_no'
  | 'recall_count'
  | 'entry_id'
  | 'agent_id'
  | 'shared'
  | 'memory_type'
  | 'written_at'
>;

/** The most frequent statement of all, so it fetches only what an answer and its note are made of. */
export function getVisibleEntry(
  query: Query,
  at: Address,
  { agent_id, now }: { agent_id: string; now: number },
): Promise<ReadRow | undefined> {
  return query.get<ReadRow>(
    sql`SELECT document, confidence, standing, version, seq, standing_no, recall_count, entry_id, agent_id, shared,
          memory_type, written_at FROM entries
        WHERE account_id = ${at.account_id} AND branch = ${at.branch} AND entity_path = ${at.entity_path} AND key = ${at.key}
          AND deleted = 0 AND (shared = 1 OR agent_id = ${agent_id}) AND (ttl_at IS NULL OR ttl_at > ${now})`,
  );
}

/** The versions of one entry. */
const versionsOf = (at: Address): Sql =>
  sql`FROM entries JOIN versions ON versions.account_id = ${at.account_id} AND versions.entry_id = entries.entry_id
      WHERE entries.account_id = ${at.account_id} AND entries.branch = ${at.branch}
        AND entries.entity_path = ${at.entity_path} AND entries.key = ${at.key}`;

export function getVersion(query: Query, at: Address, version: number): Promise<VersionRow | undefined> {
  return query.get<VersionRow>(sql`SELECT ${VERSION} ${versionsOf(at)} AND versions.version = ${version}`);
}

export function getVersionAt(query: Query, at: Address, time: number): Promise<VersionRow | undefined> {
  return query.get<VersionRow>(
    sql`SELECT ${VERSION} ${versionsOf(at)} AND versions.written_at <= ${time} ORDER BY versions.version DESC LIMIT 1`,
  );
}

export type HistoryPage = { agent_id: string; before: number; since: number; until: number; limit: number };

export function listVersions(query: Query, at: Address, page: HistoryPage): Promise<VersionRow[]> {
  return query.all<VersionRow>(
    sql`SELECT ${VERSION} ${versionsOf(at)} AND versions.version < ${page.before}
          AND versions.written_at >= ${page.since} AND versions.written_at < ${page.until}
          AND (versions.shared = 1 OR versions.agent_id = ${page.agent_id})
        ORDER BY versions.version DESC LIMIT ${page.limit}`,
  );
}

export type EntryFilter = { account_id: string; branch: string; where: readonly Sql[] };
export type ListOrder = 'path' | 'recent';

/** Looks at no more than `scan` entries within a range; the caller learns where it stopped looking. */
export type EntryScan = {
  range: readonly Sql[];
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
  const base = sql`SELECT ${ENTRY} FROM entries WHERE account_id = ${account_id} AND branch = ${branch}${andAll([...where, ...page.range])}`;
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
    sql`SELECT entity_path, key, seq FROM entries WHERE account_id = ${account_id} AND branch = ${branch}${andAll([...where, ...page.range])}
        ORDER BY ${order} LIMIT 1 OFFSET ${page.scan - 1}`,
  );
}

/** An entry with the newest line of the ledger about it, which no version of it changes. */
export type HeldRow = EntryRow & { line_seq: number | null; line_no: number | null };

const HELD = [...Object.keys(entryColumns), 'line_seq', 'line_no'];

export const findEntries: Find = {
  table: 'entries',
  select: HELD.join(', '),
  by: { account_id: 'text', branch: 'text', entity_path: 'text', key: 'text' },
};

const REST = { document: '', integrity_chain: '', is_artifact: 0, recall_count: 0 };
type Rest = Address & typeof REST;

/** Without what they say, which is most of them, and what the caller knows. */
export const findBareEntries: Find = {
  ...findEntries,
  select: HELD.filter((name) => !(name in REST) && !(name in findEntries.by)).join(', '),
};

/** Makes a bare entry as long as the others. */
export const fillBare = (bare: Omit<HeldRow, keyof Rest>, at: Address): HeldRow => Object.assign(bare, at, REST);

/** What an entry lacks that was found bare. */
export const restOf = ({ document, integrity_chain, is_artifact, recall_count }: EntryRow): typeof REST => ({
  document,
  integrity_chain,
  is_artifact,
  recall_count,
});

export const insertVersions: Insert = { table: 'versions', columns: versionColumns };

/** Writes the current row of each entry. Its number stays: set again, SQLite would write the index on it anew. */
function upsert(columns: Insert['columns']): Insert {
  const names = Object.keys(columns).filter((name) => !(name in findEntries.by) && name !== 'entry_id');
  const updates = names.map((name) => `${name} = excluded.${name}`);
  return {
    table: 'entries',
    columns,
    suffix: `ON CONFLICT (account_id, branch, entity_path, key) DO UPDATE SET ${updates.join(', ')}`,
  };
}

export const upsertEntries = upsert(entryColumns);
/** With columns that a projection keeps in the row of the entry. */
export const upsertEntriesWith = (columns: Insert['columns']): Insert => upsert({ ...entryColumns, ...columns });

/** How entries stand and why, by their places. */
export const updateStandings: Update = {
  table: 'entries',
  set: { confidence: 'real', standing: 'text', standing_no: 'int', line_seq: 'int', line_no: 'int' },
  by: { account_id: 'text', branch: 'text', entity_path: 'text', key: 'text' },
};

/** The newest line of the ledger about each entry of a condition, as `(line_seq, line_no)`. */
export const newestLines = (accountId: string, where: Sql): Sql =>
  sql`SELECT line_seq, line_no FROM entries WHERE account_id = ${accountId} AND line_seq IS NOT NULL AND ${where}`;

/** A version with the names of its entry. An entry that has lost its versions gives one row without a version. */
export type NamedVersion = { entity_path: string; key: string } & (VersionRow | { version: null });

export type VersionPosition = readonly [entityPath: string, key: string, version: number];

export function listVersionsInOrder(
  query: Query,
  { account_id, branch, where }: EntryFilter,
  page: { after: VersionPosition | undefined; limit: number },
): Promise<NamedVersion[]> {
  const [path, key, version] = page.after ?? ['', '', 0];
  return query.all<NamedVersion>(
    sql`SELECT entity_path, key, ${VERSION} FROM entries
        LEFT JOIN versions ON versions.account_id = ${account_id} AND versions.entry_id = entries.entry_id
        WHERE entries.account_id = ${account_id} AND branch = ${branch}${andAll(where)} AND (entity_path, key) >= (${path}, ${key})
          AND (entity_path <> ${path} OR key <> ${key} OR versions.version > ${version})
        ORDER BY entity_path, key, versions.version LIMIT ${page.limit}`,
  );
}

/** Newest versions of which the entry is gone. */
export function listOrphans(query: Query, accountId: string, limit: number): Promise<VersionRow[]> {
  return query.all<VersionRow>(
    sql`SELECT ${VERSION} FROM versions
        LEFT JOIN entries ON entries.account_id = ${accountId} AND entries.entry_id = versions.entry_id
        WHERE versions.account_id = ${accountId} AND entries.entry_id IS NULL
          AND NOT EXISTS (SELECT 1 FROM versions AS later WHERE later.account_id = ${accountId}
            AND later.entry_id = versions.entry_id AND later.version > versions.version)
        LIMIT ${limit}`,
  );
}

/** Entries whose time has come, of any account. */
export function listExpired(query: Query, now: number, limit: number): Promise<Address[]> {
  return query.all<Address>(
    sql`SELECT account_id, branch, entity_path, key FROM entries WHERE ttl_at IS NOT NULL AND ttl_at <= ${now} AND deleted = 0
        ORDER BY ttl_at LIMIT ${limit}`,
  );
}
