import { kernelErasesAgent, kernelErasesEntries } from './erase.ts';
import { erasersOf } from './erasure.ts';
import { kernelSharedTables, kernelTables } from './kernel-tables.ts';
import type { Module, Services } from './module.ts';
import type { SharedTable, TenantTable } from './tables.ts';

/** Every table with rows of accounts, in the order of an export. */
export const tablesOf = (modules: readonly Module[]): readonly TenantTable[] => [
  ...modules.flatMap((module) => module.tables ?? []),
  ...kernelTables,
];

export const sharedTablesOf = (modules: readonly Module[]): readonly SharedTable[] => [
  ...modules.flatMap((module) => module.sharedTables ?? []),
  ...kernelSharedTables,
];

/** Collects the tables, projections and erasers of all modules. */
export const registryOf = (
  modules: readonly Module[],
): Pick<Services, 'tables' | 'wordIndexes' | 'projections' | 'erasers'> => ({
  tables: tablesOf(modules),
  wordIndexes: modules.flatMap((module) => module.wordIndexes ?? []),
  projections: modules.flatMap((module) => module.projections ?? []).filter(({ runs }) => runs !== 'as a consumer'),
  erasers: erasersOf({ erasesEntries: kernelErasesEntries, erasesAgent: kernelErasesAgent }, modules),
});
