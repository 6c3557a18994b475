import { type AgentEraser, addStored, type Work } from '../../kernel/index.ts';
import { isLong, listParts } from './item-parts.ts';
import * as queries from './queries.ts';

type CountedSession = Pick<queries.SessionRow, 'reads' | 'items' | 'bytes' | 'recorded'>;

/** What a row counted for when it was loaded; a row that is not here is new. */
const counted = new WeakMap<object, CountedSession>();

const NOT_OPEN = { open_sessions: 0, reader_notes: 0, storage_bytes: 0 };

const amountsOf = (row: CountedSession | undefined) =>
  row
    ? { open_sessions: 1, reader_notes: row.recorded === 0 ? 1 + row.reads + row.items : 0, storage_bytes: row.bytes }
    : NOT_OPEN;

/** Remembers what a stored session counts for, before it is changed. */
export function loaded<R extends CountedSession | undefined>(row: R): R {
  if (row) counted.set(row, { ...row });
  return row;
}

/** Adds what changed in a session since it was loaded or counted to the counters of its account. */
export function countSession(work: Work, row: CountedSession): void {
  const [before, after] = [amountsOf(counted.get(row)), amountsOf(row)];
  addStored(work, {
    open_sessions: after.open_sessions - before.open_sessions,
    reader_notes: after.reader_notes - before.reader_notes,
    storage_bytes: after.storage_bytes - before.storage_bytes,
  });
  counted.set(row, { ...row });
}

/**
 * Deletes a session, such as one whose content was sealed. A long one is deleted in turns with other requests; what follows
 * in the transaction has to wait for it.
 */
export async function clearSession(work: Work, row: queries.SessionCounts): Promise<void> {
  const { open_sessions, reader_notes, storage_bytes } = amountsOf(counted.get(row));
  addStored(work, {
    open_sessions: -open_sessions,
    reader_notes: -reader_notes,
    storage_bytes: -storage_bytes,
  });
  counted.delete(row);
  const { tx, dialect } = work;
  // A server of PostgreSQL deletes it elsewhere.
  if (dialect.engine === 'sqlite' && isLong(row))
    for (const numbers of await listParts(tx, row, dialect)) await queries.deleteSomeItems(tx, row, numbers);
  work.send(queries.deleteSession(tx, row));
}

/** The declaration of the tables deletes the sessions of an agent. */
export const erasesAgent: AgentEraser = {
  async erase(work, agent) {
    const { open_sessions, reader_notes, storage_bytes } = (await queries.sumSessions(work.tx, agent)) ?? NOT_OPEN;
    addStored(work, {
      open_sessions: -open_sessions,
      reader_notes: -reader_notes,
      storage_bytes: -storage_bytes,
    });
  },
};
