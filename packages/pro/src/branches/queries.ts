import {
  andAll,
  type CachedFind,
  type FirstRows,
  fragment,
  type Insert,
  type Query,
  type Sql,
  sql,
  type Transaction,
  type Update,
} from '@mem-service/server/module';

export type BranchStatus = 'active' | 'merged' | 'closed';

export type BranchRow = {
  account_id: string;
  name: string;
  parent: string;
  fork_seq: number;
  /** JSON of the spans that the branch shows besides its own writes. */
  inherits: string;
  status: BranchStatus;
  /** 1: only merges write to it. */
  is_protected: number;
  description: string;
  created_by: string;
  /** The key that created it, with those that it replaced. */
  holder: string | null;
  created_seq: number;
  created_at: number;
  merged_by: string | null;
  merged_at: number | null;
  closed_by: string | null;
  closed_at: number | null;
};

export const insertBranch: Insert = {
  table: 'branches',
  columns: {
    account_id: 'text',
    name: 'text',
    parent: 'text',
    fork_seq: 'int',
    inherits: 'text',
    status: 'text',
    is_protected: 'int',
    description: 'text',
    created_by: 'text',
    holder: 'text',
    created_seq: 'int',
    created_at: 'int',
    merged_by: 'text',
    merged_at: 'int',
    closed_by: 'text',
    closed_at: 'int',
  },
};

/** The fork that was in force from a `seq` of the branch on. */
export type ForkRow = {
  account_id: string;
  branch: string;
  since_seq: number;
  parent: string;
  fork_seq: number;
  is_kept: number;
  inherits: string;
};

export const insertFork: Insert = {
  table: 'branch_forks',
  columns: {
    account_id: 'text',
    branch: 'text',
    since_seq: 'int',
    parent: 'text',
    fork_seq: 'int',
    is_kept: 'int',
    inherits: 'text',
  },
};

/** What a merge into a protected branch needs. */
export type ProtectionRow = {
  account_id: string;
  branch: string;
  required_approvals: number;
  dismisses_approvals: number;
  /** JSON of the names of checks. */
  required_checks: string;
  set_by: string;
  set_at: number;
};

export const putProtection: Insert = {
  table: 'branch_protections',
  columns: {
    account_id: 'text',
    branch: 'text',
    required_approvals: 'int',
    dismisses_approvals: 'int',
    required_checks: 'text',
    set_by: 'text',
    set_at: 'int',
  },
  suffix: `ON CONFLICT (account_id, branch) DO UPDATE SET required_approvals = excluded.required_approvals,
    dismisses_approvals = excluded.dismisses_approvals, required_checks = excluded.required_checks,
    set_by = excluded.set_by, set_at = excluded.set_at`,
};

/** The columns of a branch that change. */
export const updateBranches: Update = {
  table: 'branches',
  set: {
    fork_seq: 'int',
    inherits: 'text',
    status: 'text',
    is_protected: 'int',
    description: 'text',
    merged_by: 'text',
    merged_at: 'int',
    closed_by: 'text',
    closed_at: 'int',
  },
  by: { account_id: 'text', name: 'text' },
};

const BRANCH_COLUMNS = Object.keys(insertBranch.columns).join(', ');
const BRANCH = fragment(BRANCH_COLUMNS);
const FORK = fragment(Object.keys(insertFork.columns).join(', '));
const PROTECTION = fragment(Object.keys(putProtection.columns).join(', '));

export function getBranch(query: Query, accountId: string, name: string): Promise<BranchRow | undefined> {
  return query.get(sql`SELECT ${BRANCH} FROM branches WHERE account_id = ${accountId} AND name = ${name}`);
}

/** The same as a look-up that requests share: every read of a branch needs its row. */
export const findBranch: CachedFind = {
  table: 'branches',
  select: BRANCH_COLUMNS,
  by: { account_id: 'text', name: 'text' },
  number: 'created_seq',
};

/** The branches that were created with one of these keys. */
export function listCreatedBy(query: Query, accountId: string, holders: Sql): Promise<Pick<BranchRow, 'name'>[]> {
  return query.all(
    sql`SELECT name FROM branches WHERE account_id = ${accountId} AND holder IN (SELECT value FROM ${holders})`,
  );
}

type BranchesAfter = { after: string; limit: number };

