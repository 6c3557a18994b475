import {
  type Dialect,
  emptySql,
  fragment,
  type Insert,
  joinSql,
  type Query,
  type Sql,
  sql,
  type Transaction,
} from '../../db/index.ts';
import type { LogPosition } from '../log-position.ts';
import type { LogEvent } from '../work.ts';
import { MAX_BACKOFF_MS } from './backoff.ts';

/** A cursor: one consumer in the log of one account. */
export type CursorKey = { account_id: string; consumer: string };

export type Claim = { seq: number; attempts: number };

type CursorClaim = { claimed_by: string; now: number; until: number };

const isAt = ({ account_id, consumer }: CursorKey): Sql => sql`account_id = ${account_id} AND consumer = ${consumer}`;

/** A time further ahead was set by a clock that was set back since: nobody would renew the claim, or retry, until then. */
const LONGEST_CLAIM_MS = 10 * 60_000;
const LONGEST_DELAY_MS = 2 * MAX_BACKOFF_MS;

/**
 * Claims a cursor that no other server holds and whose retry time has passed; skips a row that another transaction has
 * locked.
 */
export function claimCursor(
  tx: Transaction,
  dialect: Dialect,
  { key, claimed_by, now, until }: CursorClaim & { key: CursorKey },
): Promise<Claim | undefined> {
  return tx.get<Claim>(
    sql`UPDATE consumer_cursors SET claimed_by = ${claimed_by}, claimed_until = ${until}
        WHERE ${isAt(key)} AND consumer IN (SELECT consumer FROM consumer_cursors
          WHERE ${isAt(key)} AND (claimed_until <= ${now} OR claimed_until > ${now + LONGEST_CLAIM_MS})
            AND (retry_at <= ${now} OR retry_at > ${now + LONGEST_DELAY_MS})${fragment(dialect.skipLocked)})
        RETURNING seq, attempts`,
  );
}

/**
 * Claims a cursor that has no row yet. Returns nothing when the row exists by now, or when the account is gone. Locks the
 * account against the end of its purge, which deletes cursors and would not see this one.
 */
export function insertClaim(
  tx: Transaction,
  dialect: Dialect,
  { key, claimed_by, until }: CursorClaim & { key: CursorKey },
): Promise<Claim | undefined> {
  return tx.get<Claim>(
    sql`INSERT INTO consumer_cursors (account_id, consumer, seq, claimed_by, claimed_until)
        SELECT account_id, ${key.consumer}, 0, ${claimed_by}, CAST(${until} AS BIGINT) FROM accounts
        WHERE account_id = ${key.account_id} AND purged_at IS NULL${fragment(dialect.forShare)}
        ON CONFLICT (account_id, consumer) DO NOTHING RETURNING seq, attempts`,
  );
}

export type CursorState = { seq: number; claimed_until: number; retry_at: number; last_error: string };

export function readCursor(query: Query, key: CursorKey): Promise<CursorState | undefined> {
  return query.get<CursorState>(
    sql`SELECT seq, claimed_until, retry_at, last_error FROM consumer_cursors WHERE ${isAt(key)}`,
  );
}

/** Where a consumer is in the log of an account, as a statement to combine with others; no row before it began. */
export const cursorSeq = (key: CursorKey): Sql => sql`SELECT seq FROM consumer_cursors WHERE ${isAt(key)}`;

export function renewClaim(
  tx: Transaction,
  { key, claimed_by, until }: { key: CursorKey; claimed_by: string; until: number },
): Promise<number> {
  return tx.run(
    sql`UPDATE consumer_cursors SET claimed_until = ${until} WHERE ${isAt(key)} AND claimed_by = ${claimed_by}`,
  );
}

export type Held = { key: CursorKey; claimed_by: string; seq: number };

/**
 * Moves a cursor, and keeps the claim until a time or releases it. Returns 0 when the claim was lost, or when the log does
 * not have the place: the events were read before a failover that lost them.
 */
