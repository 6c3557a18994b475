import { fragment, type Insert, type Query, sql, type Transaction } from '../../db/index.ts';

export const kinds = ['traces', 'payloads'] as const;
export type RetentionKind = (typeof kinds)[number];

/** `done_seq`: the job has dealt with everything old up to this `seq`. */
export type RetentionRow = {
  account_id: string;
  kind: RetentionKind;
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

/** Over all accounts: those with a retention period. */
export function listDue(query: Query): Promise<RetentionRow[]> {
  return query.all(sql`SELECT ${ROW} FROM retention WHERE days IS NOT NULL ORDER BY account_id, kind`);
}

export function setDone(tx: Transaction, { account_id, kind }: RetentionRow, seq: number): Promise<number> {
  return tx.run(
    sql`UPDATE retention SET done_seq = ${seq} WHERE account_id = ${account_id} AND kind = ${kind} AND done_seq < ${seq}`,
  );
}
