import type { Module } from '../../kernel/index.ts';
import { analysisHandlers } from './analysis.ts';
import { sweepExpired } from './expiry.ts';
import { migrations } from './migrations.ts';
import { readHandlers } from './reads.ts';
import { writeHandlers } from './writes.ts';

export { EntrySet } from './apply.ts';
export { type Address, liveAt, visibleTo } from './queries.ts';
export { type EntryRow, entryColumns, type Standing, toEntry } from './rows.ts';
export { authorOf, checkWrite, toDraft } from './writes.ts';

export const entries: Module = {
  name: 'entries',
  migrations,
  handlers: { ...readHandlers, ...writeHandlers, ...analysisHandlers },
  jobs: [{ name: 'sweep expired entries', run: sweepExpired }],
};
