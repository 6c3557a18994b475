import {
  type BranchPermission,
  type FirstRows,
  fragment,
  type Insert,
  type Query,
  sql,
  type Transaction,
} from '@mem-service/server/module';

export type GranteeType = 'user' | 'team' | 'api_key';

export type GrantRow = {
  account_id: string;
  branch: string;
  grantee_type: GranteeType;
  grantee_id: string;
  permission: BranchPermission;
  granted_by: string;
  granted_at: number;
};

export const insertGrant: Insert = {
  table: 'branch_grants',
  columns: {
    account_id: 'text',
    branch: 'text',
    grantee_type: 'text',
    grantee_id: 'text',
    permission: 'text',
    granted_by: 'text',
    granted_at: 'int',
  },
};

const GRANT = fragment(Object.keys(insertGrant.columns).join(', '));

export type GrantAddress = Pick<GrantRow, 'account_id' | 'branch' | 'grantee_type' | 'grantee_id'>;

export function getGrant(query: Query, grant: GrantAddress): Promise<GrantRow | undefined> {
  const { account_id, branch, grantee_type, grantee_id } = grant;
  return query.get(
    sql`SELECT ${GRANT} FROM branch_grants WHERE account_id = ${account_id} AND branch = ${branch}
          AND grantee_type = ${grantee_type} AND grantee_id = ${grantee_id}`,
  );
}

export type GrantPage = {
  account_id: string;
  branch: string;
  after: readonly [string, string];
  limit: number;
  bytes: number;
};

export function listGrants(query: Query, page: GrantPage): Promise<FirstRows<GrantRow>> {
  const { account_id, branch, after, limit, bytes } = page;
  return query.first(
    sql`SELECT ${GRANT} FROM branch_grants WHERE account_id = ${account_id} AND branch = ${branch}
          AND (grantee_type, grantee_id) > (${after[0]}, ${after[1]})
        ORDER BY grantee_type, grantee_id LIMIT ${limit}`,
    { columns: ['branch', 'grantee_id', 'granted_by'], bytes },
  );
}

/** Null stands for a key without a member. */
export type Grantee = { holder: string; email: string | null; team_id: string | null };

/** What a branch grants to a key, to the person behind it and to the team of that person. */
export function listPermissions(
  query: Query,
  { account_id, branch }: Pick<GrantRow, 'account_id' | 'branch'>,
  { holder, email, team_id }: Grantee,
): Promise<Pick<GrantRow, 'permission'>[]> {
  return query.all(
    sql`SELECT permission FROM branch_grants WHERE account_id = ${account_id} AND branch = ${branch}
          AND ((grantee_type = 'api_key' AND grantee_id = ${holder}) OR (grantee_type = 'user' AND grantee_id = ${email})
            OR (grantee_type = 'team' AND grantee_id = ${team_id}))`,
  );
}

/** The branches that are granted to a key, to the person behind it or to the team of that person. */
export function listGranted(
  query: Query,
  accountId: string,
  { holder, email, team_id }: Grantee,
): Promise<Pick<GrantRow, 'branch'>[]> {
  return query.all(
    sql`SELECT branch FROM branch_grants WHERE account_id = ${accountId}
          AND ((grantee_type = 'api_key' AND grantee_id = ${holder}) OR (grantee_type = 'user' AND grantee_id = ${email})
            OR (grantee_type = 'team' AND grantee_id = ${team_id}))`,
  );
}

/** Whether a branch, or the whole account, has at least this many grants. */
export async function hasGrants(
  query: Query,
  { account_id, branch }: { account_id: string; branch?: string },
  count: number,
): Promise<boolean> {
  const of = branch === undefined ? sql`` : sql` AND branch = ${branch}`;
  const found = await query.get(
    sql`SELECT branch FROM branch_grants WHERE account_id = ${account_id}${of}
        ORDER BY branch, grantee_type, grantee_id LIMIT 1 OFFSET ${count - 1}`,
  );
  return found !== undefined;
}

export function updateGrant(tx: Transaction, row: GrantRow): Promise<number> {
  return tx.run(
    sql`UPDATE branch_grants SET permission = ${row.permission}, granted_by = ${row.granted_by},
          granted_at = ${row.granted_at}
        WHERE account_id = ${row.account_id} AND branch = ${row.branch}
          AND grantee_type = ${row.grantee_type} AND grantee_id = ${row.grantee_id}`,
  );
}

export function deleteGrant(tx: Transaction, grant: GrantAddress): Promise<number> {
  const { account_id, branch, grantee_type, grantee_id } = grant;
  return tx.run(
    sql`DELETE FROM branch_grants WHERE account_id = ${account_id} AND branch = ${branch}
          AND grantee_type = ${grantee_type} AND grantee_id = ${grantee_id}`,
  );
}

type GranteeAddress = Pick<GrantRow, 'account_id' | 'grantee_type' | 'grantee_id'>;

/** The bytes that the grants of a grantee take. */
export async function sumGrantsOf(query: Query, grantee: GranteeAddress): Promise<number> {
  const { account_id, grantee_type, grantee_id } = grantee;
  const found = await query.get<{ bytes: number }>(
    sql`SELECT CAST(coalesce(sum(${fragment('octet_length(branch) + octet_length(grantee_id)')}), 0) AS BIGINT) AS bytes
        FROM branch_grants
        WHERE account_id = ${account_id} AND grantee_type = ${grantee_type} AND grantee_id = ${grantee_id}`,
  );
  return found?.bytes ?? 0;
}

export function deleteGrantsOf(tx: Transaction, grantee: GranteeAddress): Promise<number> {
  const { account_id, grantee_type, grantee_id } = grantee;
  return tx.run(
    sql`DELETE FROM branch_grants
        WHERE account_id = ${account_id} AND grantee_type = ${grantee_type} AND grantee_id = ${grantee_id}`,
  );
}
