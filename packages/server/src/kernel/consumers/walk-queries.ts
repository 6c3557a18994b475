import { type Dialect, type Insert, type Query, sql, type Transaction } from '../../db/index.ts';
import { type CursorKey, ofTypes } from './queries.ts';

export function listInstalled(query: Query): Promise<{ consumer: string }[]> {
  return query.all(sql`SELECT consumer FROM consumers`);
}

export function insertConsumer(tx: Transaction, consumer: string, now: number): Promise<number> {
  return tx.run(
    sql`INSERT INTO consumers (consumer, installed_at) VALUES (${consumer}, ${now}) ON CONFLICT (consumer) DO NOTHING`,
  );
}

/** Places the cursors of all accounts behind the newest event, so that older events are skipped. */
export function insertCursorsAtEnd(tx: Transaction, consumer: string): Promise<number> {
  return tx.run(
    sql`INSERT INTO consumer_cursors (account_id, consumer, seq) SELECT account_id, ${consumer}, seq FROM accounts
        WHERE purged_at IS NULL ON CONFLICT (account_id, consumer) DO NOTHING`,
  );
}

/** The last account of the next page of a walk. */
export async function pageEnd(query: Query, after: string, size: number): Promise<string | undefined> {
  const row = await query.get<{ account_id: string }>(
    sql`SELECT max(account_id) AS account_id FROM (SELECT account_id FROM accounts WHERE account_id > ${after}
          ORDER BY account_id LIMIT ${size}) AS page`,
  );
  return row?.account_id ?? undefined;
}

export type WalkPage = {
  consumer: string;
  event_types: readonly string[] | undefined;
  after: string;
  up_to: string;
  scan: number;
};

export type Behind = { account_id: string; head: number; seq: number; next: number | null };

/** The accounts of a page with events after the cursor, and the first of these that the consumer wants. */
export function listBehind(query: Query, dialect: Dialect, page: WalkPage): Promise<Behind[]> {
  return query.all<Behind>(
    sql`SELECT behind.account_id, behind.head, behind.seq, (SELECT min(events.seq) FROM events
          WHERE events.account_id = behind.account_id AND events.seq > behind.seq
            AND events.seq <= behind.seq + ${page.scan}${ofTypes(dialect, page.event_types)}) AS next
        FROM (SELECT accounts.account_id, accounts.seq AS head, coalesce(consumer_cursors.seq, 0) AS seq FROM accounts
          LEFT JOIN consumer_cursors ON consumer_cursors.account_id = accounts.account_id
            AND consumer_cursors.consumer = ${page.consumer}
          WHERE accounts.account_id > ${page.after} AND accounts.account_id <= ${page.up_to}
            AND accounts.deleted_at IS NULL AND accounts.seq > coalesce(consumer_cursors.seq, 0)) AS behind`,
  );
}

/** Moves cursors past events that the consumer does not want; never a claimed cursor. */
export const skipEvents: Insert = {
  table: 'consumer_cursors',
  columns: { account_id: 'text', consumer: 'text', seq: 'int' },
  suffix: `ON CONFLICT (account_id, consumer) DO UPDATE SET seq = excluded.seq
    WHERE consumer_cursors.seq < excluded.seq AND consumer_cursors.claimed_by = ''`,
};

/** Accounts with dead letters that are to be retried. */
export function listRetrying(query: Query, limit: number): Promise<CursorKey[]> {
  return query.all<CursorKey>(
    sql`SELECT DISTINCT account_id, consumer FROM consumer_dead_letters WHERE account_id IS NOT NULL AND retry = 1
        LIMIT ${limit}`,
  );
}

export function countDeadLetters(query: Query): Promise<{ consumer: string; n: number }[]> {
  return query.all(
    sql`SELECT consumer, count(*) AS n FROM consumer_dead_letters WHERE account_id IS NOT NULL GROUP BY consumer`,
  );
}

export type Measured = { consumer: string; lag: number; accounts_behind: number; dead_letters: number };

export function keepMeasured(tx: Transaction, { consumer, ...found }: Measured, now: number): Promise<number> {
  return tx.run(
    sql`UPDATE consumers SET lag = ${found.lag}, accounts_behind = ${found.accounts_behind},
          dead_letters = ${found.dead_letters}, measured_at = ${now} WHERE consumer = ${consumer}`,
  );
}

export function listMeasured(query: Query): Promise<(Measured & { measured_at: number })[]> {
  return query.all(
    sql`SELECT consumer, lag, accounts_behind, dead_letters, measured_at FROM consumers ORDER BY consumer`,
  );
}
