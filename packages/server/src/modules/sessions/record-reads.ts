import type { ReadNote, SessionNote } from '../../kernel/index.ts';
import type { SessionRow } from './queries.ts';
import { dayOf, type KnownReads } from './rules/known-reads.ts';

/** In a session with more reads than this, causes can no longer be told apart. */
const MAX_READS = 1000;

/** A session with its new notes and its earlier reads. */
export type RecordedSession = { row: SessionRow; notes: readonly SessionNote[]; known: KnownReads };

/** A read of an entry that another agent wrote: the first of an entry on a day is logged for both agents. */
export type ForeignRead = { read: ReadNote; isNew: boolean; isFirstOfDay: boolean };

/** `again`: what the session had read on an earlier day. */
export type NewReads = { reads: ReadNote[]; foreign: ForeignRead[]; again: ReadNote[] };

/** Returns the reads that are new to the session, up to its limit, and those of others' entries that are new to the day. */
export function takeNewReads({ row, notes, known }: RecordedSession): NewReads {
  const taken: NewReads = { reads: [], foreign: [], again: [] };
  for (const read of notes) {
    if (read.kind !== 'read') continue;
    const isNew = !known.has(read);
    const isForeign = read.written_by !== row.agent_id;
    const isFirstOfDay = isForeign && !known.hasOn(dayOf(read.at), read.entry_id);
    if (!isNew && !isFirstOfDay) continue;
    if (isNew && row.reads >= MAX_READS) {
      row.truncated = 1;
      continue;
    }
    if (isForeign) taken.foreign.push({ read, isNew, isFirstOfDay });
    if (isFirstOfDay) known.addOn(dayOf(read.at), read.entry_id);
    if (isNew) {
      row.reads++;
      taken.reads.push(read);
      known.add(read);
    } else taken.again.push(read);
  }
  return taken;
}
