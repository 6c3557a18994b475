import { andAll, type FirstRows, joinSql, type Query, type Sql, sql } from '../db/index.ts';
import type { LogPosition } from './log-position.ts';
import type { LogEvent } from './work.ts';

/** The longest text in the details of an event is a message of 4096 characters, each of which JSON may escape. */
const MAX_DETAILS_BYTES = 32 * 1024;

export type EventRange = { from: number; limit: number };

const eventsFrom = (accountId: string, { from, limit }: EventRange): Sql =>
  sql`SELECT account_id, seq, stamp, event_type, agent_id, branch, entity_path, key, version, visible_to, details, created_at,
        session, actor_agent_id FROM events
      WHERE account_id = ${accountId} AND seq >= ${from} ORDER BY seq LIMIT ${limit}`;

/** Every event of the account from a `seq`, regardless of visibility. */
export function listEventsFrom(query: Query, accountId: string, range: EventRange): Promise<LogEvent[]> {
  return query.all<LogEvent>(eventsFrom(accountId, range));
}

/** The same, within a limit of bytes. */
export function listFirstEventsFrom(
  query: Query,
  accountId: string,
  { bytes, ...range }: EventRange & { bytes: number },
): Promise<FirstRows<LogEvent>> {
  const most = range.limit * MAX_DETAILS_BYTES;
  return query.first<LogEvent>(eventsFrom(accountId, range), { columns: ['details'], bytes, most });
}

export async function readPosition(query: Query, accountId: string, seq: number): Promise<LogPosition | undefined> {
  return query.get(sql`SELECT seq, stamp FROM events WHERE account_id = ${accountId} AND seq = ${seq}`);
}

/** A part of the log that goes on from a position. */
export type LogStretch = { from: LogPosition; to: number; types: readonly string[] };

/** Whether the log still has the position, and only events of these types after it. */
export async function hasOnlySince(query: Query, accountId: string, { from, to, types }: LogStretch): Promise<boolean> {
  const named = joinSql(
    types.map((type) => sql`${type}`),
    ', ',
  );
  const row = await query.get<{ n: number }>(
    sql`SELECT count(*) AS n FROM events WHERE account_id = ${accountId} AND seq >= ${from.seq} AND seq <= ${to}
          AND CASE WHEN seq = ${from.seq} THEN stamp = ${from.stamp} ELSE event_type IN (${named}) END`,
  );
  return row?.n === to - from.seq + 1;
}

export type CountedEvents = { type: string; since: number; looked_at: number };

/** How many events of a type there were in each minute since a time, among the newest of the log. */
export function countByMinute(query: Query, accountId: string, { type, since, looked_at }: CountedEvents) {
  return query.all<{ minute: number; n: number }>(
    sql`SELECT created_at / 60000 AS minute, count(*) AS n
        FROM (SELECT event_type, created_at FROM events WHERE account_id = ${accountId} ORDER BY seq DESC
              LIMIT ${looked_at}) AS newest
        WHERE event_type = ${type} AND created_at >= ${since} GROUP BY created_at / 60000`,
  );
}

/** A part of the log: from one `seq` up to another, which is left out. */
export type CountedStretch = { from: number; before: number; unit_ms: number; where: readonly Sql[] };

/** How many events of each type there were in each stretch of time. */
export function countByType(query: Query, accountId: string, { from, before, unit_ms, where }: CountedStretch) {
  return query.all<{ at: number; event_type: string; n: number }>(
    sql`SELECT unit_no * ${unit_ms} AS at, event_type, count(*) AS n
        FROM (SELECT event_type, created_at / ${unit_ms} AS unit_no FROM events
              WHERE account_id = ${accountId} AND seq >= ${from} AND seq < ${before}${andAll(where)}) AS counted
        GROUP BY unit_no, event_type`,
  );
}

/** Which agents have an event in which stretch of time: rows of `at` and `agent_id`. */
export const agentsInLog = (accountId: string, { from, before, unit_ms, where }: CountedStretch): Sql =>
  sql`SELECT created_at / ${unit_ms} * ${unit_ms} AS at, agent_id FROM events
      WHERE account_id = ${accountId} AND seq >= ${from} AND seq < ${before}${andAll(where)}`;

/** For a thread that has its own connection to a file of SQLite. */
export const stampStatement = 'SELECT stamp FROM events WHERE account_id = ? AND seq = ?';

/** Where the log of an account ends; undefined where it is empty. */
export function readHead(query: Query, accountId: string): Promise<LogPosition | undefined> {
  return query.get(sql`SELECT seq, stamp FROM events WHERE account_id = ${accountId} ORDER BY seq DESC LIMIT 1`);
}
