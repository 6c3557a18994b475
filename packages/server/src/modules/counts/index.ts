import type { Module } from '../../kernel/index.ts';
import { handlers } from './handlers.ts';
import { migrations } from './migrations.ts';
import { countsOfEntries } from './projection.ts';
import { tables } from './tables.ts';

export {
  countEntries,
  countInScope,
  countPaths,
  countShown,
  countWritten,
  findSharedCounts,
  listLargePaths,
  type SharedCount,
} from './sums-queries.ts';

export const counts: Module = { name: 'counts', migrations, tables, projections: [countsOfEntries], handlers };
