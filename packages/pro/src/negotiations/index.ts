import type { Module } from '@mem-service/server/module';
import { changeHandlers } from './changes.ts';
import { followLeavers } from './follow-leavers.ts';
import { migrations } from './migrations.ts';
import { readHandlers } from './reads.ts';
import { tables } from './tables.ts';
import { timeOut } from './time-out.ts';

/** Agents of a room that look for something all can agree to, in rounds of proposals and answers. */
export const negotiations: Module = {
  name: 'negotiations',
  migrations,
  tables,
  handlers: { ...changeHandlers, ...readHandlers },
  followsLeavers: followLeavers,
  maintenance: [timeOut],
};
