import { fragment, type Insert, type Query, type Sql, sql, type Transaction } from '../../db/index.ts';

export const kinds = ['traces', 'payloads'] as const;
export type Kind = (typeof kinds)[number];

/** `done_seq`: up to this place of the log everything that is old is gone. */
export type RetentionRow = {
  account_id: string;
  kind: Kind;
  days: number | null;
  updated_at: number;
  done_seq: number;
};

export const setRetention: Insert = {
  table: 'retention',
  columns: { account_id: 'text', kind: 'text', days: 'int', updated_at: 'int', done_seq: 'int' },
  suffix: `ON CONFLICT (account_id, kind) DO UPDATE SET days = excluded.days, updated_at = excluded.updated_at`,
};

const ROW = fragment('account_id, kind, days, updated_at, done_seq');

export function listRetention(query: Query, accountId: string): Promise<RetentionRow[]> {
  return query.all(sql`SELECT ${ROW} FROM retention WHERE account_id = ${accountId}`);
}

/** Over all accounts: the job goes through those that keep something for a while only. */
export function listDue(query: Query): Promise<RetentionRow[]> {
  return query.all(sql`SELECT ${ROW} FROM retention WHERE days IS NOT NULL ORDER BY account_id, kind`);
}

export function setDone(tx: Transaction, { account_id, kind }: RetentionRow, seq: number): Promise<number> {
  return tx.run(
    sql`UPDATE retention SET done_seq = ${seq} WHERE account_id = ${account_id} AND kind = ${kind} AND done_seq < ${seq}`,
  );
}

/** Whether a job has anything to do, so that none leaves a line in the audit trail for nothing. */
export function hasTraces(query: Query, accountId: string, age: { after: number; before: number }) {
  return query.get<{ seq: number }>(
    sql`SELECT seq FROM traces WHERE account_id = ${accountId} AND seq > ${age.after} AND seq < ${age.before} LIMIT 1`,
  );
}

export const freeRows: readonly Sql[] = ['traces', 'trace_items'].map((table) => fragment(`VACUUM ${table}`));
