import { fragment, type Insert, type Query, sql, type Transaction } from '@mem-service/server/module';

export type BackfillRow = {
  account_id: string;
  backfill_id: string;
  /** Null for all that are active, or where a behavior is looked for. */
  judge_id: string | null;
  /** What is looked for in place of judging. */
  behavior_id: string | null;
  for_agent: string | null;
  /** Traces from this place in the log up to before the other. */
  from_seq: number;
  until_seq: number;
  /** Everything before it is done. */
  next_seq: number;
  sampling_rate: number;
  max_traces: number;
  status: string;
  /** Why it was stopped. */
  reason: string | null;
  /** 1 where its judge asks a model. */
  asks_model: number;
  traces: number;
  verdicts: number;
  failed: number;
  agent_id: string;
  created_seq: number;
  created_at: number;
  ended_at: number | null;
};

export const upsertBackfills: Insert = {
  table: 'backfills',
  columns: {
    account_id: 'text',
    backfill_id: 'text',
    judge_id: 'text',
    behavior_id: 'text',
    for_agent: 'text',
    from_seq: 'int',
    until_seq: 'int',
    next_seq: 'int',
    sampling_rate: 'real',
    max_traces: 'int',
    status: 'text',
    reason: 'text',
    asks_model: 'int',
    traces: 'int',
    verdicts: 'int',
    failed: 'int',
    agent_id: 'text',
    created_seq: 'int',
    created_at: 'int',
    ended_at: 'int',
  },
  suffix: `ON CONFLICT (account_id, backfill_id) DO UPDATE SET next_seq = excluded.next_seq, status = excluded.status, reason = excluded.reason,
    traces = excluded.traces, verdicts = excluded.verdicts, failed = excluded.failed, ended_at = excluded.ended_at`,
};

const BACKFILL = fragment(Object.keys(upsertBackfills.columns).join(', '));

export function getBackfill(query: Query, accountId: string, id: string): Promise<BackfillRow | undefined> {
  return query.get(sql`SELECT ${BACKFILL} FROM backfills WHERE account_id = ${accountId} AND backfill_id = ${id}`);
}

export type BackfillPage = { account_id: string; before: number; limit: number };

export function listBackfills(query: Query, { account_id, before, limit }: BackfillPage): Promise<BackfillRow[]> {
  return query.all(
    sql`SELECT ${BACKFILL} FROM backfills WHERE account_id = ${account_id} AND created_seq < ${before}
        ORDER BY created_seq DESC LIMIT ${limit}`,
  );
}

/** The oldest that has not ended, of those that ask a model or of the others. */
export function getRunning(query: Query, accountId: string, asksModel: 0 | 1): Promise<BackfillRow | undefined> {
  return query.get(
    sql`SELECT ${BACKFILL} FROM backfills WHERE account_id = ${accountId} AND status = 'running'
          AND asks_model = ${asksModel} ORDER BY created_seq LIMIT 1`,
  );
}

export async function countRows(query: Query, accountId: string): Promise<{ n: number; running: number }> {
  const found = await query.get<{ n: number; running: number }>(
    sql`SELECT CAST(count(*) AS BIGINT) AS n, CAST(coalesce(sum(CASE WHEN status = 'running' THEN 1 ELSE 0 END), 0) AS BIGINT) AS running
        FROM backfills WHERE account_id = ${accountId}`,
  );
  return found ?? { n: 0, running: 0 };
}

export function deleteOldestEnded(tx: Transaction, accountId: string): Promise<number> {
  return tx.run(
    sql`DELETE FROM backfills WHERE account_id = ${accountId} AND backfill_id IN (SELECT backfill_id FROM backfills
          WHERE account_id = ${accountId} AND status <> 'running' ORDER BY created_seq LIMIT 1)`,
  );
}
