import type { EntryKey, Glob } from '@mem-service/contract';
import {
  andAll,
  type CachedFind,
  emptySql,
  type FirstRows,
  fragment,
  type Insert,
  type Query,
  type Sql,
  sql,
} from '../../db/index.ts';
import { type EntryView, isNewestOfOneBranch } from '../../kernel/index.ts';
import { entriesIn, entryKeysIn, liveIn, withDocuments } from './relation.ts';
import { entriesNamed, entryNamed } from './relation-by-name.ts';
import { stoodEntriesNumbered } from './relation-look-ups.ts';
import { type EntryRow, entryColumns, headColumns } from './rows.ts';
import { findStood, type NewestLine } from './standings.ts';

const ENTRY = fragment(Object.keys(entryColumns).join(', '));
const ENTRY_KEYS = fragment(
  Object.keys(entryColumns)
    .filter((name) => name !== 'document')
    .join(', '),
);

/** An entry without its document. */
export type EntryKeysRow = Omit<EntryRow, 'document'>;

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

/** Returns the entry with this name in the view's lineage, in any state and without a visibility check. */
export function getEntry(query: Query, view: EntryView, at: EntryKey): Promise<EntryRow | undefined> {
  return query.get<EntryRow>(sql`SELECT ${ENTRY} FROM ${entryNamed(view, at, { including: 'all', standings: true })}`);
}

/** Returns the whole row of an entry that is neither deleted nor expired. */
export function getLiveEntry(query: Query, view: EntryView, at: EntryKey): Promise<EntryRow | undefined> {
  return query.get<EntryRow>(sql`SELECT ${ENTRY} FROM ${entryNamed(view, at, { standings: true })}`);
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
    sql`SELECT ${ENTRY} FROM ${entriesIn(view, { including: 'all', standings: true })}
        WHERE (entity_path, key) >= (${from.entity_path}, ${from.key})
          AND (entity_path, key) <= (${to.entity_path}, ${to.key})${andAll(where)}`,
  );
}

/** The columns of the answer, of its note, and of who may see it when. */
const READ = [
  ...(['document', 'confidence', 'standing', 'version', 'seq', 'standing_no', 'recall_count'] as const),
  ...(['entry_id', 'agent_id', 'shared', 'memory_type', 'written_at', 'deleted', 'ttl_at'] as const),
] as const;

/** With the position of the newest ledger line about the entry: a branch shows it as it was judged before its fork. */
const READ_LINE = [...READ, 'line_seq'] as const;

export type ReadEntryRow = Pick<EntryRow, (typeof READ)[number]> & { line_seq: number | null };

const BY_NAME = { account_id: 'text', branch: 'text', entity_path: 'text', key: 'text' } as const;

/** The most frequent statement of all. */
export const readEntry: CachedFind = { ...findStood(READ_LINE, BY_NAME), number: 'entry_id' };

/** The same for a view of several branches, or of an earlier state. */
export function getReadEntry(query: Query, view: EntryView, at: EntryKey): Promise<ReadEntryRow | undefined> {
  const relation = entryNamed(view, at, { standings: true });
  return query.get<ReadEntryRow>(sql`SELECT ${fragment(READ_LINE.join(', '))} FROM ${relation}`);
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
  bytes: number;
  /** Only the entries with these numbers, in the newest state of one branch. */
  among?: readonly number[] | undefined;
};

const orderOf = ({ order }: EntryScan): Sql => fragment(order === 'path' ? 'entity_path, key' : 'seq DESC');

/**
 * Filters by visibility before the scan is cut, so that no cursor holds the name of a hidden entry. The page applies the
 * scope: as ranges of the index when ordered by path, as a filter when ordered by time, because no index on paths serves
 * that order.
 */
function lookedAt(view: EntryView, { where, range, among }: EntryScan, standings = true): Sql {
  const unscoped = { ...view, scope: undefined };
  const relation = isNewestOfOneBranch(view) ? entriesIn : entryKeysIn;
  const entries = among
    ? stoodEntriesNumbered(unscoped, among, 'visible')
    : relation(unscoped, { including: 'visible', standings });
  return sql`FROM ${entries} WHERE true${andAll([...where, ...range])}`;
}

/** Entries that are neither deleted nor expired. */
function live(view: EntryView, page: EntryScan, columns: Sql): Sql {
  const order = orderOf(page);
  return sql`SELECT * FROM (SELECT ${columns}, evidence_rank ${lookedAt(view, page)} ORDER BY ${order} LIMIT ${page.scan}) AS looked_at
        WHERE ${liveIn(view)}${andAll(page.filters)} ORDER BY ${order} LIMIT ${page.limit}`;
}

