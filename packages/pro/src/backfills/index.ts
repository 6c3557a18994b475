import type { Module } from '@mem-service/server/module';
import { handlers } from './handlers.ts';
import { migrations } from './migrations.ts';
import { runBackfills } from './run.ts';
import { runBackfillsByModel } from './run-by-model.ts';
import { tables } from './tables.ts';

/** Judges look at traces of the past. */
export const backfills: Module = {
  name: 'backfills',
  migrations,
  tables,
  handlers,
  consumers: [runBackfills, runBackfillsByModel],
};
