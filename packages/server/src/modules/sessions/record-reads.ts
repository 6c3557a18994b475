import type { ReadNote, SessionNote } from '../../kernel/index.ts';
import type { SessionRow } from './queries.ts';
import type { KnownReads } from './rules/known-reads.ts';

/** A session that reads more than this has no causes to tell apart. */
const MAX_READS = 1000;

/** A session, what it saw now, and what it had read before. */
export type RecordedSession = { row: SessionRow; notes: readonly SessionNote[]; known: KnownReads };

/** What was read of others is told to both. */
export type NewReads = { reads: ReadNote[]; foreign: { read: ReadNote; isFirstOfEntry: boolean }[] };

/** What the session has not read before, as far as it has room. */
export function takeNewReads({ row, notes, known }: RecordedSession): NewReads {
  const taken: NewReads = { reads: [], foreign: [] };
  for (const read of notes) {
    if (read.kind !== 'read' || known.has(read.entry_id, read.version)) continue;
    if (row.reads >= MAX_READS) {
      row.truncated = 1;
      break;
    }
    row.reads++;
    taken.reads.push(read);
    if (read.written_by !== row.agent_id) taken.foreign.push({ read, isFirstOfEntry: !known.hasEntry(read.entry_id) });
    known.add(read.entry_id, read.version);
  }
  return taken;
}
