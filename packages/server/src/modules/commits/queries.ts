import {
  andAll,
  type FirstRows,
  fragment,
  type Insert,
  type Query,
  type Sql,
  sql,
  type Transaction,
} from '../../db/index.ts';
import { type EntryView, type ErasedEntries, loggedIn } from '../../kernel/index.ts';
import { isCommitIn } from '../entries/index.ts';

export type CommitRow = {
  account_id: string;
  commit_id: string;
  branch: string;
  message: string;
  agent_id: string;
  session_id: string | null;
  parent_id: string | null;
  /** What a merge took its changes from: the newest commit there, or the state where there is none. */
  merged_parent: string | null;
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
    merged_parent: 'text',
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

export type CommitPage = { before: number; limit: number; bytes?: number };

/** A condition: commits that wrote something the view shows, or nothing at all. */
const wroteIn = (view: EntryView): Sql[] =>
  view.scope === undefined ? [] : [sql`(commits.entry_count = 0 OR ${isCommitIn(view, sql`commits.commit_id`)})`];

export function listCommits(
  query: Query,
  view: EntryView,
  { before, limit, bytes = Number.MAX_SAFE_INTEGER }: CommitPage,
): Promise<FirstRows<CommitRow>> {
  return query.first(
    sql`SELECT ${COMMIT} FROM commits WHERE account_id = ${view.account_id} AND ${loggedIn(view)}
          AND seq < ${before} AND visible_to IN ('', ${view.agent_id})${andAll(wroteIn(view))}
        ORDER BY seq DESC LIMIT ${limit}`,
    { columns: ['message'], bytes },
  );
}

const emptied = ({ account_id, emptiedCommits }: ErasedEntries): Sql =>
  sql`FROM commits WHERE account_id = ${account_id} AND commit_id IN (${emptiedCommits})`;

export const emptiedSeqs = (erased: ErasedEntries): Sql => sql`SELECT seq ${emptied(erased)}`;

export async function countEmptied(query: Query, erased: ErasedEntries): Promise<number> {
  return (await query.get<{ n: number }>(sql`SELECT count(*) AS n ${emptied(erased)}`))?.n ?? 0;
}

export function deleteEmptied(tx: Transaction, erased: ErasedEntries): Promise<number> {
  return tx.run(sql`DELETE ${emptied(erased)}`);
}
