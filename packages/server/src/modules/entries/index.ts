import type { Module } from '../../kernel/index.ts';
import { analysisHandlers } from './analysis.ts';
import { sweepExpired } from './expiry.ts';
import { migrations } from './migrations.ts';
import { readHandlers } from './reads.ts';
import { writeHandlers } from './writes.ts';

export { EntrySet } from './apply.ts';
export { confidenceWithin, fadedConfidence, fadedMember } from './effective.ts';
export { type Address, liveAt, visibleTo } from './queries.ts';
export { findVisible } from './reads.ts';
export { type EntryRow, entryColumns, type Standing, toEntry, toVersion, UNTOUCHED } from './rows.ts';
export { evidenceStatus } from './rules/evidence.ts';
export { isLive, mayAgentSee } from './rules/next.ts';
export { authorOf, checkUnchanged, checkWrite, staleReadsOf, toDraft } from './writes.ts';

export const entries: Module = {
  name: 'entries',
  migrations,
  handlers: { ...readHandlers, ...writeHandlers, ...analysisHandlers },
  jobs: [{ name: 'sweep expired entries', run: sweepExpired }],
};
