import { andAll, fragment, type Insert, type Query, type Sql, sql, type Transaction } from '../../db/index.ts';
import type { ErasedEntries } from '../../kernel/index.ts';

export type CommitRow = {
  account_id: string;
  commit_id: string;
  branch: string;
  message: string;
  agent_id: string;
  session_id: string | null;
  parent_id: string | null;
  tree_hash: string;
  entry_count: number;
  visible_to: string;
  seq: number;
  created_at: number;
};

export const insertCommit: Insert = {
  table: 'commits',
  columns: {
    account_id: 'text',
    commit_id: 'text',
    branch: 'text',
    message: 'text',
    agent_id: 'text',
    session_id: 'text',
    parent_id: 'text',
    tree_hash: 'text',
    entry_count: 'int',
    visible_to: 'text',
    seq: 'int',
    created_at: 'int',
  },
};

const COMMIT = fragment(Object.keys(insertCommit.columns).join(', '));

export function getCommit(query: Query, accountId: string, commitId: string): Promise<CommitRow | undefined> {
  return query.get(sql`SELECT ${COMMIT} FROM commits WHERE account_id = ${accountId} AND commit_id = ${commitId}`);
}

export function getNewestCommit(
  query: Query,
  accountId: string,
  branch: string,
): Promise<{ commit_id: string } | undefined> {
  return query.get(
    sql`SELECT commit_id FROM commits WHERE account_id = ${accountId} AND branch = ${branch} ORDER BY seq DESC LIMIT 1`,
  );
}

/** `within`: conditions on `entries.entity_path`, for who sees only some of what commits wrote. */
export type CommitPage = {
  account_id: string;
  branch: string;
  agent_id: string;
  before: number;
  limit: number;
  within: readonly Sql[];
};

/** A condition: commits that wrote something within reach, or nothing at all. */
function wroteWithin({ account_id, agent_id, within }: Omit<CommitPage, 'branch' | 'before' | 'limit'>): Sql[] {
  if (within.length === 0) return [];
  return [
    sql`(commits.entry_count = 0 OR EXISTS (SELECT 1 FROM versions
          JOIN entries ON entries.account_id = ${account_id} AND entries.entry_id = versions.entry_id
          WHERE versions.account_id = ${account_id} AND versions.commit_id = commits.commit_id
            AND (versions.shared = 1 OR versions.agent_id = ${agent_id})${andAll(within)}))`,
  ];
}

export function listCommits(query: Query, page: CommitPage): Promise<CommitRow[]> {
  return query.all(
    sql`SELECT ${COMMIT} FROM commits WHERE account_id = ${page.account_id} AND branch = ${page.branch}
          AND seq < ${page.before} AND visible_to IN ('', ${page.agent_id})${andAll(wroteWithin(page))}
        ORDER BY seq DESC LIMIT ${page.limit}`,
  );
}

export type CommitVersion = { document: string; version: number; content_hash: string };

export function listCommitVersions(query: Query, commit: CommitRow, agentId: string): Promise<CommitVersion[]> {
  return query.all(
    sql`SELECT document, version, content_hash FROM versions
        WHERE account_id = ${commit.account_id} AND commit_id = ${commit.commit_id}
          AND (shared = 1 OR agent_id = ${agentId})
        ORDER BY seq`,
  );
}

const emptied = ({ account_id, emptiedCommits }: ErasedEntries): Sql =>
  sql`FROM commits WHERE account_id = ${account_id} AND commit_id IN (${emptiedCommits})`;

/** Where in the log they are. */
export const emptiedSeqs = (erased: ErasedEntries): Sql => sql`SELECT seq ${emptied(erased)}`;

export async function countEmptied(query: Query, erased: ErasedEntries): Promise<number> {
  return (await query.get<{ n: number }>(sql`SELECT count(*) AS n ${emptied(erased)}`))?.n ?? 0;
}

export function deleteEmptied(tx: Transaction, erased: ErasedEntries): Promise<number> {
  return tx.run(sql`DELETE ${emptied(erased)}`);
}
