import { type Find, fragment, type Query, type Sql, sql } from '../../db/index.ts';
import type { EntryView, LedgerPosition } from '../../kernel/index.ts';
import { entriesIn, isVersionVisible } from './relation.ts';
import { type EntryNumbers, entriesOfVersions, headsNumbered, versionsOfCommitsIn } from './relation-look-ups.ts';
import type { EntryRow, VersionRow } from './rows.ts';
import { findStood, type NewestLine, selectStood } from './standings.ts';

/**
 * Finds entries and versions by number, on any branch and without a visibility check: for modules that store rows about
 * entries. A number is never reused, so it needs no branch.
 */
export type VersionNumber = { entry_id: number; version: number };

/** A version without its content. */
export type VersionFacts = Pick<
  VersionRow,
  'entry_id' | 'version' | 'deleted' | 'shared' | 'agent_id' | 'written_at' | 'confidence' | 'content_hash'
>;

const VERSION_FACTS = 'entry_id, version, deleted, shared, agent_id, written_at, confidence, content_hash';
const byVersion = { account_id: 'text', entry_id: 'int', version: 'int' } as const;
const versionFacts: Find = { table: 'versions', select: VERSION_FACTS, by: byVersion };

/** Returns one result per number, in order; undefined where the version was erased. */
export function findVersions(
  query: Query,
  accountId: string,
  numbers: readonly VersionNumber[],
): Promise<(VersionFacts | undefined)[]> {
  const keys = numbers.map(({ entry_id, version }) => [accountId, entry_id, version]);
  return query.findMany<VersionFacts>(versionFacts, keys);
}

const versionDocuments: Find = { table: 'versions', select: 'document', by: byVersion };

/** Returns the documents of versions: one result per number, in order; undefined where the version was erased. */
export async function findDocuments(
  query: Query,
  accountId: string,
  numbers: readonly VersionNumber[],
): Promise<(string | undefined)[]> {
  const keys = numbers.map(({ entry_id, version }) => [accountId, entry_id, version]);
  const rows = await query.findMany<Pick<VersionRow, 'document'>>(versionDocuments, keys);
  return rows.map((row) => row?.document);
}

/** Documents of up to this size come with the sizes of all; a session reads up to a thousand. */
const SHORT_BYTES = 4096;
const shortDocuments: Find = {
  table: 'versions',
  select: `CASE WHEN octet_length(document) <= ${SHORT_BYTES} THEN document END AS document,
    octet_length(document) AS document_bytes`,
  by: byVersion,
};

/** Documents of versions, one per number, in order; undefined where the version was erased or left out. */
export type SomeDocuments = { documents: (string | undefined)[]; isCut: boolean };

/** Loads the documents of versions, except those that are too long for what is left of so many bytes. */
export async function findDocumentsWithin(
  query: Query,
  accountId: string,
  { numbers, bytes }: { numbers: readonly VersionNumber[]; bytes: number },
): Promise<SomeDocuments> {
  const keys = numbers.map(({ entry_id, version }) => [accountId, entry_id, version]);
  const rows = await query.findMany<{ document: string | null; document_bytes: number }>(shortDocuments, keys);
  let left = bytes;
  const long: number[] = [];
  rows.forEach((row, i) => {
    if (!row || row.document_bytes > left) return;
    left -= row.document_bytes;
    if (row.document === null) long.push(i);
  });
  const documents = rows.map((row) => row?.document ?? undefined);
  const loaded = await findDocuments(
    query,
    accountId,
    long.map((i) => numbers[i] as VersionNumber),
  );
  long.forEach((i, place) => {
    documents[i] = loaded[place];
  });
  return { documents, isCut: rows.some((row, i) => row !== undefined && documents[i] === undefined) };
}

/** The current state of an entry, without its content. */
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

/** Returns one result per number, in order; undefined where the entry was erased. */
export function findEntriesByNumber(
  query: Query,
  accountId: string,
  numbers: readonly Pick<VersionNumber, 'entry_id'>[],
): Promise<(EntryFacts | undefined)[]> {
  const keys = numbers.map(({ entry_id }) => [accountId, entry_id]);
  return query.findMany<EntryFacts>(entryFacts, keys);
}

const WHOLE = [
  ...(['entry_id', 'branch', 'entity_path', 'key', 'version', 'seq', 'content_hash', 'deleted', 'shared'] as const),
  ...(['ttl_at', 'agent_id', 'written_at', 'memory_type', 'is_artifact', 'confidence', 'standing'] as const),
  'recall_count',
] as const;

/** The current state of an entry with its standing, and its document unless that is long. */
export type StoodEntryFacts = Pick<EntryRow, (typeof WHOLE)[number]> & { document: string | null };

/** Longer documents are left out: what is compared with others is short. */
const COMPARED_BYTES = 8 * 1024;
const comparedFacts: Find = {
  ...findStood([], { account_id: 'text', entry_id: 'int' }),
  select: `${selectStood(WHOLE, { head: 'found', beside: 'beside' })},
    CASE WHEN octet_length(found.document) <= ${COMPARED_BYTES} THEN found.document END AS document`,
};

/** Like `findEntriesByNumber`, with standings and short documents. */
export function findStoodEntries(
  query: Query,
  accountId: string,
  numbers: readonly number[],
): Promise<(StoodEntryFacts | undefined)[]> {
  return query.findMany<StoodEntryFacts>(
    comparedFacts,
    numbers.map((entry_id) => [accountId, entry_id]),
  );
}

/** The current state of an entry with its standing, without its content. */
export type StoodFacts = EntryFacts &
  Pick<EntryRow, 'memory_type' | 'pattern_refs' | 'written_at' | 'confidence' | 'standing' | 'recall_count'>;

