import { expect } from 'vitest';
import { type Query, sql } from '../../packages/server/src/db/index.ts';
import type { TestApp } from './app.ts';
import type { HttpAnswer } from './wire.ts';

export type UsageLedgerLine = {
  period: string;
  no: number;
  class: string;
  ops: number;
  requests: number;
  lease_id: string | null;
};
export type UsageCounterRow = { period: string; no: number; ops_used: number };

export const ledgerOf = ({ kernel }: Pick<TestApp, 'kernel'>, accountId: string): Promise<UsageLedgerLine[]> =>
  readLedger(kernel.services.database.forAccount(accountId).read, accountId);

export const countersOf = ({ kernel }: Pick<TestApp, 'kernel'>, accountId: string): Promise<UsageCounterRow[]> =>
  readCounters(kernel.services.database.forAccount(accountId).read, accountId);

const readLedger = (query: Query, accountId: string): Promise<UsageLedgerLine[]> =>
  query.all(
    sql`SELECT period, no, class, ops, requests, lease_id FROM usage_ledger WHERE account_id = ${accountId}
        ORDER BY period, no`,
  );

const readCounters = (query: Query, accountId: string): Promise<UsageCounterRow[]> =>
  query.all(sql`SELECT period, no, ops_used FROM usage_counters WHERE account_id = ${accountId} ORDER BY period`);

/** Each counter is the sum of its lines, which are numbered without a gap. Gives back the sums by period. */
export async function balanced(
  { kernel }: Pick<TestApp, 'kernel'>,
  accountId: string,
): Promise<Record<string, number>> {
  // Leases are taken at any moment, also between two looks.
  const snapshot = await kernel.services.database.snapshot(accountId);
  const lines = await readLedger(snapshot, accountId);
  const counters = await readCounters(snapshot, accountId);
  await snapshot.close();
  for (const { period, no, ops_used } of counters) {
    const own = lines.filter((line) => line.period === period);
    expect(own.map((line) => line.no)).toEqual(Array.from({ length: no }, (_, i) => i + 1));
    expect(own.reduce((sum, { ops }) => sum + ops, 0)).toBe(ops_used);
  }
  expect(new Set(lines.map(({ period }) => period))).toEqual(
    new Set(counters.filter(({ no }) => no > 0).map(({ period }) => period)),
  );
  return Object.fromEntries(counters.map(({ period, ops_used }) => [period, ops_used]));
}

export const remainingIn = ({ headers }: HttpAnswer): number =>
  Number(headers.get('x-mem-ops-remaining') ?? Number.NaN);