export function advanceCursor(
  tx: Transaction,
  { key, claimed_by, seq }: Held,
  { to, until }: { to: LogPosition; until: number },
): Promise<number> {
  return tx.run(
    sql`UPDATE consumer_cursors SET seq = ${to.seq}, attempts = 0, last_error = '', retry_at = 0,
          claimed_by = ${until === 0 ? '' : claimed_by}, claimed_until = ${until}
        WHERE ${isAt(key)} AND claimed_by = ${claimed_by} AND seq = ${seq}
          AND EXISTS (SELECT 1 FROM events
            WHERE events.account_id = ${key.account_id} AND events.seq = ${to.seq} AND events.stamp = ${to.stamp})`,
  );
}

export function releaseClaim(tx: Transaction, { key, claimed_by }: Held): Promise<number> {
  return tx.run(
    sql`UPDATE consumer_cursors SET claimed_by = '', claimed_until = 0 WHERE ${isAt(key)} AND claimed_by = ${claimed_by}`,
  );
}

/** Moves a cursor beyond the end of the log back to it, as where only the log was restored. */
export function resetCursor(tx: Transaction, { key, claimed_by }: Held): Promise<number> {
  const head = sql`(SELECT seq FROM accounts WHERE account_id = ${key.account_id})`;
  return tx.run(
    sql`UPDATE consumer_cursors SET seq = ${head}, claimed_by = '', claimed_until = 0
        WHERE ${isAt(key)} AND claimed_by = ${claimed_by} AND seq > ${head}`,
  );
}

export type Failure = { attempts: number; last_error: string; retry_at: number };

export function failCursor(tx: Transaction, { key, claimed_by }: Held, failure: Failure): Promise<number> {
  return tx.run(
    sql`UPDATE consumer_cursors SET attempts = ${failure.attempts}, last_error = ${failure.last_error},
          retry_at = ${failure.retry_at}, claimed_by = '', claimed_until = 0
        WHERE ${isAt(key)} AND claimed_by = ${claimed_by}`,
  );
}

/** A condition on events; none for a consumer of all types. */
export const ofTypes = (dialect: Dialect, event_types: readonly string[] | undefined): Sql =>
  event_types === undefined ? emptySql : sql` AND event_type IN (SELECT value FROM ${dialect.texts(event_types)})`;

/** The same as an alternative to another condition. */
const orOfTypes = (dialect: Dialect, event_types: readonly string[] | undefined): Sql =>
  event_types === undefined
    ? fragment(' OR true')
    : sql` OR event_type IN (SELECT value FROM ${dialect.texts(event_types)})`;

export type Stretch = { after: number; up_to: number; limit: number; event_types: readonly string[] | undefined };

/** Events of an account between two `seq`, in order, and the last one there, whatever its type. */
export function listConsumed(
  query: Query,
  dialect: Dialect,
  { account_id, after, up_to, limit, event_types }: Stretch & { account_id: string },
): Promise<LogEvent[]> {
  return query.all<LogEvent>({
    ...sql`SELECT account_id, seq, stamp, event_type, agent_id, branch, entity_path, key, version, visible_to, details, created_at,
          session, actor_agent_id FROM events
        WHERE account_id = ${account_id} AND seq > ${after} AND seq <= ${up_to}
          AND (seq = ${up_to}${orOfTypes(dialect, event_types)})
        ORDER BY seq LIMIT ${limit}`,
    packed: true,
  });
}

export const insertDeadLetter: Insert = {
  table: 'consumer_dead_letters',
  columns: { account_id: 'text', consumer: 'text', seq: 'int', attempts: 'int', error: 'text', failed_at: 'int' },
  suffix: `ON CONFLICT (account_id, consumer, seq) DO UPDATE SET attempts = consumer_dead_letters.attempts + 1,
    error = excluded.error, failed_at = excluded.failed_at, retry = 0`,
};

export type DeadLetter = {
  consumer: string;
  seq: number;
  attempts: number;
  error: string;
  failed_at: number;
  retry: number;
};

/** Dead letters that are to be retried. */
export function listRetries(query: Query, key: CursorKey, limit: number): Promise<{ seq: number }[]> {
  return query.all(
    sql`SELECT seq FROM consumer_dead_letters WHERE ${isAt(key)} AND retry = 1 ORDER BY seq LIMIT ${limit}`,
  );
}

export function deleteDeadLetter(tx: Transaction, key: CursorKey, seq: number): Promise<number> {
  return tx.run(sql`DELETE FROM consumer_dead_letters WHERE ${isAt(key)} AND seq = ${seq}`);
}

