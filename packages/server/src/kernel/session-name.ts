import { fragment, joinSql, type Sql, sql } from '../db/index.ts';
import type { Caller } from './caller.ts';

/** Before the holder of a session: no name that a caller gives has a control character. */
const HELD_BY = '\u001f';

/** Stands for all keys that share their sessions. */
const SHARED = 'shared';

type SessionCaller = Pick<Caller, 'actor' | 'holder' | 'key'>;

/**
 * A name within what belongs to the holder of the caller's key. Another key may use the same name for something else, and
 * neither sees the other's.
 */
export function heldName(name: string, { holder, key }: Pick<Caller, 'holder' | 'key'>): string {
  if (!holder) return name;
  return name + HELD_BY + (key?.shares_sessions ? SHARED : holder);
}

/** The internal name of a session. An agent that names none has one implicit session per key. */
export const sessionName = (session_id: string | null, caller: SessionCaller): string =>
  session_id === null ? HELD_BY + (caller.holder || caller.actor) : heldName(session_id, caller);

/** The name of a session as callers know it. */
export function sessionIdOf(session: string): string | null {
  const end = session.indexOf(HELD_BY);
  return end < 0 ? session : end === 0 ? null : session.slice(0, end);
}

/** A condition on the column `session`: it is called this, by whichever key. */
export const isCalled = (session_id: string): Sql =>
  sql`(session = ${session_id} OR (session > ${session_id + HELD_BY} AND session < ${`${session_id} `}))`;

/** Events about what an open session records. They belong to the session, and so to its key. */
export const RECORDED_EVENTS: ReadonlySet<string> = new Set([
  'context',
  'action',
  'error',
  'llm_call',
  'span',
  'attributes',
  'attempt',
]);
const isRecorded = fragment(`event_type IN (${[...RECORDED_EVENTS].map((type) => `'${type}'`).join(', ')})`);

type SessionEvent = { event_type: string; session: string };

/** Whether an event is about a session of another key. The operator, who has no key, sees those of all. */
export function isOfOtherHolder(caller: SessionCaller, { event_type, session }: SessionEvent): boolean {
  if (caller.holder === undefined || !RECORDED_EVENTS.has(event_type)) return false;
  const at = session.indexOf(HELD_BY);
  return at < 0 ? caller.holder !== '' : !holdersOf(caller).includes(session.slice(at + 1));
}

const holdersOf = ({ actor, holder, key }: SessionCaller): string[] => [
  holder || actor,
  ...(key?.shares_sessions ? [SHARED] : []),
];

/** Of an event about a session without a holder; no holder is called so. */
const UNHELD = HELD_BY;

/** The holder that an event belongs to alone; empty where it belongs to nobody alone. */
export function holderOf({ event_type, session }: SessionEvent): string {
  if (!RECORDED_EVENTS.has(event_type)) return '';
  const at = session.indexOf(HELD_BY);
  return at < 0 ? UNHELD : session.slice(at + 1);
}

/** A condition on the column `held_by`, which has the holders of events: what the caller may know of. */
export function heldForCaller(caller: SessionCaller): Sql[] {
  if (caller.holder === undefined) return [];
  const holders = ['', ...holdersOf(caller), ...(caller.holder === '' ? [UNHELD] : [])];
  const each = holders.map((holder) => sql`${holder}`);
  return [sql`held_by IN (${joinSql(each, ', ')})`];
}

/** Leaves out events about sessions of other keys. */
export function withoutOtherHolders(caller: SessionCaller): Sql[] {
  if (caller.holder === undefined) return [];
  const own = holdersOf(caller).map((holder) => sql`session LIKE ${`%${HELD_BY}${holder}`}`);
  const unheld = caller.holder === '' ? [sql`session NOT LIKE ${`%${HELD_BY}%`}`] : [];
  return [sql`(NOT ${isRecorded} OR ${joinSql([...own, ...unheld], ' OR ')})`];
}
