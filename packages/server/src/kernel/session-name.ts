import { fragment, type Sql, sql } from '../db/index.ts';
import type { Caller } from './caller.ts';

/** Before the holder of a session: no name that a caller gives has a control character. */
const HELD_BY = '\u001f';

/**
 * A name within what belongs to the holder of the caller's key. Another key may use the same name for something else, and
 * neither sees the other's. Without a key, and for keys that share their sessions, names are one for all.
 */
export const heldName = (name: string, { holder, key }: Pick<Caller, 'holder' | 'key'>): string =>
  holder === undefined || key?.shares_sessions ? name : name + HELD_BY + holder;

/** The internal name of a session. An agent that names none has one implicit session per key. */
export const sessionName = (session_id: string | null, caller: Pick<Caller, 'actor' | 'holder' | 'key'>): string =>
  session_id === null ? HELD_BY + (caller.holder ?? caller.actor) : heldName(session_id, caller);

/** The name of a session as callers know it. */
export function sessionIdOf(session: string): string | null {
  const end = session.indexOf(HELD_BY);
  return end < 0 ? session : end === 0 ? null : session.slice(0, end);
}

/** A condition on the column `session`: it is called this, by whichever key. */
export const isCalled = (session_id: string): Sql =>
  sql`(session = ${session_id} OR (session > ${session_id + HELD_BY} AND session < ${`${session_id} `}))`;

/** Events about what an open session records. They belong to the session, and so to its key. */
const RECORDED: ReadonlySet<string> = new Set([
  'context',
  'action',
  'error',
  'llm_call',
  'span',
  'attributes',
  'attempt',
]);
const isRecorded = fragment(`event_type IN (${[...RECORDED].map((type) => `'${type}'`).join(', ')})`);

type SessionEvent = { event_type: string; session: string };

/** Whether an event is about a session of another key. */
export function isOfOtherHolder({ holder }: Pick<Caller, 'holder'>, { event_type, session }: SessionEvent): boolean {
  if (holder === undefined || !RECORDED.has(event_type)) return false;
  const at = session.indexOf(HELD_BY);
  return at >= 0 && session.slice(at + 1) !== holder;
}

/** Leaves out events about sessions of other keys. */
export const withoutOtherHolders = ({ holder }: Pick<Caller, 'holder'>): Sql[] =>
  holder === undefined
    ? []
    : [sql`NOT (${isRecorded} AND session LIKE ${`%${HELD_BY}%`} AND session NOT LIKE ${`%${HELD_BY}${holder}`})`];
