import { erasersOf } from './erasers.ts';
import { kernelErasesAgent, kernelErasesEntries } from './kernel-erasers.ts';
import { kernelSharedTables, kernelTables } from './kernel-tables.ts';
import type { Module, Services } from './module.ts';
import type { SharedTable, TenantTable } from './tables.ts';

/** Refuses modules that collide, before the store is opened. */
export function refuseCollisions(modules: readonly Module[]): void {
  const named = takenOnce('the module name');
  const served = takenOnce('the operation');
  const declared = takenOnce('the table');
  const declareAll = (owner: string, tables: readonly { table: string }[]) => {
    for (const { table } of tables) declared(table, owner);
  };
  named('kernel', 'the kernel');
  declareAll('the kernel', [...kernelTables, ...kernelSharedTables]);
  modules.forEach(({ name, handlers, tables = [], sharedTables = [], wordIndexes = [] }, i) => {
    const owner = `the module ${name}`;
    named(name, `module ${i + 1}`);
    for (const operation of Object.keys(handlers)) served(operation, owner);
    declareAll(owner, [...tables, ...sharedTables, ...wordIndexes]);
  });
}

function takenOnce(what: string): (name: string, owner: string) => void {
  const owners = new Map<string, string>();
  return (name, owner) => {
    const other = owners.get(name);
    if (other !== undefined) throw new Error(`${what} ${name} belongs to ${other} and to ${owner}`);
    owners.set(name, owner);
  };
}

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
): Pick<
  Services,
  | 'tables'
  | 'wordIndexes'
  | 'projections'
  | 'erasers'
  | 'followsTraces'
  | 'followsLeavers'
  | 'leavesShared'
  | 'findMember'
> => ({
  tables: tablesOf(modules),
  wordIndexes: modules.flatMap((module) => module.wordIndexes ?? []),
  projections: modules.flatMap((module) => module.projections ?? []).filter(({ runs }) => runs !== 'as a consumer'),
  followsTraces: modules.flatMap((module) => module.followsTraces ?? []),
  followsLeavers: modules.flatMap((module) => module.followsLeavers ?? []),
  leavesShared: modules.flatMap((module) => module.leavesShared ?? []),
  findMember: modules.find((module) => module.findMember)?.findMember,
  erasers: erasersOf({ erasesEntries: kernelErasesEntries, erasesAgent: kernelErasesAgent }, modules),
});
