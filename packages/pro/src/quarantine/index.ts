import type { Module } from '@mem-service/server/module';
import { changeHandlers } from './changes.ts';
import { erasesEntries } from './erase.ts';
import { migrations } from './migrations.ts';
import { readHandlers } from './reads.ts';
import { tables } from './tables.ts';

/** What rests on bad memory, taken out of reads until it is released. */
export const quarantine: Module = {
  name: 'quarantine',
  migrations,
  tables,
  erasesEntries,
  handlers: { ...readHandlers, ...changeHandlers },
};
