import type { Module } from '../../kernel/index.ts';
import { countEvidence, eraseEvidence } from './erase-queries.ts';
import { migrations } from './migrations.ts';
import { tables } from './tables.ts';

export * from './credited-queries.ts';
export * from './outcome-type-queries.ts';
export * from './prediction-queries.ts';
export * from './queries.ts';
export * from './trace-queries.ts';
export * from './walk-queries.ts';

/** What outcomes changed in entries, line by line. Its operations belong to the module `outcomes`. */
export const ledger: Module = {
  name: 'ledger',
  migrations,
  tables,
  erasesEntries: {
    count: async ({ tx }, erased) => ({ evidence: await countEvidence(tx, erased) }),
    erase: async ({ tx }, erased) => ({ evidence: await eraseEvidence(tx, erased) }),
  },
  handlers: {},
};
