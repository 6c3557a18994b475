import type { Glob } from '@mem-service/contract';
import {
  andAll,
  type ByteLimit,
  type Find,
  type FirstRows,
  fragment,
  type Insert,
  joinSql,
  type Query,
  type Sql,
  sql,
  type Transaction,
} from '../../db/index.ts';
import { branchOf, type EntryView, scopeConditions, scopedPathConditions } from '../../kernel/index.ts';
import { entriesIn } from '../entries/index.ts';
import type { DigestKey, DigestRow } from './rows.ts';
import { type DigestType, PATH_TYPES } from './rules/cited.ts';

const columns = {
  account_id: 'text',
  branch: 'text',
  digest_type: 'text',
  scope: 'text',
  seq: 'int',
  compiled_at: 'int',
  entry_count: 'int',
  is_shown: 'int',
  parts: 'text',
} as const;

const COLUMNS = fragment(Object.keys(columns).join(', '));

export const upsertDigests: Insert = {
  table: 'digests',
  columns,
  suffix: `ON CONFLICT (account_id, branch, digest_type, scope) DO UPDATE SET seq = excluded.seq,
    compiled_at = excluded.compiled_at, entry_count = excluded.entry_count, is_shown = excluded.is_shown,
    parts = excluded.parts`,
};

const byKey: Find = {
  table: 'digests',
  select: COLUMNS.text,
  by: { account_id: 'text', branch: 'text', digest_type: 'text', scope: 'text' },
};

/** One result per key, in order. */
export function findDigests(
  query: Query,
  accountId: string,
  keys: readonly DigestKey[],
): Promise<(DigestRow | undefined)[]> {
  return query.findMany<DigestRow>(
    byKey,
    keys.map(({ branch, digest_type, scope }) => [accountId, branch, digest_type, scope]),
  );
}

export type DigestFilter = {
  types?: readonly DigestType[] | undefined;
  scopes?: readonly string[] | undefined;
  /** Only digests about paths that this glob covers. */
  paths?: Glob | undefined;
  after?: Pick<DigestKey, 'digest_type' | 'scope'> | undefined;
  limit: number;
};

const listOf = (texts: readonly string[]): Sql =>
  joinSql(
    texts.map((text) => sql`${text}`),
    ', ',
  );
const pathTypes = fragment(PATH_TYPES.map((type) => `'${type}'`).join(', '));

/** The digests that a view may show; those of agents still have to be filtered by what they point at. */
function listable(view: EntryView, { types, scopes, paths, after }: Omit<DigestFilter, 'limit'>): Sql {
  const conditions = [
    ...(types ? [sql`digest_type IN (${listOf(types)})`] : []),
    ...(scopes ? [sql`scope IN (${listOf(scopes)})`] : []),
    ...(paths
      ? [sql`digest_type IN (${pathTypes})`, ...scopedPathConditions(view.scope, paths, 'scope')]
      : scopeConditions(view.scope, 'scope').map((within) => sql`(digest_type NOT IN (${pathTypes}) OR ${within})`)),
    ...(after ? [sql`(digest_type, scope) > (${after.digest_type}, ${after.scope})`] : []),
  ];
  return sql`account_id = ${view.account_id} AND branch = ${branchOf(view)} AND is_shown = 1${andAll(conditions)}`;
}

/** By type and scope. */
export function listDigestRows(
  query: Query,
  view: EntryView,
  { limit, bytes, ...filter }: DigestFilter & { bytes: ByteLimit },
): Promise<FirstRows<DigestRow>> {
  return query.first<DigestRow>(
    sql`SELECT ${COLUMNS} FROM digests WHERE ${listable(view, filter)} ORDER BY digest_type, scope LIMIT ${limit}`,
    bytes,
  );
}

/** The keys of digests, those that were compiled longest ago first. */
export function listOldest(
  query: Query,
  accountId: string,
  {
    branch,
    types,
    before_seq,
    limit,
  }: { branch: string; types: readonly DigestType[]; before_seq: number; limit: number },
): Promise<DigestKey[]> {
  return query.all<DigestKey>(
    sql`SELECT branch, digest_type, scope FROM digests WHERE account_id = ${accountId} AND branch = ${branch}
          AND seq < ${before_seq} AND digest_type IN (${listOf(types)}) ORDER BY seq, digest_type, scope LIMIT ${limit}`,
  );
}

