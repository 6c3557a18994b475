import type { Module } from '@mem-service/server/module';
import { changeHandlers } from './changes.ts';
import { watchRules } from './follow-log.ts';
import { migrations } from './migrations.ts';
import { readHandlers } from './reads.ts';
import { tables } from './tables.ts';

/** Rules over verdicts, incidents, cost, time and calibration, and the alerts that they raise. */
export const alerts: Module = {
  name: 'alerts',
  migrations,
  tables,
  handlers: { ...changeHandlers, ...readHandlers },
  consumers: [watchRules],
};
