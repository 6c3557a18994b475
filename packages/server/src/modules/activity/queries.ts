import { type FirstRows, fragment, type Insert, type Query, type Sql, sql, type Transaction } from '../../db/index.ts';
import type { CallTally } from '../../kernel/index.ts';

export type UsageKind = 'all' | 'agent' | 'path' | 'minute' | 'latency';

export type UsageRow = CallTally & { day: string; name: string; peak: number };

/** Adds to the stored counts, since every server writes its own. */
export const addUsage: Insert = {
  table: 'usage_days',
  columns: {
    account_id: 'text',
    kind: 'text',
    day: 'text',
    name: 'text',
    requests: 'int',
    reads: 'int',
    writes: 'int',
    ops: 'int',
    errors: 'int',
    peak: 'int',
  },
  suffix: `ON CONFLICT (account_id, kind, day, name) DO UPDATE SET
    requests = usage_days.requests + excluded.requests, reads = usage_days.reads + excluded.reads,
    writes = usage_days.writes + excluded.writes, ops = usage_days.ops + excluded.ops,
    errors = usage_days.errors + excluded.errors,
    peak = CASE WHEN excluded.peak > usage_days.peak THEN excluded.peak ELSE usage_days.peak END`,
};

/** The same, and returns the new value of each count. */
export const addMinutes: Insert = { ...addUsage, suffix: `${addUsage.suffix} RETURNING requests` };

/** Counts per minute are needed only until the busiest minute is known. */
export function deleteMinutes(tx: Transaction, accountId: string, before: string): Promise<number> {
  return tx.run(sql`DELETE FROM usage_days WHERE account_id = ${accountId} AND kind = 'minute' AND day < ${before}`);
}

export type DayRange = { account_id: string; from: string; to: string };

const within = ({ account_id, from, to }: DayRange, kind: UsageKind): Sql =>
  sql`account_id = ${account_id} AND kind = ${kind} AND day >= ${from} AND day <= ${to}`;

// PostgreSQL sums integers as numerics.
const SUMS = fragment(
  ['requests', 'reads', 'writes', 'ops', 'errors'].map((name) => `CAST(sum(${name}) AS BIGINT) AS ${name}`).join(', '),
);

export function listUsage(query: Query, range: DayRange, kind: UsageKind): Promise<UsageRow[]> {
  return query.all(
    sql`SELECT day, name, requests, reads, writes, ops, errors, peak FROM usage_days WHERE ${within(range, kind)}
        ORDER BY day, name`,
  );
}

/** Returns the names with most requests, without the row that sums up the rest. */
export function listTop(query: Query, range: DayRange, { kind, limit }: { kind: UsageKind; limit: number }) {
  return query.all<CallTally & { name: string }>(
    sql`SELECT name, ${SUMS} FROM usage_days WHERE ${within(range, kind)} AND name <> ''
        GROUP BY name ORDER BY requests DESC, name LIMIT ${limit}`,
  );
}

/** By day: the given names, and all others as one with an empty name. */
export function listSeries(
  query: Query,
  range: DayRange,
  { kind, names, bytes }: { kind: UsageKind; names: Sql; bytes: number },
): Promise<FirstRows<UsageRow>> {
  return query.first<UsageRow>(
    sql`SELECT day, shown AS name, ${SUMS} FROM (
          SELECT day, CASE WHEN name IN (SELECT value FROM ${names}) THEN name ELSE '' END AS shown,
            requests, reads, writes, ops, errors FROM usage_days WHERE ${within(range, kind)}) AS told
        GROUP BY day, shown ORDER BY day, shown`,
    { columns: ['name'], bytes },
  );
}

/** Returns the paths that calls named, including globs. */
export async function listPaths(query: Query, accountId: string): Promise<string[]> {
  const rows = await query.all<{ name: string }>(
    sql`SELECT DISTINCT name FROM usage_days WHERE account_id = ${accountId} AND kind = 'path'`,
  );
  return rows.map(({ name }) => name);
}

export const deletePaths = (tx: Transaction, accountId: string, names: Sql): Promise<number> =>
  tx.run(
    sql`DELETE FROM usage_days WHERE account_id = ${accountId} AND kind = 'path' AND name IN (SELECT value FROM ${names})`,
  );

export const eraseAgentUsage = (tx: Transaction, accountId: string, agentId: string): Promise<number> =>
  tx.run(sql`DELETE FROM usage_days WHERE account_id = ${accountId} AND kind = 'agent' AND name = ${agentId}`);
