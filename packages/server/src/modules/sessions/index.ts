import type { Module } from '../../kernel/index.ts';
import { erasesEntries } from './erase.ts';
import { forgetIdleSessions } from './idle.ts';
import { migrations } from './migrations.ts';
import { openRecorder } from './recorder.ts';
import { tables } from './tables.ts';

export type { ItemKind, ItemRow, SessionKey, SessionRow } from './queries.ts';
export { listActionPlaces } from './queries.ts';
export { countAttemptReads, type ReadRow } from './reads.ts';
export { listStaleReads, type StaleRead, staleAmong } from './stale.ts';
export {
  addItem,
  addItems,
  clearSession,
  FULL,
  linkOwnReads,
  loadSession,
  MAX_ITEMS,
  moveItems,
  type NewItem,
  newSession,
  type OpenSession,
  openSession,
  saveSession,
  sessionWithin,
} from './store.ts';

/** What callers see and record, kept until an outcome seals it. */
export const sessions: Module = {
  name: 'sessions',
  migrations,
  tables,
  erasesEntries,
  handlers: {},
  maintenance: [{ name: 'sessions.forget_idle', run: forgetIdleSessions }],
  recorder: openRecorder,
};
