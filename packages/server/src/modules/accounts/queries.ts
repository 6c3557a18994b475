import { type Engine, fragment, type Query, type Sql, sql, type Transaction } from '../../db/index.ts';
import type { TenantTable } from '../../kernel/index.ts';
import { rowidOf } from '../text/index.ts';

export type AccountRow = {
  account_id: string;
  name: string;
  plan: string | null;
  status: 'active' | 'suspended';
  created_at: number;
};

const ACCOUNT = fragment('account_id, name, plan, status, created_at');

export function getAccount(query: Query, accountId: string): Promise<AccountRow | undefined> {
  return query.get(sql`SELECT ${ACCOUNT} FROM accounts WHERE account_id = ${accountId} AND deleted_at IS NULL`);
}

/** Over all accounts, for whoever runs the service. */
export function listAccounts(query: Query, page: { after: string; limit: number }): Promise<AccountRow[]> {
  return query.all(
    sql`SELECT ${ACCOUNT} FROM accounts WHERE account_id > ${page.after} AND deleted_at IS NULL
        ORDER BY account_id LIMIT ${page.limit}`,
  );
}

export function setAccount(tx: Transaction, { account_id, name, plan, status }: AccountRow): Promise<number> {
  return tx.run(
    sql`UPDATE accounts SET name = ${name}, plan = ${plan}, status = ${status} WHERE account_id = ${account_id}`,
  );
}

/** How an account ends. `exported_*`: its place when it was last exported whole. */
export type EndRow = {
  account_id: string;
  number: number;
  name: string;
  seq: number;
  item_no: number;
  exported_seq: number | null;
  exported_item_no: number | null;
  deleted_at: number | null;
  purged_at: number | null;
};

const END = fragment('account_id, number, name, seq, item_no, exported_seq, exported_item_no, deleted_at, purged_at');

export function getEnd(query: Query, accountId: string): Promise<EndRow | undefined> {
  return query.get(sql`SELECT ${END} FROM accounts WHERE account_id = ${accountId}`);
}

export function noteExport(tx: Transaction, accountId: string, at: { seq: number; item_no: number }): Promise<number> {
  return tx.run(
    sql`UPDATE accounts SET exported_seq = ${at.seq}, exported_item_no = ${at.item_no} WHERE account_id = ${accountId}`,
  );
}

/** Nothing of it is left but that its id was used. */
export async function endAccount(tx: Transaction, accountId: string, now: number): Promise<void> {
  await tx.run(sql`DELETE FROM api_keys WHERE account_id = ${accountId}`);
  await tx.run(
    sql`UPDATE accounts SET name = '', plan = NULL, status = 'deleted', deleted_at = ${now} WHERE account_id = ${accountId}`,
  );
}

/** Over all accounts, for the job that removes what was theirs. */
export function listEnded(query: Query): Promise<EndRow[]> {
  return query.all(sql`SELECT ${END} FROM accounts WHERE deleted_at IS NOT NULL AND purged_at IS NULL`);
}

export function setPurged(tx: Transaction, accountId: string, now: number): Promise<number> {
  return tx.run(
    sql`UPDATE accounts SET purged_at = ${now}, seq = 0, audit_no = 0, audit_hash = '', item_no = 0
        WHERE account_id = ${accountId}`,
  );
}

/** Rows of a table, a few at a time, in the order of its key. */
export type Batch = { table: TenantTable; account_id: string; number: number; limit: number };

const few = ({ table, account_id, limit }: Batch, columns: Sql): Sql => {
  const key = fragment(table.key.join(', '));
  return sql`SELECT ${columns} FROM ${fragment(table.table)} WHERE account_id = ${account_id} ORDER BY ${key} LIMIT ${limit}`;
};

/** Gives back how many there were. On PostgreSQL words are in the rows themselves. */
export async function deleteSome(tx: Transaction, engine: Engine, batch: Batch): Promise<number> {
  const { table, account_id } = batch;
  if (engine === 'sqlite' && table.words)
    for (const { seq } of await tx.all<{ seq: number }>(few(batch, fragment('seq'))))
      await tx.run(sql`DELETE FROM ${fragment(table.words)} WHERE rowid = ${rowidOf(batch.number, seq)}`);
  const key = fragment(table.key.join(', '));
  return tx.run(
    sql`DELETE FROM ${fragment(table.table)} WHERE account_id = ${account_id} AND (${key}) IN (${few(batch, key)})`,
  );
}

export const freeRows = ({ table }: TenantTable): Sql => fragment(`VACUUM ${table}`);
