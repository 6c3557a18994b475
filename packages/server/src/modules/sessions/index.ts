import type { Module } from '../../kernel/index.ts';
import { erasesAgent } from './counters.ts';
import { erasesEntries } from './erase.ts';
import { deleteIdleSessions } from './idle.ts';
import { migrations } from './migrations.ts';
import { openRecorder } from './recorder.ts';
import { sessionBranch } from './session-branch.ts';
import { tables } from './tables.ts';

export { dropCleanReads, staleReadsOfWriter } from './clean-reads.ts';
export { listOpenReads, listOpenSessions, type OpenRead } from './open-readers.ts';
export {
  type ItemKind,
  type ItemRow,
  itemKinds,
  listActionPlaces,
  type SessionKey,
  type SessionRow,
} from './queries.ts';
export { countAttemptReads, type SessionReadRow } from './reads.ts';
export { loadShown, type NamedHit, type ShownNumbers, shownNumbers } from './shown.ts';
export { listStaleReads, type StaleRead, staleReadsAmong } from './stale.ts';
export {
  addItem,
  addItems,
  endSession,
  getSession,
  isLargeSession,
  loadSession,
  loadSessionWithin,
  moveItems,
  type NewItem,
  type OpenSession,
  openSession,
  roomIn,
  SESSION_FULL,
  saveSession,
  sessionInScope,
} from './store.ts';

/** Holds what callers read and record until an outcome seals it. */
export const sessions: Module = {
  name: 'sessions',
  migrations,
  tables,
  erasesEntries,
  erasesAgent,
  handlers: {},
  maintenance: [{ name: 'sessions.forget_idle', run: deleteIdleSessions }],
  recorder: openRecorder,
  hooks: () => ({ sessionBranch }),
};