/** The last digests compiled, newest first. */
export function listCompiled(query: Query, accountId: string, limit: number): Promise<DigestRow[]> {
  return query.all<DigestRow>(
    sql`SELECT ${COLUMNS} FROM digests WHERE account_id = ${accountId} ORDER BY seq DESC LIMIT ${limit}`,
  );
}

export function countDigests(
  query: Query,
  accountId: string,
): Promise<{ digest_type: DigestType; n: number; last_at: number }[]> {
  return query.all(
    sql`SELECT digest_type, count(*) AS n, max(compiled_at) AS last_at FROM digests
        WHERE account_id = ${accountId} AND is_shown = 1 GROUP BY digest_type`,
  );
}

/** Deletes the digests that were compiled longest ago, so that no more than `most` are left. */
export function dropOldest(tx: Transaction, accountId: string, most: number): Promise<number> {
  return tx.run(
    sql`DELETE FROM digests WHERE account_id = ${accountId} AND seq <= (SELECT seq FROM digests
          WHERE account_id = ${accountId} ORDER BY seq DESC LIMIT 1 OFFSET ${most})`,
  );
}

export function deleteDigest(tx: Transaction, accountId: string, { branch, digest_type, scope }: DigestKey) {
  return tx.run(
    sql`DELETE FROM digests WHERE account_id = ${accountId} AND branch = ${branch} AND digest_type = ${digest_type}
          AND scope = ${scope}`,
  );
}

export function deleteDigestsOfAgent(tx: Transaction, accountId: string, scopes: readonly string[]): Promise<number> {
  return tx.run(
    sql`DELETE FROM digests WHERE account_id = ${accountId} AND digest_type IN ('agent_brief', 'source')
          AND scope IN (${listOf(scopes)})`,
  );
}

/** The numbers of some entries at a path, by key. */
export async function listNumbersAt(
  query: Query,
  view: EntryView,
  { path, most }: { path: string; most: number },
): Promise<number[]> {
  const paths = [{ kind: 'exact', path } as const];
  const rows = await query.all<{ entry_id: number }>(
    sql`SELECT entry_id FROM ${entriesIn(view, { paths })} ORDER BY entity_path, key LIMIT ${most}`,
  );
  return rows.map(({ entry_id }) => entry_id);
}

/** The same of many paths, of which all entries are expected. */
export async function listNumbersAtAll(
  query: Query,
  view: EntryView,
  { paths, most }: { paths: readonly string[]; most: number },
): Promise<{ entity_path: string; entry_id: number }[]> {
  if (paths.length === 0) return [];
  const names = view.dialect.texts(paths);
  return query.all(
    sql`SELECT entity_path, entry_id FROM ${names} CROSS JOIN ${entriesIn(view)} WHERE entity_path = value LIMIT ${most}`,
  );
}

/** A compound statement may not have more parts on SQLite than 500. */
const PATHS_AT_ONCE = 30;

/** The number of one entry at each path, the first by key. */
export async function listOneAtEach(
  query: Query,
  view: EntryView,
  paths: readonly string[],
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (let from = 0; from < paths.length; from += PATHS_AT_ONCE) {
    const each = paths.slice(from, from + PATHS_AT_ONCE).map(
      (
        path,
      ) => sql`SELECT * FROM (SELECT entity_path, entry_id FROM ${entriesIn(view, { paths: [{ kind: 'exact', path }] })}
          ORDER BY entity_path, key LIMIT 1) AS one`,
    );
    const rows = await query.all<{ entity_path: string; entry_id: number }>(joinSql(each, ' UNION ALL '));
    for (const { entity_path, entry_id } of rows) found.set(entity_path, entry_id);
  }
  return found;
}

/** The numbers of the newest entries that agents wrote; those that are deleted or private count towards the limit. */
export async function listNewestOf(
  query: Query,
  view: EntryView,
  { agents, most }: { agents: readonly string[]; most: number },
): Promise<number[]> {
  const each = agents.map(
    (agent) => sql`SELECT * FROM (SELECT entry_id FROM ${entriesIn(view, { including: 'all' })}
      WHERE agent_id = ${agent} ORDER BY seq DESC LIMIT ${most}) AS newest`,
  );
  const rows = await query.all<{ entry_id: number }>(joinSql(each, ' UNION ALL '));
  return rows.map(({ entry_id }) => entry_id);
}
