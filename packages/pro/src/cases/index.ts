import type { Module } from '@mem-service/server/module';
import { changeHandlers } from './changes.ts';
import { migrations } from './migrations.ts';
import { readHandlers } from './reads.ts';
import { runHandlers } from './run.ts';
import { tables } from './tables.ts';

export { listCases, readSet, type SetState } from './queries.ts';
export { toRun } from './render.ts';
export { type CaseResultRow, type CaseRunRow, getNewestRun, listResults, listRunsOn } from './run-queries.ts';

/** Regression cases: tasks with what has to come of them, and runs of whole sets. */
export const cases: Module = {
  name: 'cases',
  migrations,
  tables,
  handlers: { ...changeHandlers, ...readHandlers, ...runHandlers },
};