export type CursorRow = { consumer: string; seq: number; attempts: number; last_error: string; retry_at: number };

/** All cursors of an account. */
export function listCursors(query: Query, account_id: string): Promise<CursorRow[]> {
  return query.all<CursorRow>(
    sql`SELECT consumer, seq, attempts, last_error, retry_at FROM consumer_cursors WHERE account_id = ${account_id}`,
  );
}

/** The most dead letters of a consumer that are shown. */
const MAX_LETTERS = 1000;

/** The oldest dead letters of each consumer. */
export function listDeadLetters(query: Query, account_id: string, consumers: readonly string[]): Promise<DeadLetter[]> {
  const ofEach = consumers.map(
    (consumer) => sql`SELECT * FROM (SELECT consumer, seq, attempts, error, failed_at, retry FROM consumer_dead_letters
        WHERE ${isAt({ account_id, consumer })} ORDER BY seq LIMIT ${MAX_LETTERS}) AS oldest`,
  );
  return query.all<DeadLetter>(sql`${joinSql(ofEach, ' UNION ALL ')} ORDER BY consumer, seq`);
}

/** How many dead letters each consumer has in an account. */
export function countDeadLettersOf(query: Query, account_id: string): Promise<{ consumer: string; n: number }[]> {
  return query.all(
    sql`SELECT consumer, count(*) AS n FROM consumer_dead_letters WHERE account_id = ${account_id} GROUP BY consumer`,
  );
}

export type Waiting = CursorKey & { after: number; up_to: number; event_types: readonly string[] | undefined };

/** The first event in each stretch that the consumer wants; null where it wants none. */
export function listFirstWanted(
  query: Query,
  dialect: Dialect,
  waiting: readonly Waiting[],
): Promise<{ consumer: string; next: number | null }[]> {
  const ofEach = waiting.map(
    ({ account_id, consumer, after, up_to, event_types }) => sql`SELECT CAST(${consumer} AS TEXT) AS consumer,
        (SELECT min(seq) FROM events WHERE account_id = ${account_id} AND seq > ${after} AND seq <= ${up_to}${ofTypes(dialect, event_types)}) AS next`,
  );
  return query.all(joinSql(ofEach, ' UNION ALL '));
}

/** Whether the log has an event of some types after a `seq`, among the next ones, or too many to look at. */
export async function isWantedAfter(
  query: Query,
  dialect: Dialect,
  { account_id, after, most, event_types }: Omit<Waiting, 'consumer' | 'up_to'> & { most: number },
): Promise<boolean> {
  const row = await query.get<{ next: number | null; head: number | null }>(
    sql`SELECT (SELECT min(seq) FROM events WHERE account_id = ${account_id} AND seq > ${after}
          AND seq <= ${after + most}${ofTypes(dialect, event_types)}) AS next,
        (SELECT seq FROM accounts WHERE account_id = ${account_id}) AS head`,
  );
  return row?.next != null || (row?.head ?? 0) > after + most;
}

/** Deletes how far a consumer came: it would begin again. */
export function deleteCursor(tx: Transaction, key: CursorKey): Promise<number> {
  return tx.run(sql`DELETE FROM consumer_cursors WHERE ${isAt(key)}`);
}

const oneOrAll = (seq: number | undefined): Sql => (seq === undefined ? emptySql : sql` AND seq = ${seq}`);

/** Marks dead letters for a retry. Returns how many. */
export function retryDeadLetters(tx: Transaction, key: CursorKey, seq: number | undefined): Promise<number> {
  return tx.run(sql`UPDATE consumer_dead_letters SET retry = 1 WHERE ${isAt(key)}${oneOrAll(seq)}`);
}

/** Deletes what consumers keep about an account. */
export async function deleteConsumed(tx: Transaction, account_id: string): Promise<void> {
  await tx.run(sql`DELETE FROM consumer_dead_letters WHERE account_id = ${account_id}`);
  await tx.run(sql`DELETE FROM consumer_cursors WHERE account_id = ${account_id}`);
}

export function dropDeadLetters(tx: Transaction, key: CursorKey, seq: number | undefined): Promise<number> {
  return tx.run(sql`DELETE FROM consumer_dead_letters WHERE ${isAt(key)}${oneOrAll(seq)}`);
}
