import { type Find, type Query, type Sql, sql, type Update } from '../../db/index.ts';
import type { EntryView, LedgerPosition } from '../../kernel/index.ts';
import { entriesIn, isVersionVisible, versionsIn } from './relation.ts';
import type { EntryRow, VersionRow } from './rows.ts';

/**
 * Entries and versions by their numbers, on whatever branch and whoever may see them: for modules that keep something about
 * them and must know what is there. A number is never used twice, so it needs no branch.
 */
export type VersionNumber = { entry_id: number; version: number };

/** A version without what it says. */
export type VersionFacts = Pick<
  VersionRow,
  'entry_id' | 'version' | 'deleted' | 'shared' | 'agent_id' | 'confidence' | 'content_hash'
>;

const VERSION_FACTS = 'entry_id, version, deleted, shared, agent_id, confidence, content_hash';
const byVersion = { account_id: 'text', entry_id: 'int', version: 'int' } as const;
const versionFacts: Find = { table: 'versions', select: VERSION_FACTS, by: byVersion };

/** One answer for each, in order: nothing for what was erased. */
export function findVersions(
  query: Query,
  accountId: string,
  numbers: readonly VersionNumber[],
): Promise<(VersionFacts | undefined)[]> {
  const keys = numbers.map(({ entry_id, version }) => [accountId, entry_id, version]);
  return query.findMany<VersionFacts>(versionFacts, keys);
}

const versionDocuments: Find = { table: 'versions', select: 'document', by: byVersion };

/** What versions say. One answer for each, in order: nothing for what was erased. */
export async function findDocuments(
  query: Query,
  accountId: string,
  numbers: readonly VersionNumber[],
): Promise<(string | undefined)[]> {
  const keys = numbers.map(({ entry_id, version }) => [accountId, entry_id, version]);
  const rows = await query.findMany<Pick<VersionRow, 'document'>>(versionDocuments, keys);
  return rows.map((row) => row?.document);
}

/** An entry as it is now, without what it says. */
export type EntryFacts = Pick<
  EntryRow,
  | 'entry_id'
  | 'branch'
  | 'entity_path'
  | 'key'
  | 'version'
  | 'seq'
  | 'content_hash'
  | 'deleted'
  | 'shared'
  | 'ttl_at'
  | 'agent_id'
>;

const ENTRY_FACTS = 'entry_id, branch, entity_path, key, version, seq, content_hash, deleted, shared, ttl_at, agent_id';
const entryFacts: Find = { table: 'entries', select: ENTRY_FACTS, by: { account_id: 'text', entry_id: 'int' } };

/** One answer for each, in order: nothing for what was erased. */
export function findEntriesByNumber(
  query: Query,
  accountId: string,
  numbers: readonly Pick<VersionNumber, 'entry_id'>[],
): Promise<(EntryFacts | undefined)[]> {
  const keys = numbers.map(({ entry_id }) => [accountId, entry_id]);
  return query.findMany<EntryFacts>(entryFacts, keys);
}

/** Of these entries, those that have come beyond a version or have expired. */
export function listChangedEntries(
  query: Query,
  accountId: string,
  { ids, above, now }: { ids: Sql; above: number; now: number },
): Promise<EntryFacts[]> {
  return query.all<EntryFacts>(
    sql`SELECT entry_id, branch, entity_path, key, version, seq, content_hash, deleted, shared, ttl_at, agent_id
        FROM entries WHERE account_id = ${accountId} AND entry_id IN (SELECT CAST(value AS BIGINT) FROM ${ids})
          AND (version > ${above} OR ttl_at <= ${now}) ORDER BY entry_id`,
  );
}

/** How often entries were recalled. One that is gone is passed over. */
export const addRecalls: Update = {
  table: 'entries',
  add: { recall_count: 'int' },
  by: { account_id: 'text', entry_id: 'int' },
};

export type EntryNumber = { account_id: string; entry_id: number };

export type WrittenVersion = Pick<
  VersionRow,
  'version' | 'seq' | 'deleted' | 'shared' | 'agent_id' | 'written_at' | 'ttl_at' | 'confidence' | 'content_hash'
>;

