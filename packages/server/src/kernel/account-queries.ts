import { fragment, type Query, type Sql, sql, type Transaction } from '../db/index.ts';
import type { AccountRow } from './queries.ts';

/** An account as an admin sees it. */
export type AccountRecord = {
  account_id: string;
  name: string;
  plan: string | null;
  status: 'active' | 'suspended';
  created_at: number;
};

const ACCOUNT = fragment('account_id, name, plan, status, created_at');

export function getAccount(query: Query, accountId: string): Promise<AccountRecord | undefined> {
  return query.get(sql`SELECT ${ACCOUNT} FROM accounts WHERE account_id = ${accountId} AND deleted_at IS NULL`);
}

/** Over all accounts, for the operator; rooms belong to their members. */
export function listAccounts(query: Query, page: { after: string; limit: number }): Promise<AccountRecord[]> {
  return query.all(
    sql`SELECT ${ACCOUNT} FROM accounts WHERE account_id > ${page.after} AND deleted_at IS NULL
          AND NOT (account_id >= 'room:' AND account_id < 'room;')
        ORDER BY account_id LIMIT ${page.limit}`,
  );
}

export function setAccount(tx: Transaction, { account_id, name, plan, status }: AccountRecord): Promise<number> {
  return tx.run(
    sql`UPDATE accounts SET name = ${name}, plan = ${plan}, status = ${status} WHERE account_id = ${account_id}`,
  );
}

/** The state of an account that is ending. `exported_*`: its counters at its last full export. */
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

/** Removes name and plan. The row stays, so that the id is never used again. */
export function endAccount(tx: Transaction, accountId: string, now: number): Promise<number> {
  return tx.run(
    sql`UPDATE accounts SET name = '', plan = NULL, status = 'deleted', deleted_at = ${now} WHERE account_id = ${accountId}`,
  );
}

/** Over all accounts, for the task that deletes their rows. */
export function listEnded(query: Query): Promise<EndRow[]> {
  return query.all(sql`SELECT ${END} FROM accounts WHERE deleted_at IS NOT NULL AND purged_at IS NULL`);
}

export function setPurged(tx: Transaction, accountId: string, now: number): Promise<number> {
  return tx.run(
    sql`UPDATE accounts SET purged_at = ${now}, seq = 0, seq_stamp = 0, audit_no = 0, audit_hash = '', item_no = 0,
          storage_bytes = 0, storage_entries = 0, open_sessions = 0, reader_notes = 0, forked_seq = 0, main_protected = 0
        WHERE account_id = ${accountId}`,
  );
}

/** The counters of an account, as exported. */
export type AccountCounters = Pick<AccountRow, 'seq' | 'seq_stamp' | 'audit_no' | 'audit_hash' | 'item_no' | 'last_at'>;

/** Branches and tags may see the account as it was exported: what changes from now on is kept for them. */
export function setAccountCounters(tx: Transaction, accountId: string, counters: AccountCounters): Promise<number> {
  return tx.run(
    sql`UPDATE accounts SET seq = ${counters.seq}, seq_stamp = ${counters.seq_stamp}, audit_no = ${counters.audit_no},
          audit_hash = ${counters.audit_hash}, item_no = ${counters.item_no},
          last_at = ${counters.last_at}, forked_seq = ${counters.seq}
        WHERE account_id = ${accountId}`,
  );
}

/** The status and plan of all accounts, to be joined by `accounts.account_id`. */
export const accountStates: Sql = fragment('(SELECT account_id, status, plan FROM accounts) AS accounts');

/** The status and plan of one account, to be joined. */
export const accountState = (accountId: string): Sql =>
  sql`(SELECT account_id, name, status, plan, storage_bytes, storage_entries, open_sessions FROM accounts WHERE account_id = ${accountId}) AS accounts`;

/** A condition on rows of a table: their account has ended. */
export const ofEndedAccount = (table: string): string =>
  `EXISTS (SELECT 1 FROM accounts AS a WHERE a.account_id = ${table}.account_id AND a.deleted_at IS NOT NULL)`;

/** When the account was made, which distinguishes it from one of another store. */
export async function readCreation(query: Query, accountId: string): Promise<number | undefined> {
  const row = await query.get<{ created_at: number }>(
    sql`SELECT created_at FROM accounts WHERE account_id = ${accountId}`,
  );
  return row?.created_at;
}

/** For a thread that has its own connection to a file of SQLite. */
export const accountStatement = 'SELECT number, seq, created_at, deleted_at FROM accounts WHERE account_id = ?';

/** Where the logs of all accounts end, for figures about the whole store. */
export const liveAccounts: Sql = fragment('SELECT account_id, seq FROM accounts WHERE deleted_at IS NULL');

/** Neither suspended nor ended. */
export const activeAccounts: Sql = fragment(
  "SELECT account_id FROM accounts WHERE status = 'active' AND deleted_at IS NULL",
);
