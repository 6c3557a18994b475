import { isSamePosition, type LogPosition, type Work } from '../../kernel/index.ts';
import type { SessionKey } from './queries.ts';
import { type CheckedReads, checkReads, type StaleRead } from './stale.ts';

/** A session whose reads, up to a page, nobody else had changed at a position in the log. */
type CleanReads = Omit<CheckedReads, 'stale'> & { at: LogPosition };

const MAX_SESSIONS = 10_000;

/** By database, so that each process remembers for itself. */
const memories = new WeakMap<object, Map<string, CleanReads>>();

function memoryOf({ services }: Work): Map<string, CleanReads> {
  const known = memories.get(services.database) ?? new Map<string, CleanReads>();
  memories.set(services.database, known);
  return known;
}

const nameOf = ({ account_id, agent_id, session }: SessionKey) => `${account_id}\n${agent_id}\n${session}`;

/** Whether everything that this transaction has changed so far was changed by the session. */
const isAllOwn = ({ events }: Work, { agent_id, session }: SessionKey): boolean =>
  events.every((event) => event.agent_id === agent_id && event.session === session);

/**
 * Returns what others have changed since the session of a write read it. As long as only the session itself changes its
 * account, reads that were checked once need not be checked again: the cost of a write does not grow with what its
 * session has read before.
 */
export async function staleReadsOfWriter(work: Work, key: SessionKey): Promise<StaleRead[]> {
  const memory = memoryOf(work);
  const known = memory.get(nameOf(key));
  const clean = known && isStillClean(work, key, known) ? known : undefined;
  const { now, dialect, events } = work;
  const checked = await checkReads(work.tx, key, { now, dialect, events, after: clean?.last_page ?? 0 });
  const { stale, last_page } = checked;
  // Only what was committed is remembered: after a failure another event takes the same `seq`.
  work.afterCommit(() => {
    memory.delete(nameOf(key));
    if (stale.length > 0 || last_page === 0 || !isAllOwn(work, key)) return;
    const expires_at = Math.min(checked.expires_at, clean?.expires_at ?? Number.POSITIVE_INFINITY);
    memory.set(nameOf(key), { at: work.position, last_page, expires_at });
    if (memory.size > MAX_SESSIONS) memory.delete(memory.keys().next().value as string);
  });
  return stale;
}

const isStillClean = (work: Work, key: SessionKey, { at, expires_at }: CleanReads): boolean =>
  expires_at > work.now && isSamePosition(work.start, at) && isAllOwn(work, key);

/** For a write of an entry that will end by itself: its own session may have read it before. */
export function dropCleanReads(work: Work, key: SessionKey): void {
  work.afterCommit(() => memoryOf(work).delete(nameOf(key)));
}
