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
  if (!isEventAt(rows[0], after)) throw await logRewound(query, account_id, after);
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
  throw await logRewound(query, account_id, given);
}

/** A position that the log does not have. */
export class LogRewound extends Fault {
  /** Where the log is shorter than the position, the number of the event that is not there. */
  readonly missing: number | undefined;

  constructor(head: LogPosition, { seq, stamp }: GivenPosition) {
    const position = positionText(head);
    const setBack = 'the log was set back, by a restored backup or by a failover that lost writes';
    const readAgain = `read the memory again, then follow after ${position}`;
    const isShort = head.seq < seq;
    const why = isShort ? `the log ends at ${head.seq}, before ${seq}` : `event ${seq} is another one now`;
    // Anybody can make up a number; a stamp was seen.
    const message =
      isShort && stamp === undefined
        ? `${why}: if you have seen that event, ${setBack}: ${readAgain}`
        : `${why}: ${setBack}; ${readAgain}`;
    super('log_rewound', message, { last_seq: head.seq, position });
    this.missing = isShort ? seq : undefined;
  }
}

/** A reader that went on from there would miss the events that now have the numbers it has seen. */
async function logRewound(query: Query, account_id: string, given: GivenPosition): Promise<LogRewound> {
  return new LogRewound((await readHead(query, account_id)) ?? LOG_BEGIN, given);
}

export const isLogRewound = (error: unknown): error is Fault => error instanceof Fault && error.code === 'log_rewound';