/** Returns entries that are neither deleted nor expired. */
export function listEntries(query: Query, view: EntryView, page: EntryScan): Promise<FirstRows<EntryRow>> {
  const limit = { columns: ['document'], bytes: page.bytes };
  // Where rows have to be sorted, they are sorted without their documents.
  if (isNewestOfOneBranch(view) && !page.among) return query.first<EntryRow>(live(view, page, ENTRY), limit);
  const found = withDocuments(view, live(view, page, ENTRY_KEYS));
  return query.first<EntryRow>(sql`SELECT ${ENTRY} FROM ${found} ORDER BY ${orderOf(page)}`, limit);
}

/** The same without documents. */
export function listEntryKeys(query: Query, view: EntryView, page: EntryScan): Promise<FirstRows<EntryKeysRow>> {
  const limit = { columns: ['pattern_refs', 'standing'], bytes: page.bytes };
  return query.first<EntryKeysRow>(live(view, page, ENTRY_KEYS), limit);
}

/** Returns the last entry of a scan of this length, when more entries follow it. */
export function endOfScan(query: Query, view: EntryView, page: EntryScan): Promise<EntryRow | undefined> {
  return query.get<EntryRow>(
    sql`SELECT entity_path, key, seq ${lookedAt(view, page, false)} ORDER BY ${orderOf(page)} LIMIT 1 OFFSET ${page.scan - 1}`,
  );
}

/** Returns entries that are neither deleted nor expired, in order of path and key, after one of them. */
export function listLiveEntries(
  query: Query,
  view: EntryView,
  page: { paths: readonly Glob[] | undefined; after: EntryKey | undefined; limit: number; bytes: number },
): Promise<FirstRows<EntryRow>> {
  const { paths, after, limit, bytes } = page;
  const within = { columns: ['document'], bytes };
  const rest = after ? sql` WHERE (entity_path, key) > (${after.entity_path}, ${after.key})` : emptySql;
  const order = sql`${rest} ORDER BY entity_path, key LIMIT ${limit}`;
  if (isNewestOfOneBranch(view))
    return query.first<EntryRow>(
      sql`SELECT ${ENTRY} FROM ${entriesIn(view, { paths, standings: true })}${order}`,
      within,
    );
  const found = sql`SELECT ${ENTRY_KEYS} FROM ${entryKeysIn(view, { paths, standings: true })}${order}`;
  return query.first<EntryRow>(
    sql`SELECT ${ENTRY} FROM ${withDocuments(view, found)} ORDER BY entity_path, key`,
    within,
  );
}

/** How many entries are neither deleted nor expired. */
export async function countLiveEntries(query: Query, view: EntryView): Promise<number> {
  const found = await query.get<{ n: number }>(sql`SELECT count(*) AS n FROM ${entriesIn(view)}`);
  return found?.n ?? 0;
}

/** An entry with the newest ledger line about it. */
export type EntryWithLineRow = EntryRow & NewestLine;

export const findEntries = findStood([...Object.keys(entryColumns), 'line_seq', 'line_no'], BY_NAME);

/** The entries of a view with these keys, also deleted and invisible ones. */
export function findEntriesIn(query: Query, view: EntryView, names: readonly EntryKey[]): Promise<EntryWithLineRow[]> {
  return query.all<EntryWithLineRow>(
    sql`SELECT ${ENTRY}, line_seq, line_no FROM ${entriesNamed(view, names, { including: 'all', standings: true })}`,
  );
}

/**
 * Writes the head of each entry. The update leaves `entry_id` out: setting it again would make SQLite rewrite its index.
 */
function upsert(columns: Insert['columns']): Insert {
  const names = Object.keys(columns).filter((name) => !(name in BY_NAME) && name !== 'entry_id');
  const updates = names.map((name) => `${name} = excluded.${name}`);
  return {
    table: 'entries',
    columns,
    suffix: `ON CONFLICT (account_id, branch, entity_path, key) DO UPDATE SET ${updates.join(', ')}`,
  };
}

export const upsertEntries = upsert(headColumns);
/** Also writes the columns that a projection keeps in the entry's row. */
export const upsertEntriesWith = (columns: Insert['columns']): Insert => upsert({ ...headColumns, ...columns });

/** Returns expired entries of any account. */
export function listExpired(query: Query, now: number, limit: number): Promise<EntryRowKey[]> {
  return query.all<EntryRowKey>(
    sql`SELECT account_id, branch, entity_path, key FROM entries WHERE ttl_at IS NOT NULL AND ttl_at <= ${now} AND deleted = 0
        ORDER BY ttl_at LIMIT ${limit}`,
  );
}
