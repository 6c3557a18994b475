import { Fault } from '@mem-service/contract';
import { coreModules } from './app.ts';
import type { Config } from './config.ts';
import { type Database, openPostgres } from './db/index.ts';
import { readObstacles } from './db/postgres-obstacles.ts';
import { divideTable, lockTable, readDivisions, type TableDivision } from './db/postgres-partition.ts';
import type { RowSecurity } from './db/row-security-types.ts';
import { inspectStore } from './inspect.ts';
import { installedModules } from './installed.ts';
import { presentServers, tablesOf } from './kernel/index.ts';
import { type PartitionOptions, type PartitionPlan, planDivision, refuseObstacles } from './partition-plan.ts';
import { rowSecurityRules } from './row-security-rules.ts';

/** Called before and after each table; `rows` is set after it. */
export type PartitionProgress = (table: string, rows?: number) => void;

export type PartitionReport = PartitionPlan & { rows: Record<string, number> };

/** What `partitionStore` would do, and why it would be refused. Changes nothing. */
export async function planPartitions(config: Config, options: PartitionOptions): Promise<PartitionPlan> {
  return withStore(config, (store) => planStore(store, options));
}

/**
 * Divides every table with rows of accounts that can be. Each table has a transaction of its own under the lock of the
 * migrations: a command that was ended in between goes on where it was when it is run again. All tables are looked at
 * before the first is changed, and each again under its lock.
 */
export async function partitionStore(
  config: Config,
  options: PartitionOptions,
  onProgress: PartitionProgress,
): Promise<PartitionReport> {
  return withStore(config, async (store) => {
    const plan = await planStore(store, options);
    refuseObstacles(plan.obstacles);
    const rows: Record<string, number> = {};
    for (const { table } of plan.pending) {
      onProgress(table);
      rows[table] = await divide(store, { table, partitions: plan.partitions });
      onProgress(table, rows[table]);
    }
    return { ...plan, rows };
  });
}

type OpenStore = { database: Database; names: ReadonlySet<string>; rowSecurity: RowSecurity };

const NONE = { foreign: [], taken: [], owners: [], servers: [] };

async function planStore(
  { database, names, rowSecurity }: OpenStore,
  options: PartitionOptions,
): Promise<PartitionPlan> {
  const { read } = database;
  const plan = planDivision(await readDivisions(read, names), options);
  const tables = plan.pending.map(({ table }) => table);
  if (tables.length === 0) return { ...plan, obstacles: NONE };
  const found = await readObstacles(read, { tables, partitions: plan.partitions }, rowSecurity);
  return { ...plan, obstacles: { ...found, servers: await presentServers(read, Date.now()) } };
}

async function divide(
  { database, rowSecurity }: OpenStore,
  { table, partitions }: { table: string; partitions: number },
): Promise<number> {
  const servers = await presentServers(database.read, Date.now());
  return database.alter(async (tx) => {
    const [found] = (await readDivisions(tx, new Set([table]))) as [TableDivision];
    // Another one was faster.
    if (found.partitions > 0) return 0;
    await lockTable(tx, table);
    refuseObstacles({ ...(await readObstacles(tx, { tables: [table], partitions }, rowSecurity)), servers });
    return divideTable(tx, { table, partitions, words: rowSecurity.rules.words[table] });
  });
}

async function withStore<T>(config: Config, work: (store: OpenStore) => Promise<T>): Promise<T> {
  const { postgresDsn: dsn, postgresDirectDsn: directDsn, postgresRole: role, client } = config;
  if (client.url !== undefined)
    throw new Fault('invalid_input', 'MEM_HTTP_URL names a server: run this where MEM_POSTGRES_DSN is known');
  if (dsn === undefined)
    throw new Fault('invalid_input', 'MEM_POSTGRES_DSN is not set: only a store in PostgreSQL has partitions');
  await refuseOtherSchema(config);
  const modules = [...coreModules, ...(await installedModules(config))];
  const rowSecurity = { mode: 'as found', role, rules: rowSecurityRules(modules) } as const;
  const database = await openPostgres({ dsn, directDsn, poolSize: 4, onError: () => {}, rowSecurity });
  try {
    return await work({ database, names: new Set(tablesOf(modules).map(({ table }) => table)), rowSecurity });
  } finally {
    await database.close();
  }
}

/** A migration that is still to run knows nothing of partitions, and may have to write tables again. */
async function refuseOtherSchema(config: Config): Promise<void> {
  const { schema, pending, refusal } = await inspectStore(config);
  if (refusal) throw new Fault('conflict', `the schema of the store is not as it should be: ${refusal.found}`);
  if (schema === 0) throw new Fault('not_found', 'there is no store yet: start mem once, and run this again');
  if (pending > 0)
    throw new Fault(
      'conflict',
      `the schema of the store is not up to date (${schema} of ${schema + pending}): start mem once`,
    );
}
