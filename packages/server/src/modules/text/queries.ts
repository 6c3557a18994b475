import { andAll, emptySql, fragment, joinSql, type Query, type Sql, sql } from '../../db/index.ts';
import { type EntryView, liveAccounts } from '../../kernel/index.ts';
import { entriesIn } from '../entries/index.ts';
import { rowidOf } from './indexing.ts';
import type { PlacedTexts } from './match-syntax.ts';

/** Moves PostgreSQL's pending list into the index; otherwise a write that finds the list full has to. */
/** Each partition of the table has its own. */
export const tidyIndex = fragment(
  `SELECT gin_clean_pending_list(CAST(c.oid AS regclass)) FROM pg_class AS c
   WHERE c.relkind = 'i' AND (c.oid = CAST('entries_by_word' AS regclass) OR c.oid IN (
     SELECT inhrelid FROM pg_inherits WHERE inhparent = CAST('entries_by_word' AS regclass)))`,
);

/** How far the index of SQLite goes in the log of an account, and when that account was made. */
export type IndexCursor = { seq: number; stamp: number; created_at: number };

export function readIndexCursor(query: Query, accountId: string): Promise<IndexCursor | undefined> {
  return query.get(sql`SELECT seq, stamp, created_at FROM words.indexed_accounts WHERE account_id = ${accountId}`);
}

/** Changes of all accounts that the index of SQLite does not have yet. */
export async function countBehind(query: Query, { isIndexed }: { isIndexed: boolean }): Promise<number> {
  const indexed = isIndexed
    ? sql`LEFT JOIN words.indexed_accounts AS indexed ON indexed.account_id = live.account_id`
    : emptySql;
  const reached = isIndexed ? sql`coalesce(indexed.seq, 0)` : sql`0`;
  const row = await query.get<{ behind: number | null }>(
    sql`SELECT sum(max(0, live.seq - ${reached})) AS behind FROM (${liveAccounts}) AS live ${indexed}`,
  );
  return row?.behind ?? 0;
}

/** What the file of words holds and how, to recognise a file that is none, or of another version. */
export async function readIndexShape(query: Query): Promise<{ objects: string; format: number }> {
  const row = await query.get<{ objects: string }>(
    sql`SELECT coalesce(group_concat(object, ', '), '') AS objects
        FROM (SELECT type || ' ' || name AS object FROM words.sqlite_schema ORDER BY 1)`,
  );
  const version = await query.get<{ user_version: number }>(fragment('PRAGMA words.user_version'));
  return { objects: row?.objects ?? '', format: version?.user_version ?? 0 };
}

/** A head that the index does not have yet. */
export type TailHead = { seq: number; entry_id: number; version: number; deleted: number; document_bytes: number };

export function listTail(
  query: Query,
  view: EntryView,
  { after, limit }: { after: number; limit: number },
): Promise<TailHead[]> {
  return query.all<TailHead>(
    sql`SELECT seq, entry_id, version, deleted, octet_length(document) AS document_bytes
        FROM ${entriesIn(view, { including: 'all' })} WHERE seq > ${after} ORDER BY seq LIMIT ${limit}`,
  );
}

/** The rows that the index has of entries that were written since; each entry is its range number. */
export async function listOutdated(query: Query, entries: Sql): Promise<number[]> {
  const rows = await query.all<{ seq: number }>(
    sql`SELECT seq FROM words.indexed_entries WHERE entry IN (SELECT value FROM ${entries})`,
  );
  return rows.map(({ seq }) => seq);
}

/** Entries up to a `seq` in ranges of paths that do not overlap. */
export type PlacedRows = { account: number; upto: number; ranges: readonly (readonly Sql[])[] };

/** The words of entries as the index has them. One row, since many small ones take longer to hand over. */
export async function readPlacedTexts(
  query: Query,
  view: EntryView,
  { account, upto, ranges }: PlacedRows,
): Promise<PlacedTexts> {
  if (ranges.length === 0) return { seqs: [], texts: [] };
  const all = entriesIn({ ...view, scope: undefined }, { including: 'all' });
  // The plus keeps SQLite from reading them by their numbers.
  const parts = ranges.map((range) => sql`SELECT entry_id, seq FROM ${all} WHERE +seq <= ${upto}${andAll(range)}`);
  const row = await query.get<{ seqs: string; texts: string | null }>(
    sql`SELECT json_group_array(found.seq) AS seqs, group_concat(coalesce(indexed.words, ''), char(10)) AS texts
        FROM (${joinSql(parts, ' UNION ALL ')}) AS found CROSS JOIN words.indexed_entries AS indexed
          ON indexed.entry = found.entry_id + ${rowidOf(account, 0)} AND indexed.seq = found.seq`,
  );
  return { seqs: JSON.parse(row?.seqs ?? '[]'), texts: row?.texts?.split('\n') ?? [] };
}

/** The averages that FTS5 keeps of its table, as it encodes them. */
export async function readAverages(query: Query): Promise<Uint8Array | undefined> {
  const row = await query.get<{ block: unknown }>(sql`SELECT block FROM words.entry_words_data WHERE id = 1`);
  return row?.block as Uint8Array | undefined;
}
