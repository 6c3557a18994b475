import type { ReadNote, SessionNote } from '../../kernel/index.ts';
import type { SessionRow } from './queries.ts';
import type { KnownReads } from './rules/known-reads.ts';

/** In a session with more reads than this, causes can no longer be told apart. */
const MAX_READS = 1000;

/** A session with its new notes and its earlier reads. */
export type RecordedSession = { row: SessionRow; notes: readonly SessionNote[]; known: KnownReads };

/** Reads of entries that other agents wrote are `foreign`: they are logged for both agents. */
export type NewReads = { reads: ReadNote[]; foreign: { read: ReadNote; isFirstOfEntry: boolean }[] };

/** Returns the reads that are new to the session, up to its limit. */
export function takeNewReads({ row, notes, known }: RecordedSession): NewReads {
  const taken: NewReads = { reads: [], foreign: [] };
  for (const read of notes) {
    if (read.kind !== 'read' || known.has(read)) continue;
    if (row.reads >= MAX_READS) {
      row.truncated = 1;
      break;
    }
    row.reads++;
    taken.reads.push(read);
    if (read.written_by !== row.agent_id) taken.foreign.push({ read, isFirstOfEntry: !known.hasEntry(read.entry_id) });
    known.add(read);
  }
  return taken;
}
