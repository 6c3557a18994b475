import type { EntryKey, Glob } from '@mem-service/contract';
import {
  andAll,
  type CachedFind,
  emptySql,
  type Find,
  fragment,
  type Insert,
  type Query,
  type Sql,
  sql,
  type Update,
} from '../../db/index.ts';
import { type EntryView, isNewestOfOneBranch } from '../../kernel/index.ts';
import { entriesIn, entryKeysIn, liveIn, withDocuments } from './relation.ts';
import { type EntryRow, entryColumns } from './rows.ts';

const ENTRY = fragment(Object.keys(entryColumns).join(', '));
const ENTRY_KEYS = fragment(
  Object.keys(entryColumns)
    .filter((name) => name !== 'document')
    .join(', '),
);

/** Statements on heads for a thread that has its own connection to a file of SQLite. */
export const headStatements = {
  branches: `WITH RECURSIVE found (account_id, branch) AS (
      SELECT ?1, (SELECT min(branch) FROM entries WHERE account_id = ?1)
      UNION ALL
      SELECT ?1, (SELECT min(branch) FROM entries WHERE account_id = ?1 AND branch > found.branch) FROM found
      WHERE found.branch IS NOT NULL)
    SELECT branch FROM found WHERE branch IS NOT NULL`,
  seqs: 'SELECT seq FROM entries WHERE account_id = ? AND branch = ? AND seq > ? ORDER BY seq LIMIT ? + 0',
  head: 'SELECT entry_id, deleted, document FROM entries WHERE account_id = ? AND branch = ? AND seq = ?',
  entries: 'SELECT entry_id FROM entries WHERE account_id = ? AND entry_id >= ? AND entry_id <= ?',
};

export type { EntryKey };
export type EntryRowKey = EntryKey & { account_id: string; branch: string };

export const isNamed = ({ entity_path, key }: EntryKey): Sql =>
  sql`entries.entity_path = ${entity_path} AND entries.key = ${key}`;

/** Returns the entry with this name in the view's lineage, in any state and without a visibility check. */
export function getEntry(query: Query, view: EntryView, at: EntryKey): Promise<EntryRow | undefined> {
  return query.get<EntryRow>(sql`SELECT ${ENTRY} FROM ${entriesIn(view, { including: 'all' })} WHERE ${isNamed(at)}`);
}

/** Returns the whole row of an entry that is neither deleted nor expired. */
export function getLiveEntry(query: Query, view: EntryView, at: EntryKey): Promise<EntryRow | undefined> {
  return query.get<EntryRow>(sql`SELECT ${ENTRY} FROM ${entriesIn(view)} WHERE ${isNamed(at)}`);
}

/** The name of the next entry, in whatever state. Read from the index alone where the engine can. */
export function getNextName(
  query: Query,
  view: EntryView,
  { where, after }: { where: readonly Sql[]; after: readonly [string, string, number] | undefined },
): Promise<EntryKey | undefined> {
  const [path, key] = after ?? ['', ''];
  return query.get<EntryKey>(
    sql`SELECT entity_path, key FROM ${entriesIn(view, { including: 'all' })}
        WHERE (entity_path, key) > (${path}, ${key})${andAll(where)} ORDER BY entity_path, key LIMIT 1`,
  );
}

/** Returns the entries from one name to another, in any state. */
export function listEntriesBetween(
  query: Query,
  view: EntryView,
  { where, from, to }: { where: readonly Sql[]; from: EntryKey; to: EntryKey },
): Promise<EntryRow[]> {
  return query.all<EntryRow>(
    sql`SELECT ${ENTRY} FROM ${entriesIn(view, { including: 'all' })}
        WHERE (entity_path, key) >= (${from.entity_path}, ${from.key})
          AND (entity_path, key) <= (${to.entity_path}, ${to.key})${andAll(where)}`,
  );
}

export type ReadEntryRow = Pick<
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
  | 'deleted'
  | 'ttl_at'
>;

const READ = `document, confidence, standing, version, seq, standing_no, recall_count, entry_id, agent_id, shared,
    memory_type, written_at, deleted, ttl_at`;

/** The most frequent statement of all: only the columns of the answer, of its note, and of who may see it when. */
export const readEntry: CachedFind = {
  table: 'entries',
  select: READ,
  by: { account_id: 'text', branch: 'text', entity_path: 'text', key: 'text' },
  number: 'entry_id',
};

/** The same for a view of several branches, or of an earlier state. */
export function getReadEntry(query: Query, view: EntryView, at: EntryKey): Promise<ReadEntryRow | undefined> {
  return query.get<ReadEntryRow>(sql`SELECT ${fragment(READ)} FROM ${entriesIn(view)} WHERE ${isNamed(at)}`);
}

export type ListOrder = 'path' | 'recent';

/** Scans at most `scan` entries within a range. */
export type EntryScan = {
  where: readonly Sql[];
  range: readonly Sql[];
  filters: readonly Sql[];
  order: ListOrder;
  scan: number;
  limit: number;
};