/** Branches that are open for writes, by name. */
export function listActiveAfter(query: Query, accountId: string, part: BranchesAfter): Promise<BranchRow[]> {
  return query.all(
    sql`SELECT ${BRANCH} FROM branches WHERE account_id = ${accountId} AND name > ${part.after} AND status = 'active'
        ORDER BY name LIMIT ${part.limit}`,
  );
}

/** The fork of a branch in force at a place in the log; undefined before the branch was created. */
export function getForkAt(
  query: Query,
  accountId: string,
  { branch, seq }: { branch: string; seq: number },
): Promise<ForkRow | undefined> {
  return query.get(
    sql`SELECT ${FORK} FROM branch_forks
        WHERE account_id = ${accountId} AND branch = ${branch} AND since_seq <= ${seq}
        ORDER BY since_seq DESC LIMIT 1`,
  );
}

export type BranchPage = {
  account_id: string;
  status: BranchStatus | undefined;
  before: number;
  filters: readonly Sql[];
  limit: number;
  bytes: number;
};

export function listBranches(query: Query, page: BranchPage): Promise<FirstRows<BranchRow>> {
  const { account_id, status, before, limit, bytes } = page;
  const filters = status === undefined ? page.filters : [sql`status = ${status}`, ...page.filters];
  return query.first(
    sql`SELECT ${BRANCH} FROM branches WHERE account_id = ${account_id} AND created_seq < ${before}${andAll(filters)}
        ORDER BY created_seq DESC LIMIT ${limit}`,
    { columns: ['name', 'parent', 'inherits', 'description', 'created_by', 'merged_by', 'closed_by'], bytes },
  );
}

/** Whether an account has at least this many branches, of a status or of any. */
/** The names of branches, in order. */
export async function listBranchNames(query: Query, accountId: string, limit: number): Promise<string[]> {
  const rows = await query.all<{ name: string }>(
    sql`SELECT name FROM branches WHERE account_id = ${accountId} ORDER BY name LIMIT ${limit}`,
  );
  return rows.map(({ name }) => name);
}

export async function hasBranches(
  query: Query,
  accountId: string,
  { status, count }: { status?: BranchStatus; count: number },
): Promise<boolean> {
  const filters = status === undefined ? [] : [sql`status = ${status}`];
  const found = await query.get(
    sql`SELECT created_seq FROM branches WHERE account_id = ${accountId}${andAll(filters)}
        ORDER BY created_seq LIMIT 1 OFFSET ${count - 1}`,
  );
  return found !== undefined;
}

/** A branch that is open and was forked from this one. */
export function findOpenChild(query: Query, accountId: string, name: string): Promise<{ name: string } | undefined> {
  return query.get(
    sql`SELECT name FROM branches WHERE account_id = ${accountId} AND parent = ${name} AND status = 'active' LIMIT 1`,
  );
}

export function getProtection(query: Query, accountId: string, branch: string): Promise<ProtectionRow | undefined> {
  return query.get(
    sql`SELECT ${PROTECTION} FROM branch_protections WHERE account_id = ${accountId} AND branch = ${branch}`,
  );
}

export function deleteProtection(tx: Transaction, accountId: string, branch: string): Promise<number> {
  return tx.run(sql`DELETE FROM branch_protections WHERE account_id = ${accountId} AND branch = ${branch}`);
}

/** The bytes of the descriptions of branches that an agent created. */
export async function sumDescriptions(query: Query, accountId: string, agentId: string): Promise<number> {
  const found = await query.get<{ bytes: number }>(
    sql`SELECT CAST(coalesce(sum(${fragment('octet_length(description)')}), 0) AS BIGINT) AS bytes FROM branches
        WHERE account_id = ${accountId} AND created_by = ${agentId}`,
  );
  return found?.bytes ?? 0;
}

/** The branch shows its parent at another place from now on. */
export function moveFork(
  tx: Transaction,
  accountId: string,
  { name, fork_seq, inherits }: Pick<BranchRow, 'name' | 'fork_seq' | 'inherits'>,
): Promise<number> {
  return tx.run(
    sql`UPDATE branches SET fork_seq = ${fork_seq}, inherits = ${inherits}
        WHERE account_id = ${accountId} AND name = ${name}`,
  );
}

export function setMerged(
  tx: Transaction,
  accountId: string,
  { name, by, at }: { name: string; by: string; at: number },
): Promise<number> {
  return tx.run(
    sql`UPDATE branches SET status = 'merged', merged_by = ${by}, merged_at = ${at}
        WHERE account_id = ${accountId} AND name = ${name}`,
  );
}
