import { fragment, type Query, sql, type Transaction } from '../../db/index.ts';

export type AccountRow = {
  account_id: string;
  name: string;
  plan: string | null;
  status: 'active' | 'suspended';
  created_at: number;
};

const ACCOUNT = fragment('account_id, name, plan, status, created_at');

export function getAccount(query: Query, accountId: string): Promise<AccountRow | undefined> {
  return query.get(sql`SELECT ${ACCOUNT} FROM accounts WHERE account_id = ${accountId}`);
}

/** Over all accounts, for whoever runs the service. */
export function listAccounts(query: Query, page: { after: string; limit: number }): Promise<AccountRow[]> {
  return query.all(
    sql`SELECT ${ACCOUNT} FROM accounts WHERE account_id > ${page.after} ORDER BY account_id LIMIT ${page.limit}`,
  );
}

export function setAccount(tx: Transaction, { account_id, name, plan, status }: AccountRow): Promise<number> {
  return tx.run(
    sql`UPDATE accounts SET name = ${name}, plan = ${plan}, status = ${status} WHERE account_id = ${account_id}`,
  );
}
