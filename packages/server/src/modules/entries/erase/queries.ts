import { andAll, emptySql, fragment, type Query, type Sql, sql } from '../../../db/index.ts';
import {
  type EntryHead,
  type ErasedAgent,
  type ErasedEntries,
  likeJsonText,
  type Work,
} from '../../../kernel/index.ts';
import { joinStandings, selectStood } from '../standings.ts';

/** The entries to erase: all that match these conditions and are visible to the agent. */
export type ErasureTarget = {
  account_id: string;
  branch: string;
  agent_id: string;
  paths: readonly Sql[];
  keys: readonly Sql[];
};

const HEAD_NAMES = [
  ...['entry_id', 'branch', 'entity_path', 'key', 'seq', 'deleted', 'shared', 'agent_id', 'memory_type', 'confidence'],
  ...['pattern_refs', 'written_at'],
];
const HEAD = fragment(selectStood(HEAD_NAMES, { head: 'entries', beside: 'standings' }));

const stood = (accountId: string): Sql => ({ text: joinStandings, values: [accountId] });

/** Entries with the target's names, including those that the agent may not see. */
const named = ({ account_id, branch, paths, keys }: ErasureTarget): Sql =>
  sql`entries.account_id = ${account_id} AND branch = ${branch}${andAll([...paths, ...keys])}`;

export function listNamed(
  query: Query,
  target: ErasureTarget,
  { after, limit }: { after: EntryHead | undefined; limit: number },
): Promise<EntryHead[]> {
  const rest = after ? sql` AND (entity_path, key) > (${after.entity_path}, ${after.key})` : emptySql;
  return query.all<EntryHead>(
    sql`SELECT ${HEAD} FROM entries${stood(target.account_id)} WHERE ${named(target)}${rest}
        ORDER BY entity_path, key LIMIT ${limit}`,
  );
}

/** The branches that have entries of their own with the target's names, of whatever visibility. */
export async function listBranchesNaming(query: Query, { account_id, paths, keys }: ErasureTarget): Promise<string[]> {
  const rows = await query.all<{ branch: string }>(
    sql`WITH RECURSIVE found (branch) AS (
          SELECT min(branch) FROM entries WHERE account_id = ${account_id}
          UNION ALL
          SELECT (SELECT min(branch) FROM entries WHERE account_id = ${account_id} AND branch > found.branch) FROM found
          WHERE found.branch IS NOT NULL)
        SELECT branch FROM found WHERE branch IS NOT NULL AND EXISTS (SELECT 1 FROM entries AS named
          WHERE named.account_id = ${account_id} AND named.branch = found.branch${andAll([...paths, ...keys])})`,
  );
  return rows.map(({ branch }) => branch);
}

/** A condition on another table: rows that refer to an entry to be erased, or only to its path. */
export function namesErased(
  { account_id, branch }: Pick<ErasureTarget, 'account_id' | 'branch'>,
  ids: Sql,
): ErasedEntries['names'] {
  return (table, columns) => {
    const key = columns === 'path' ? '' : `AND (${table}.key IS NULL OR erased.key = ${table}.key)`;
    return sql`EXISTS (SELECT 1 FROM entries AS erased WHERE erased.account_id = ${account_id} AND erased.branch = ${branch}
      AND erased.entity_path = ${fragment(`${table}.entity_path`)} ${fragment(key)}
      AND erased.entry_id IN (SELECT CAST(value AS BIGINT) FROM ${ids}))`;
  };
}

/** A condition on the columns `entity_path` and `key` of a row. The names as values: looked up, 4,000 of them took 20 s. */
export const isOneOf = (pairs: Sql): Sql => sql`(entity_path, key) IN (SELECT a, b FROM ${pairs})`;

const versionsOf = (accountId: string, ids: Sql): Sql =>
  sql`account_id = ${accountId} AND entry_id IN (SELECT CAST(value AS BIGINT) FROM ${ids})`;

export const versionSeqs = (accountId: string, ids: Sql): Sql =>
  sql`SELECT seq FROM versions WHERE ${versionsOf(accountId, ids)}`;

/** Commits that wrote only these entries. Each is looked at once, and not for each of its entries. */
export const emptiedCommits = (accountId: string, ids: Sql): Sql =>
  sql`SELECT commit_id FROM (SELECT DISTINCT commit_id FROM versions
        WHERE ${versionsOf(accountId, ids)} AND commit_id IS NOT NULL) AS touched
      WHERE NOT EXISTS (SELECT 1 FROM versions AS other WHERE other.account_id = ${accountId}
        AND other.commit_id = touched.commit_id
        AND other.entry_id NOT IN (SELECT CAST(value AS BIGINT) FROM ${ids}))`;

