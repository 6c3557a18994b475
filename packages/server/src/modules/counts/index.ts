import type { Module } from '../../kernel/index.ts';
import { handlers } from './handlers.ts';
import { migrations } from './migrations.ts';
import { tables } from './tables.ts';

export { changeCounts, forgetCounts } from './change.ts';
export type { Change, Counted } from './rules.ts';
export const counts: Module = { name: 'counts', migrations, tables, handlers };
