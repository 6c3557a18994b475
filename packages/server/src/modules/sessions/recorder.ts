import type { NoteRecorder } from '../../kernel/index.ts';
import { addRecalls } from '../entries/offers.ts';
import { SessionReadCache } from './read-cache.ts';
import { recordSessions } from './record-sessions.ts';

/** Records notes in sessions, and counts how often entries are recalled. */
export function openRecorder(): NoteRecorder {
  const memory = new SessionReadCache();
  return async (work, { sessions, recalls }) => {
    memory.follow(work.services.knownLogs.rewinds);
    const recorded = await recordSessions(work, memory, sessions);
    const { account_id } = work;
    const rows = recalls.map(({ entry_id, times }) => ({ account_id, entry_id, recall_count: times }));
    // In the order of the table, so that neighbours share a page.
    rows.sort((a, b) => a.entry_id - b.entry_id);
    if (rows.length > 0) work.send(work.tx.insertMany(addRecalls, rows));
    await work.waitForSent();
    return () => memory.keep(recorded);
  };
}
