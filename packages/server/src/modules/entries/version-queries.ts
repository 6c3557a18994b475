import type { EntryKey } from '@mem-service/contract';
import { andAll, type Find, type Insert, type Query, type Sql, sql } from '../../db/index.ts';
import type { BranchSpan, EntryView, Lineage } from '../../kernel/index.ts';
import { isNamed } from './queries.ts';
import { entriesWithVersionsIn, isVersionVisible, versionColumnsOf, versionsIn } from './relation.ts';
import { type EntryRow, type VersionRow, versionColumns } from './rows.ts';

const VERSION = versionColumnsOf(Object.keys(versionColumns) as (keyof VersionRow)[]);

export function getVersion(
  query: Query,
  view: EntryView,
  { version, ...at }: EntryKey & { version: number },
): Promise<VersionRow | undefined> {
  return query.get<VersionRow>(
    sql`SELECT ${VERSION} FROM ${versionsIn(view)} WHERE ${isNamed(at)} AND versions.version = ${version}`,
  );
}

/** The newest version that the agent may see and that is not a tombstone. */
export function getNewestContent(query: Query, view: EntryView, at: EntryKey): Promise<VersionRow | undefined> {
  return query.get<VersionRow>(
    sql`SELECT ${VERSION} FROM ${versionsIn(view)} WHERE ${isNamed(at)} AND versions.deleted = 0 AND ${isVersionVisible(view)}
        ORDER BY versions.version DESC LIMIT 1`,
  );
}

export function getShownVersion(query: Query, view: EntryView, at: EntryKey): Promise<VersionRow | undefined> {
  return query.get<VersionRow>(
    sql`SELECT ${VERSION} FROM ${versionsIn(view)} WHERE ${isNamed(at)} AND versions.version = entries.version`,
  );
}

/**
 * Returns the lineage of a view as it was at a time, for one entry. Imported versions keep the time they were first written
 * elsewhere, so the position in the log is looked up in the entry's own versions.
 */
export function lineageAt(query: Query, view: EntryView, { time, ...at }: EntryKey & { time: number }) {
  const spanAt = async (span: BranchSpan): Promise<BranchSpan> => {
    const row = await query.get<{ seq: number | null }>(
      sql`SELECT max(versions.seq) AS seq FROM ${versionsIn({ ...view, lineage: [span] })}
          WHERE ${isNamed(at)} AND versions.written_at <= ${time}`,
    );
    return { branch: span.branch, up_to_seq: row?.seq ?? 0 };
  };
  return Promise.all(view.lineage.map(spanAt)) satisfies Promise<Lineage>;
}

export type HistoryPage = { before: number; since: number; until: number; limit: number };

export function listVersions(
  query: Query,
  view: EntryView,
  { before, since, until, limit, ...at }: EntryKey & HistoryPage,
): Promise<VersionRow[]> {
  return query.all<VersionRow>(
    sql`SELECT ${VERSION} FROM ${versionsIn(view)} WHERE ${isNamed(at)} AND versions.version < ${before}
          AND versions.written_at >= ${since} AND versions.written_at < ${until} AND ${isVersionVisible(view)}
        ORDER BY versions.version DESC LIMIT ${limit}`,
  );
}

export const findWholeVersions: Find = {
  table: 'versions',
  select: Object.keys(versionColumns).join(', '),
  by: { account_id: 'text', entry_id: 'int', version: 'int' },
};

const findDocuments: Find = {
  table: 'versions',
  select: 'document',
  by: { account_id: 'text', entry_id: 'int', version: 'int' },
};

/** Returns the documents of versions, in their order; undefined for one that was erased since. */
export async function getDocuments(
  query: Query,
  accountId: string,
  keys: readonly Pick<EntryRow, 'entry_id' | 'version'>[],
): Promise<(string | undefined)[]> {
  const rows = await query.findMany<{ document: string }>(
    findDocuments,
    keys.map(({ entry_id, version }) => [accountId, entry_id, version]),
  );
  return rows.map((row) => row?.document);
}

export const insertVersions: Insert = { table: 'versions', columns: versionColumns };

/** A version with the names of its entry. An entry without versions gives one row whose `version` is null. */
export type NamedVersion = { entity_path: string; key: string } & (VersionRow | { version: null });

export type VersionPosition = readonly [entityPath: string, key: string, version: number];

export function listVersionsInOrder(
  query: Query,
  view: EntryView,
  page: { where: readonly Sql[]; after: VersionPosition | undefined; limit: number },
): Promise<NamedVersion[]> {
  const [path, key, version] = page.after ?? ['', '', 0];
  return query.all<NamedVersion>(
    sql`SELECT entity_path, key, ${VERSION} FROM ${entriesWithVersionsIn(view)}
        WHERE (entity_path, key) >= (${path}, ${key})${andAll(page.where)}
          AND (entity_path <> ${path} OR key <> ${key} OR versions.version > ${version})
        ORDER BY entity_path, key, versions.version LIMIT ${page.limit}`,
  );
}

/** Returns the newest versions whose entry row is missing. */
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