const orderOf = ({ order }: EntryScan): Sql => fragment(order === 'path' ? 'entity_path, key' : 'seq DESC');

/**
 * Filters by visibility before the scan is cut, so that no cursor holds the name of a hidden entry. The page applies the
 * scope: as ranges of the index when ordered by path, as a filter when ordered by time, because no index on paths serves
 * that order.
 */
function lookedAt(view: EntryView, { where, range }: EntryScan): Sql {
  const relation = isNewestOfOneBranch(view) ? entriesIn : entryKeysIn;
  return sql`FROM ${relation({ ...view, scope: undefined }, { including: 'visible' })} WHERE true${andAll([...where, ...range])}`;
}

/** Returns entries that are neither deleted nor expired. */
export function listEntries(query: Query, view: EntryView, page: EntryScan): Promise<EntryRow[]> {
  const order = orderOf(page);
  const isNewest = isNewestOfOneBranch(view);
  const found = sql`SELECT * FROM (SELECT ${isNewest ? ENTRY : ENTRY_KEYS} ${lookedAt(view, page)} ORDER BY ${order} LIMIT ${page.scan}) AS looked_at
        WHERE ${liveIn(view)}${andAll(page.filters)} ORDER BY ${order} LIMIT ${page.limit}`;
  return query.all<EntryRow>(
    isNewest ? found : sql`SELECT ${ENTRY} FROM ${withDocuments(view, found)} ORDER BY ${order}`,
  );
}

/** Returns the last entry of a scan of this length, when more entries follow it. */
export function endOfScan(query: Query, view: EntryView, page: EntryScan): Promise<EntryRow | undefined> {
  return query.get<EntryRow>(
    sql`SELECT entity_path, key, seq ${lookedAt(view, page)} ORDER BY ${orderOf(page)} LIMIT 1 OFFSET ${page.scan - 1}`,
  );
}

/** Returns entries that are neither deleted nor expired, in order of path and key, after one of them. */
export function listLiveEntries(
  query: Query,
  view: EntryView,
  page: { paths: readonly Glob[] | undefined; after: EntryKey | undefined; limit: number },
): Promise<EntryRow[]> {
  const { paths, after, limit } = page;
  const rest = after ? sql` WHERE (entity_path, key) > (${after.entity_path}, ${after.key})` : emptySql;
  const order = sql`${rest} ORDER BY entity_path, key LIMIT ${limit}`;
  if (isNewestOfOneBranch(view))
    return query.all<EntryRow>(sql`SELECT ${ENTRY} FROM ${entriesIn(view, { paths })}${order}`);
  const found = sql`SELECT ${ENTRY_KEYS} FROM ${entryKeysIn(view, { paths })}${order}`;
  return query.all<EntryRow>(sql`SELECT ${ENTRY} FROM ${withDocuments(view, found)} ORDER BY entity_path, key`);
}

/** An entry with the newest ledger line about it. Writing a version does not change that line. */
export type EntryWithLineRow = EntryRow & { line_seq: number | null; line_no: number | null };

const ENTRY_WITH_LINE = [...Object.keys(entryColumns), 'line_seq', 'line_no'];

export const findEntries: Find = {
  table: 'entries',
  select: ENTRY_WITH_LINE.join(', '),
  by: { account_id: 'text', branch: 'text', entity_path: 'text', key: 'text' },
};

/** The entries of a view with these keys, also deleted and invisible ones. */
export function findEntriesIn(query: Query, view: EntryView, names: readonly EntryKey[]): Promise<EntryRow[]> {
  const pairs = view.dialect.pairs(names.map(({ entity_path, key }) => [entity_path, key]));
  return query.all<EntryRow>(
    sql`SELECT ${ENTRY} FROM ${pairs} CROSS JOIN ${entriesIn(view, { including: 'all' })}
        WHERE entity_path = pairs.a AND key = pairs.b`,
  );
}

/**
 * Writes the head of each entry. The update leaves `entry_id` out: setting it again would make SQLite rewrite its index.
 */
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
/** Also writes the columns that a projection keeps in the entry's row. */
export const upsertEntriesWith = (columns: Insert['columns']): Insert => upsert({ ...entryColumns, ...columns });

/** Updates the standings of entries and the newest ledger lines about them, by primary key. */
export const updateStandings: Update = {
  table: 'entries',
  set: { confidence: 'real', standing: 'text', standing_no: 'int', line_seq: 'int', line_no: 'int' },
  by: { account_id: 'text', branch: 'text', entity_path: 'text', key: 'text' },
};

/** Returns expired entries of any account. */
export function listExpired(query: Query, now: number, limit: number): Promise<EntryRowKey[]> {
  return query.all<EntryRowKey>(
    sql`SELECT account_id, branch, entity_path, key FROM entries WHERE ttl_at IS NOT NULL AND ttl_at <= ${now} AND deleted = 0
        ORDER BY ttl_at LIMIT ${limit}`,
  );
}