const STOOD_FACTS = [
  ...ENTRY_FACTS.split(', '),
  ...['memory_type', 'pattern_refs', 'written_at', 'confidence', 'standing', 'recall_count'],
];
const stoodFacts: Find = findStood(STOOD_FACTS, { account_id: 'text', entry_id: 'int' });

/** The same with standings. */
export function findStoodFacts(
  query: Query,
  accountId: string,
  ids: readonly number[],
): Promise<(StoodFacts | undefined)[]> {
  return query.findMany<StoodFacts>(
    stoodFacts,
    ids.map((entry_id) => [accountId, entry_id]),
  );
}

/** Returns those of the entries that have a newer version than the given one or have expired. */
export function listChangedEntries(query: Query, of: EntryNumbers, above: number): Promise<EntryFacts[]> {
  return query.all<EntryFacts>(
    sql`SELECT ${fragment(ENTRY_FACTS)} FROM ${headsNumbered(of)}
          AND (version > ${above} OR ttl_at IS NOT NULL) ORDER BY entry_id`,
  );
}

export type EntryNumber = { account_id: string; entry_id: number };

export type WrittenVersion = Pick<
  VersionRow,
  'version' | 'seq' | 'deleted' | 'shared' | 'agent_id' | 'written_at' | 'ttl_at' | 'confidence' | 'content_hash'
>;

/** Returns the versions of an entry, newest first. */
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

/** Returns the versions of these entries that were written at one of these times. */
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

export type LastVersion = Pick<VersionRow, 'entry_id' | 'agent_id' | 'content_hash'>;

/** Returns the last version of each of these entries that each author wrote, tombstones left out. */
export function listLastVersions(query: Query, accountId: string, entryIds: Sql): Promise<LastVersion[]> {
  return query.all<LastVersion>(
    sql`SELECT versions.entry_id, versions.agent_id, versions.content_hash
          FROM (SELECT entry_id, max(version) AS version FROM versions WHERE account_id = ${accountId}
                  AND entry_id IN (SELECT CAST(value AS BIGINT) FROM ${entryIds}) AND deleted = 0
                GROUP BY entry_id, agent_id) AS newest
          JOIN versions ON versions.account_id = ${accountId} AND versions.entry_id = newest.entry_id
            AND versions.version = newest.version`,
  );
}

export type CommittedVersion = Pick<EntryRow, 'entity_path' | 'key'> & Pick<VersionRow, 'version' | 'content_hash'>;

/** Returns the versions that a commit wrote and the agent may see, in order. */
export function listVersionsOfCommit(query: Query, view: EntryView, commitId: string): Promise<CommittedVersion[]> {
  return query.all<CommittedVersion>(
    sql`SELECT entries.entity_path, entries.key, versions.version, versions.content_hash
        FROM versions${entriesOfVersions(view)}
        WHERE entries.entry_id IS NOT NULL AND versions.account_id = ${view.account_id}
          AND versions.commit_id = ${commitId} AND ${isVersionVisible(view)} ORDER BY versions.seq`,
  );
}

export type ShownVersion = Pick<EntryRow, 'entity_path' | 'key'> &
  Pick<VersionRow, 'version' | 'content_hash'> & { commit_id: string };

/** Returns the versions that these commits wrote and the view shows, in order. */
export function listVersionsOfCommits(query: Query, view: EntryView, commitIds: Sql): Promise<ShownVersion[]> {
  return query.all<ShownVersion>(
    sql`SELECT versions.commit_id, entries.entity_path, entries.key, versions.version, versions.content_hash
        FROM ${versionsOfCommitsIn(view, commitIds)} ORDER BY versions.seq`,
  );
}

/** A subquery for the newest ledger line about an entry. */
export const newestLineOf = ({ account_id, entry_id }: EntryNumber): Sql =>
  sql`SELECT line_seq AS seq, line_no AS no FROM standings WHERE account_id = ${account_id} AND entry_id = ${entry_id}
      AND line_seq IS NOT NULL`;

export const getNewestLine = (query: Query, entry: EntryNumber): Promise<LedgerPosition | undefined> =>
  query.get<LedgerPosition>(newestLineOf(entry));

const newestLines: Find = findStood(['account_id', 'entry_id', 'line_seq', 'line_no'], {
  account_id: 'text',
  entry_id: 'int',
});

/** The newest ledger lines about those of the entries that exist. */
export async function findNewestLines(
  query: Query,
  accountId: string,
  numbers: readonly number[],
): Promise<(EntryNumber & NewestLine)[]> {
  const keys = numbers.map((entry_id) => [accountId, entry_id]);
  const rows = await query.findMany<EntryNumber & NewestLine>(newestLines, keys);
  return rows.filter((row) => row !== undefined);
}

/** A subquery for the newest ledger line about each of these entries, as `(line_seq, line_no)`. */
export const newestLinesOf = (accountId: string, entryIds: Sql): Sql =>
  sql`SELECT line_seq, line_no FROM standings WHERE account_id = ${accountId} AND line_seq IS NOT NULL
      AND entry_id IN (SELECT CAST(value AS BIGINT) FROM ${entryIds})`;

/** Like `newestLinesOf`, for the entries of a view, including deleted and expired ones. */
export const newestLinesIn = (view: EntryView, part: Parameters<typeof entriesIn>[1]): Sql =>
  sql`SELECT line_seq, line_no FROM ${entriesIn(view, { ...part, including: 'all', standings: true })}
      WHERE line_seq IS NOT NULL`;
