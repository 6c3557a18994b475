import { fragment, type Insert, type Query, sql } from '../../db/index.ts';

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

export type CommitPage = { account_id: string; branch: string; agent_id: string; before: number; limit: number };

export function listCommits(query: Query, page: CommitPage): Promise<CommitRow[]> {
  return query.all(
    sql`SELECT ${COMMIT} FROM commits WHERE account_id = ${page.account_id} AND branch = ${page.branch}
          AND seq < ${page.before} AND visible_to IN ('', ${page.agent_id})
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
