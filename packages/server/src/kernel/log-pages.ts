import { Fault } from '@mem-service/contract';
import type { FirstRows, Query } from '../db/index.ts';
import { type EventRange, listEventsFrom, listFirstEventsFrom, readHead, readPosition } from './event-queries.ts';
import { type GivenPosition, isEventAt, LOG_BEGIN, type LogPosition, positionText } from './log-position.ts';
import type { LogEvent } from './work.ts';

export type EventPage = { after: GivenPosition; limit: number };

/** The event that the page begins after is read too: it shows whether the log is still the same there. */
const rangeOf = ({ after: { seq }, limit }: EventPage): EventRange =>
  seq === 0 ? { from: 1, limit } : { from: seq, limit: limit + 1 };

type LogOf = { query: Query; account_id: string };

async function checkFirst({ query, account_id }: LogOf, after: GivenPosition, rows: LogEvent[]): Promise<LogEvent[]> {
  if (after.seq === 0) return rows;
  if (!isEventAt(rows[0], after)) throw await logRewound(query, account_id, after.seq);
  return rows.slice(1);
}

/** Every event of the account after a position, regardless of visibility. Refuses a position that the log no longer has. */
export async function listEvents(query: Query, account_id: string, page: EventPage): Promise<LogEvent[]> {
  return checkFirst({ query, account_id }, page.after, await listEventsFrom(query, account_id, rangeOf(page)));
}

/** The same, within a limit of bytes; at least one. */
export async function listFirstEvents(
  query: Query,
  account_id: string,
  { bytes, ...page }: EventPage & { bytes: number },
): Promise<FirstRows<LogEvent>> {
  const { rows: found, more } = await listFirstEventsFrom(query, account_id, { ...rangeOf(page), bytes });
  const rows = await checkFirst({ query, account_id }, page.after, found);
  if (rows.length > 0 || !more) return { rows, more };
  return { rows: await listEvents(query, account_id, { ...page, limit: 1 }), more: page.limit > 1 };
}

/** The position with its stamp. Refuses one that the log no longer has. */
export async function requirePosition(query: Query, account_id: string, given: GivenPosition): Promise<LogPosition> {
  if (given.seq === 0) return LOG_BEGIN;
  const found = await readPosition(query, account_id, given.seq);
  if (isEventAt(found, given)) return found;
  throw await logRewound(query, account_id, given.seq);
}

/** A reader that went on from there would miss the events that now have the numbers it has seen. */
export async function logRewound(query: Query, account_id: string, seq: number): Promise<Fault> {
  const head = (await readHead(query, account_id)) ?? LOG_BEGIN;
  const why = head.seq < seq ? `the log ends at ${head.seq}, before ${seq}` : `event ${seq} is another one now`;
  const message =
    `${why}: the log was set back, by a restored backup or by a failover that lost writes; ` +
    `read the memory again, then follow after ${positionText(head)}`;
  return new Fault('log_rewound', message, { last_seq: head.seq, position: positionText(head) });
}

export const isLogRewound = (error: unknown): error is Fault => error instanceof Fault && error.code === 'log_rewound';