/** The versions of an entry, newest first. */
export function listVersionsOf(
  query: Query,
  { account_id, entry_id }: EntryNumber,
  limit: number,
): Promise<WrittenVersion[]> {
  return query.all<WrittenVersion>(
    sql`SELECT version, seq, deleted, shared, agent_id, written_at, ttl_at, confidence, content_hash FROM versions
        WHERE account_id = ${account_id} AND entry_id = ${entry_id} ORDER BY version DESC LIMIT ${limit}`,
  );
}

export type TimedVersion = Pick<VersionRow, 'entry_id' | 'written_at' | 'content_hash'>;

/** Versions of these entries that were written at one of these times. */
export function listVersionsAtTimes(
  query: Query,
  accountId: string,
  { entryIds, times }: { entryIds: Sql; times: Sql },
): Promise<TimedVersion[]> {
  return query.all<TimedVersion>(
    sql`SELECT entry_id, written_at, content_hash FROM versions WHERE account_id = ${accountId}
          AND entry_id IN (SELECT CAST(value AS BIGINT) FROM ${entryIds})
          AND written_at IN (SELECT CAST(value AS BIGINT) FROM ${times})`,
  );
}

export type CommittedVersion = Pick<VersionRow, 'document' | 'version' | 'content_hash'>;

/** What a commit wrote, in order, as far as an agent may see it. */
export function listVersionsOfCommit(
  query: Query,
  viewer: Pick<EntryView, 'account_id' | 'agent_id'>,
  commitId: string,
): Promise<CommittedVersion[]> {
  return query.all<CommittedVersion>(
    sql`SELECT document, version, content_hash FROM versions WHERE account_id = ${viewer.account_id}
          AND commit_id = ${commitId} AND ${isVersionVisible(viewer)} ORDER BY seq`,
  );
}

export type ShownVersion = Pick<EntryRow, 'entity_path' | 'key'> &
  Pick<VersionRow, 'version' | 'content_hash'> & { commit_id: string };

/** What some commits wrote, in order, as far as a view shows it. */
export function listVersionsOfCommits(query: Query, view: EntryView, commitIds: Sql): Promise<ShownVersion[]> {
  return query.all<ShownVersion>(
    sql`SELECT versions.commit_id, entries.entity_path, entries.key, versions.version, versions.content_hash
        FROM ${versionsIn(view)}
        WHERE versions.commit_id IN (SELECT value FROM ${commitIds}) AND ${isVersionVisible(view)}
        ORDER BY versions.seq`,
  );
}

/** The newest ledger line about an entry, as a query of its place. */
export const newestLineOf = ({ account_id, entry_id }: EntryNumber): Sql =>
  sql`SELECT line_seq AS seq, line_no AS no FROM entries WHERE account_id = ${account_id} AND entry_id = ${entry_id}
      AND line_seq IS NOT NULL`;

export const getNewestLine = (query: Query, entry: EntryNumber): Promise<LedgerPosition | undefined> =>
  query.get<LedgerPosition>(newestLineOf(entry));

type NewestLine = EntryNumber & { line_seq: number | null; line_no: number | null };

export function listNewestLines(query: Query, accountId: string, entryIds: Sql): Promise<NewestLine[]> {
  return query.all<NewestLine>(
    sql`SELECT account_id, entry_id, line_seq, line_no FROM entries WHERE account_id = ${accountId}
        AND entry_id IN (SELECT CAST(value AS BIGINT) FROM ${entryIds})`,
  );
}

export const updateNewestLines: Update = {
  table: 'entries',
  set: { line_seq: 'int', line_no: 'int' },
  by: { account_id: 'text', entry_id: 'int' },
};

/** The newest ledger line about each entry of these numbers, as `(line_seq, line_no)`. */
export const newestLinesOf = (accountId: string, entryIds: Sql): Sql =>
  sql`SELECT line_seq, line_no FROM entries WHERE account_id = ${accountId} AND line_seq IS NOT NULL
      AND entry_id IN (SELECT CAST(value AS BIGINT) FROM ${entryIds})`;

/** The same about the entries of a view, whatever has become of them. */
export const newestLinesIn = (view: EntryView, part: Parameters<typeof entriesIn>[1]): Sql =>
  sql`SELECT line_seq, line_no FROM ${entriesIn(view, { ...part, including: 'all' })} WHERE line_seq IS NOT NULL`;
