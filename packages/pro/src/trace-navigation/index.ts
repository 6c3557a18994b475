import type { Module } from '@mem-service/server/module';
import { erasesAgent, followTraces, indexTraces } from './follow-log.ts';
import { handlers } from './handlers.ts';
import { migrations } from './migrations.ts';
import { tables, wordIndexes } from './tables.ts';

/** Sealed sessions: search in them, their spans, and what two or more of them did alike and otherwise. */
export const traceNavigation: Module = {
  name: 'trace-navigation',
  migrations,
  tables,
  wordIndexes,
  erasesAgent,
  followsTraces: followTraces,
  handlers,
  consumers: [indexTraces],
};
