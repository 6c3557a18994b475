import type { EntryKey } from '@mem-service/contract';
import {
  andAll,
  type Dialect,
  type Find,
  type FirstRows,
  fragment,
  type Insert,
  type Query,
  type Sql,
  sql,
} from '../../db/index.ts';
import type { EntryView } from '../../kernel/index.ts';
import { entriesWithVersionsIn, isVersionVisible, versionColumnsOf } from './relation.ts';
import { entryNamed } from './relation-by-name.ts';
import { entriesOfVersions } from './relation-look-ups.ts';
import { type EntryRow, type VersionRow, versionColumns } from './rows.ts';
import { NEWEST, versionsNamed } from './versions-by-name.ts';

const VERSION = versionColumnsOf(Object.keys(versionColumns) as (keyof VersionRow)[]);

export function getVersion(
  query: Query,
  view: EntryView,
  { version, ...at }: EntryKey & { version: number },
): Promise<VersionRow | undefined> {
  const where = sql`versions.version = ${version}`;
  return query.get<VersionRow>(sql`SELECT ${VERSION} FROM ${versionsNamed(view, at, { where })}`);
}

/** Asked for with the version 1. */
export const findFirstVersions: Find = {
  table: 'versions',
  select: 'agent_id, document, deleted, confidence',
  by: { account_id: 'text', entry_id: 'int', version: 'int' },
};

/** The newest version that the agent may see and that is not a tombstone. */
export function getNewestContent(query: Query, view: EntryView, at: EntryKey): Promise<VersionRow | undefined> {
  const where = sql`versions.deleted = 0 AND ${isVersionVisible(view)}`;
  return query.get<VersionRow>(sql`SELECT ${VERSION} FROM ${versionsNamed(view, at, { where, last: NEWEST })}`);
}

/**
 * The version that was current at a time. Imported and merged versions keep the time they were first written elsewhere.
 */
export function getVersionAt(
  query: Query,
  view: EntryView,
  { time, ...at }: EntryKey & { time: number },
): Promise<VersionRow | undefined> {
  const where = sql`versions.written_at <= ${time}`;
  return query.get<VersionRow>(sql`SELECT ${VERSION} FROM ${versionsNamed(view, at, { where, last: NEWEST })}`);
}

export type HistoryPage = { before: number; since: number; until: number; limit: number; bytes: number };

export function listVersions(
  query: Query,
  view: EntryView,
  { before, since, until, limit, bytes, ...at }: EntryKey & HistoryPage,
): Promise<FirstRows<VersionRow>> {
  const where = sql`versions.version < ${before} AND versions.written_at >= ${since} AND versions.written_at < ${until}
    AND ${isVersionVisible(view)}`;
  const last = sql`ORDER BY versions.version DESC LIMIT ${limit}`;
  return query.first<VersionRow>(sql`SELECT ${VERSION} FROM ${versionsNamed(view, at, { where, last })}`, {
    columns: ['document'],
    bytes,
  });
}

/** The number of the newest version that the agent may see, and the state of the entry. */
export function getVersionCount(
  query: Query,
  view: EntryView,
  at: EntryKey,
): Promise<{ version: number; deleted: number | null } | undefined> {
  return query.get(
    sql`SELECT versions.version, (SELECT entries.deleted FROM ${entryNamed(view, at, { including: 'all' })}) AS deleted
        FROM ${versionsNamed(view, at, { where: isVersionVisible(view), last: NEWEST })}`,
  );
}

/** Finds the commits that versions belong to. */
export const findCommits: Find = {
  table: 'versions',
  select: 'commit_id',
  by: { account_id: 'text', entry_id: 'int', version: 'int' },
};

type SessionVersions = { account_id: string; rows: readonly Pick<EntryRow, 'entry_id' | 'seq'>[] };

/** Returns the sessions of versions as their documents name them. */
export function listWrittenSessions(
  query: Query,
  dialect: Dialect,
  { account_id, rows }: SessionVersions,
): Promise<{ seq: number; session_id: string | null }[]> {
  const session = fragment(dialect.jsonMember('document', ['provenance', 'session_id'], 'text'));
  return query.all(
    sql`SELECT seq, ${session} AS session_id FROM versions WHERE account_id = ${account_id}
          AND entry_id IN (SELECT CAST(value AS BIGINT) FROM ${dialect.numbers(rows.map(({ entry_id }) => entry_id))})
          AND seq IN (SELECT CAST(value AS BIGINT) FROM ${dialect.numbers(rows.map(({ seq }) => seq))})`,
  );
}

export const findWholeVersions: Find = {
  table: 'versions',
  select: Object.keys(versionColumns).join(', '),
  by: { account_id: 'text', entry_id: 'int', version: 'int' },
};

export const insertVersions: Insert = { table: 'versions', columns: versionColumns };

/** A version with the names of its entry. An entry without versions gives one row whose `version` is null. */
export type NamedVersion = { entity_path: string; key: string } & (VersionRow | { version: null });

export type VersionPosition = readonly [entityPath: string, key: string, version: number];

export function listVersionsInOrder(
  query: Query,
  view: EntryView,
  page: { where: readonly Sql[]; after: VersionPosition | undefined; limit: number; bytes: number },
): Promise<FirstRows<NamedVersion>> {
  const [path, key, version] = page.after ?? ['', '', 0];
  // Behind an entry as a whole, none of its versions is read: they may be damaged.
  const from =
    version === Number.MAX_SAFE_INTEGER
      ? sql`(entity_path, key) > (${path}, ${key})`
      : sql`(entity_path, key) >= (${path}, ${key})
          AND (entity_path <> ${path} OR key <> ${key} OR versions.version > ${version})`;
  return query.first<NamedVersion>(
    sql`SELECT entity_path, key, ${VERSION} FROM ${entriesWithVersionsIn(view)}
        WHERE ${from}${andAll(page.where)}
        ORDER BY entity_path, key, versions.version LIMIT ${page.limit}`,
    { columns: ['document'], bytes: page.bytes },
  );
}

/** Returns the newest versions whose entry row is missing. */
export function listOrphans(query: Query, view: EntryView, limit: number): Promise<VersionRow[]> {
  const { account_id } = view;
  return query.all<VersionRow>(
    sql`SELECT ${VERSION} FROM versions${entriesOfVersions(view)}
        WHERE versions.account_id = ${account_id} AND entries.entry_id IS NULL
          AND versions.version = (SELECT max(later.version) FROM versions AS later
            WHERE later.account_id = ${account_id} AND later.entry_id = versions.entry_id)
        LIMIT ${limit}`,
  );
}
