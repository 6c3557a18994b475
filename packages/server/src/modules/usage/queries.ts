import { type Find, type Insert, type Query, sql, type Transaction } from '../../db/index.ts';
import { accountState, type Charge } from '../../kernel/index.ts';

export type UsageCounter = { no: number; ops_used: number };
export type PeriodKey = { account_id: string; period: string };

export type AccountUsageRow = { name: string; plan: string | null; status: 'active' | 'suspended' } & {
  no: number | null;
  ops_used: number | null;
  storage_bytes: number;
  storage_entries: number;
  open_sessions: number;
};

/** The account, and its counter if anything was counted yet. */
export function getUsage(query: Query, { account_id, period }: PeriodKey): Promise<AccountUsageRow | undefined> {
  return query.get(
    sql`SELECT accounts.name, accounts.plan, accounts.status, accounts.storage_bytes, accounts.storage_entries,
          accounts.open_sessions, c.no, c.ops_used FROM ${accountState(account_id)}
        LEFT JOIN usage_counters AS c ON c.account_id = ${account_id} AND c.period = ${period}`,
  );
}

/** A count of a plan without a limit stops here: beyond it numbers are no longer exact, and would be unreadable. */
const MOST_OPS = Number.MAX_SAFE_INTEGER;

/** Adds to the counter, and reserves numbers for the ledger lines to come. */
export async function addUsage(
  tx: Transaction,
  { account_id, period }: PeriodKey,
  added: { lines: number; ops: number },
): Promise<UsageCounter> {
  const counter = await tx.get<UsageCounter>(
    sql`INSERT INTO usage_counters (account_id, period, no, ops_used)
        VALUES (${account_id}, ${period}, ${added.lines}, ${added.ops})
        ON CONFLICT (account_id, period) DO UPDATE SET
          no = usage_counters.no + excluded.no,
          ops_used = CASE WHEN usage_counters.ops_used > ${MOST_OPS} - excluded.ops_used THEN ${MOST_OPS}
            ELSE usage_counters.ops_used + excluded.ops_used END
        RETURNING no, ops_used`,
  );
  return counter as UsageCounter;
}

/** Locks the counter until the transaction ends. */
export const holdUsage = (tx: Transaction, place: PeriodKey): Promise<UsageCounter> =>
  addUsage(tx, place, { lines: 0, ops: 0 });

export type UsageLine = Charge & { at: number };

/** A ledger line, numbered back from the counter, which this transaction has advanced. */
export function insertLine(
  tx: Transaction,
  { account_id, period }: PeriodKey,
  { line, back }: { line: UsageLine; back: number },
): Promise<number> {
  return tx.run(
    sql`INSERT INTO usage_ledger (account_id, period, no, at, class, ops, requests, lease_id)
        SELECT account_id, period, no - CAST(${back} AS BIGINT), CAST(${line.at} AS BIGINT), CAST(${line.class} AS TEXT), CAST(${line.ops} AS BIGINT),
          CAST(${line.requests} AS BIGINT), CAST(${line.lease_id ?? null} AS TEXT)
        FROM usage_counters WHERE account_id = ${account_id} AND period = ${period}`,
  );
}

/** Requests of a key in one minute, on all servers. */
export type RequestCell = { account_id: string; key_id: string; cell: number; requests: number };

export const addRequests: Insert = {
  table: 'rate_cells',
  columns: { account_id: 'text', key_id: 'text', cell: 'int', requests: 'int' },
  suffix: `ON CONFLICT (account_id, key_id, cell) DO UPDATE SET requests = rate_cells.requests + excluded.requests
    RETURNING account_id, key_id, cell, requests`,
};

export const findCells: Find = {
  table: 'rate_cells',
  select: 'account_id, key_id, cell, requests',
  by: { account_id: 'text', key_id: 'text', cell: 'int' },
};

/** Minutes that no window includes any more, over all accounts. */
export function deleteOldCells(tx: Transaction, before: number): Promise<number> {
  return tx.run(sql`DELETE FROM rate_cells WHERE account_id IS NOT NULL AND cell < ${before}`);
}
