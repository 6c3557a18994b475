import type { Module } from '../../kernel/index.ts';
import { commit } from './commit.ts';
import { migrations } from './migrations.ts';
import { readHandlers } from './reads.ts';
import { tables } from './tables.ts';

export { countEvidence, eraseEvidence } from './erase/queries.ts';

export const outcomes: Module = {
  name: 'outcomes',
  migrations,
  tables,
  handlers: { 'outcomes.commit': commit, ...readHandlers },
};
