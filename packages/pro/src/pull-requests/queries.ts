import {
  andAll,
  type FirstRows,
  fragment,
  type Insert,
  type Query,
  type Sql,
  sql,
  type Update,
} from '@mem-service/server/module';

export type PullRequestStatus = 'open' | 'merged' | 'closed';

export type PullRequestRow = {
  account_id: string;
  id: string;
  title: string;
  description: string;
  source_branch: string;
  target_branch: string;
  status: PullRequestStatus;
  created_by: string;
  /** The key or the member that opened it; null without keys. */
  holder: string | null;
  created_seq: number;
  created_at: number;
  updated_at: number;
  merged_by: string | null;
  merged_at: number | null;
  merge_strategy: string | null;
  merge_id: string | null;
  closed_by: string | null;
  closed_at: number | null;
  /** JSON of how it stood when it was merged or closed; null while it is open. */
  end_state: string | null;
};

export const insertPullRequest: Insert = {
  table: 'pull_requests',
  columns: {
    account_id: 'text',
    id: 'text',
    title: 'text',
    description: 'text',
    source_branch: 'text',
    target_branch: 'text',
    status: 'text',
    created_by: 'text',
    holder: 'text',
    created_seq: 'int',
    created_at: 'int',
    updated_at: 'int',
    merged_by: 'text',
    merged_at: 'int',
    merge_strategy: 'text',
    merge_id: 'text',
    closed_by: 'text',
    closed_at: 'int',
    end_state: 'text',
  },
};

/** The columns of a pull request that change. */
export const updatePullRequests: Update = {
  table: 'pull_requests',
  set: {
    title: 'text',
    description: 'text',
    status: 'text',
    updated_at: 'int',
    merged_by: 'text',
    merged_at: 'int',
    merge_strategy: 'text',
    merge_id: 'text',
    closed_by: 'text',
    closed_at: 'int',
    end_state: 'text',
  },
  by: { account_id: 'text', id: 'text' },
};

const PULL_REQUEST = fragment(Object.keys(insertPullRequest.columns).join(', '));

export function getPullRequest(query: Query, accountId: string, id: string): Promise<PullRequestRow | undefined> {
  return query.get(sql`SELECT ${PULL_REQUEST} FROM pull_requests WHERE account_id = ${accountId} AND id = ${id}`);
}

export type PullRequestPage = {
  account_id: string;
  status: PullRequestStatus | undefined;
  source_branch: string | undefined;
  target_branch: string | undefined;
  before: number;
  filters: readonly Sql[];
  limit: number;
  bytes: number;
};

export function listPullRequests(query: Query, page: PullRequestPage): Promise<FirstRows<PullRequestRow>> {
  const { account_id, status, source_branch, target_branch, before, limit, bytes } = page;
  const filters = [
    ...(status === undefined ? [] : [sql`status = ${status}`]),
    ...(source_branch === undefined ? [] : [sql`source_branch = ${source_branch}`]),
    ...(target_branch === undefined ? [] : [sql`target_branch = ${target_branch}`]),
    ...page.filters,
  ];
  return query.first(
    sql`SELECT ${PULL_REQUEST} FROM pull_requests WHERE account_id = ${account_id} AND created_seq < ${before}${andAll(filters)}
        ORDER BY created_seq DESC LIMIT ${limit}`,
    { columns: ['title', 'description', 'source_branch', 'target_branch'], bytes },
  );
}

/** Whether an account has at least this many pull requests, of a status or of any. */
export async function hasPullRequests(
  query: Query,
  accountId: string,
  { status, count }: { status?: PullRequestStatus; count: number },
): Promise<boolean> {
  const filters = status === undefined ? [] : [sql`status = ${status}`];
  const found = await query.get(
    sql`SELECT created_seq FROM pull_requests WHERE account_id = ${accountId}${andAll(filters)}
        ORDER BY created_seq LIMIT 1 OFFSET ${count - 1}`,
  );
  return found !== undefined;
}

export type PullEnds = Pick<PullRequestRow, 'source_branch' | 'target_branch'>;

/** Whether a branch is offered for a merge. */
export async function hasOpenFrom(query: Query, accountId: string, branch: string): Promise<boolean> {
  const found = await query.get(
    sql`SELECT id FROM pull_requests WHERE account_id = ${accountId} AND source_branch = ${branch} AND status = 'open' LIMIT 1`,
  );
  return found !== undefined;
}

export type OpenPullRequest = Pick<
  PullRequestRow,
  'id' | 'source_branch' | 'target_branch' | 'created_by' | 'created_seq'
>;

/** The oldest first. */
export function listOpenAfter(
  query: Query,
  accountId: string,
  { after, limit }: { after: number; limit: number },
): Promise<OpenPullRequest[]> {
  return query.all(
    sql`SELECT id, source_branch, target_branch, created_by, created_seq FROM pull_requests
        WHERE account_id = ${accountId} AND status = 'open' AND created_seq > ${after} ORDER BY created_seq LIMIT ${limit}`,
  );
}

/** The open pull request from one branch into another. */
export function findOpenBetween(
  query: Query,
  accountId: string,
  { source_branch, target_branch }: PullEnds,
): Promise<{ id: string } | undefined> {
  return query.get(
    sql`SELECT id FROM pull_requests WHERE account_id = ${accountId} AND source_branch = ${source_branch}
          AND target_branch = ${target_branch} AND status = 'open' LIMIT 1`,
  );
}

/** An open pull request from a branch or into it. */
export async function findOpenOf(query: Query, accountId: string, branch: string): Promise<{ id: string } | undefined> {
  const open = (column: 'source_branch' | 'target_branch') =>
    query.get<{ id: string }>(
      sql`SELECT id FROM pull_requests WHERE account_id = ${accountId} AND ${fragment(column)} = ${branch}
            AND status = 'open' LIMIT 1`,
    );
  return (await open('source_branch')) ?? (await open('target_branch'));
}
