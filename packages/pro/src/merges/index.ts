import type { Module } from '@mem-service/server/module';
import { abort } from './abort.ts';
import { cherryPick } from './cherry-pick.ts';
import { conflictHandlers } from './conflict-handlers.ts';
import { diffHandlers } from './diff.ts';
import { erasesAgent, erasesEntries } from './erase.ts';
import { listHandlers } from './lists.ts';
import { refresh } from './merge.ts';
import { migrations } from './migrations.ts';
import { tables } from './tables.ts';

export { type MergeItem, mergeBranch } from './merge.ts';

/** What branches changed, and bringing it together. */
export const merges: Module = {
  name: 'merges',
  migrations,
  tables,
  erasesEntries,
  erasesAgent,
  handlers: {
    ...diffHandlers,
    ...listHandlers,
    ...conflictHandlers,
    'branches.refresh': refresh,
    'merges.abort': abort,
    'entries.cherry_pick': cherryPick,
  },
};
