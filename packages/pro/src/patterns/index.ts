import type { Module } from '@mem-service/server/module';
import { changeHandlers } from './changes.ts';
import { migrations } from './migrations.ts';
import { readHandlers } from './reads.ts';
import { runScans } from './run-scan.ts';
import { tables } from './tables.ts';

/** What somebody should look at: what fails again and again, contradicts itself, is out of date or waits. */
export const patterns: Module = {
  name: 'patterns',
  migrations,
  tables,
  handlers: { ...changeHandlers, ...readHandlers },
  consumers: [runScans],
};
