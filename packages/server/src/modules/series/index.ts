import type { Module } from '../../kernel/index.ts';
import { countEvents, deleteOldMinutes } from './follow-log.ts';
import { handlers } from './handlers.ts';
import { migrations } from './migrations.ts';
import { tables } from './tables.ts';

/** How much happened, by minute, hour and day. */
export const series: Module = {
  name: 'series',
  migrations,
  tables,
  handlers,
  consumers: [countEvents],
  maintenance: [deleteOldMinutes],
};