export async function countVersions(query: Query, accountId: string, ids: Sql): Promise<number> {
  const row = await query.get<{ n: number }>(
    sql`SELECT count(*) AS n FROM versions WHERE ${versionsOf(accountId, ids)}`,
  );
  return row?.n ?? 0;
}

export async function sumBytes(query: Query, { account_id, erasedIds }: ErasedEntries): Promise<number> {
  const bytes = fragment('octet_length(document)');
  const row = await query.get<{ n: number }>(
    sql`SELECT CAST(coalesce(sum(${bytes}), 0) AS BIGINT) AS n FROM versions WHERE ${versionsOf(account_id, erasedIds)}`,
  );
  return row?.n ?? 0;
}

/** Removing a long text takes as long as writing it: few entries per statement, so that others get their turn. */
const ENTRIES_PER_STATEMENT = 256;

export async function deleteEntries({ tx, account_id, dialect }: Work, ids: readonly number[]): Promise<number> {
  let versions = 0;
  for (let at = 0; at < ids.length; at += ENTRIES_PER_STATEMENT) {
    const some = versionsOf(account_id, dialect.numbers(ids.slice(at, at + ENTRIES_PER_STATEMENT)));
    versions += await tx.run(sql`DELETE FROM versions WHERE ${some}`);
    await tx.run(sql`DELETE FROM standings WHERE ${some}`);
    await tx.run(sql`DELETE FROM kept_entries WHERE ${some}`);
    await tx.run(sql`DELETE FROM entries WHERE ${some}`);
  }
  return versions;
}

/** When and by whom the newest remaining entry was written; `counted` correlates it with a row of the outer statement. */
export function newestLeft(
  { account_id, branch, erasedIds }: Pick<ErasedEntries, 'account_id' | 'branch' | 'erasedIds'>,
  counted: Sql,
): Sql {
  return sql`SELECT written_at, agent_id FROM entries WHERE entries.account_id = ${account_id}
      AND entries.branch = ${branch} AND ${counted} AND entry_id NOT IN (SELECT CAST(value AS BIGINT) FROM ${erasedIds})
    ORDER BY seq DESC LIMIT 1`;
}

export type AuthoredEntry = EntryHead & { by_others: number };

/** Returns the entries of which the agent wrote a version, and whether other agents wrote some as well, by their numbers. */
export function listAuthored(
  query: Query,
  { account_id, agent_id }: Pick<ErasedAgent, 'account_id' | 'agent_id'>,
  { after, limit }: { after: number; limit: number },
): Promise<AuthoredEntry[]> {
  return query.all(
    sql`SELECT ${HEAD}, CASE WHEN EXISTS (SELECT 1 FROM versions WHERE versions.account_id = ${account_id}
            AND versions.entry_id = entries.entry_id AND versions.agent_id <> ${agent_id}) THEN 1 ELSE 0 END AS by_others
        FROM entries${stood(account_id)} WHERE entries.account_id = ${account_id}
          AND entries.entry_id IN (SELECT versions.entry_id FROM versions WHERE versions.account_id = ${account_id}
            AND versions.agent_id = ${agent_id} AND versions.entry_id > ${after})
        ORDER BY entries.entry_id LIMIT ${limit}`,
  );
}

export type StandingText = { entry_id: number; standing: string };

export function listStandingsNaming(
  query: Query,
  { account_id, agent_id }: Pick<ErasedAgent, 'account_id' | 'agent_id'>,
): Promise<StandingText[]> {
  return query.all(
    sql`SELECT entry_id, standing FROM standings WHERE account_id = ${account_id} AND standing IS NOT NULL
          AND standing LIKE ${likeJsonText(agent_id)} ESCAPE '!'`,
  );
}

/** The same for entries as branches and tags see them. */
export function listKeptStandingsNaming(
  query: Query,
  { account_id, agent_id }: Pick<ErasedAgent, 'account_id' | 'agent_id'>,
): Promise<(StandingText & { until_seq: number })[]> {
  return query.all(
    sql`SELECT entry_id, until_seq, standing FROM kept_entries WHERE account_id = ${account_id} AND standing IS NOT NULL
          AND standing LIKE ${likeJsonText(agent_id)} ESCAPE '!'`,
  );
}
