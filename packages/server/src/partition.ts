import { Fault } from '@mem-service/contract';
import { coreModules } from './app.ts';
import type { Config } from './config.ts';
import { type Database, openPostgres } from './db/index.ts';
import { divideTable, readDivisions, type TableDivision } from './db/postgres-partition.ts';
import { inspectStore } from './inspect.ts';
import { installedModules } from './installed.ts';
import { presentServers, tablesOf } from './kernel/index.ts';
import { rowSecurityRules } from './row-security-rules.ts';

export const DEFAULT_PARTITIONS = 8;
const MOST_PARTITIONS = 256;

export type PartitionOptions = {
  /** Undefined: as many as other tables of the store have, or the default. */
  partitions: number | undefined;
};

export type PartitionPlan = {
  partitions: number;
  /** What is to be done, in this order, with the bytes of each table and its indexes. */
  pending: { table: string; bytes: number }[];
  done: string[];
  /** Tables that stay in one piece, with the unique indexes that keep them so. */
  whole: { table: string; blocking: string[] }[];
};

/** Called before and after each table; `rows` is set after it. */
export type PartitionProgress = (table: string, rows?: number) => void;

export type PartitionReport = PartitionPlan & { rows: Record<string, number> };

/** What `partitionStore` would do. Changes nothing. */
export async function planPartitions(config: Config, options: PartitionOptions): Promise<PartitionPlan> {
  return withStore(config, async (database, names) => planOf(await readDivisions(database.read, names), options));
}

/**
 * Divides every table with rows of accounts that can be. Each table has a transaction of its own under the lock of the
 * migrations: a command that was ended in between goes on where it was when it is run again.
 */
export async function partitionStore(
  config: Config,
  options: PartitionOptions,
  onProgress: PartitionProgress,
): Promise<PartitionReport> {
  return withStore(config, async (database, names) => {
    const plan = planOf(await readDivisions(database.read, names), options);
    const rows: Record<string, number> = {};
    for (const { table } of plan.pending) {
      await refuseServers(database);
      onProgress(table);
      rows[table] = await database.alter(async (tx) => {
        const [found] = (await readDivisions(tx, new Set([table]))) as [TableDivision];
        // Another one was faster.
        return found.partitions > 0 ? 0 : divideTable(tx, table, plan.partitions);
      });
      onProgress(table, rows[table]);
    }
    return { ...plan, rows };
  });
}

export function planOf(found: readonly TableDivision[], { partitions }: PartitionOptions): PartitionPlan {
  const divided = found.filter((table) => table.partitions > 0);
  const [first] = divided;
  const count = partitions ?? first?.partitions ?? DEFAULT_PARTITIONS;
  if (!Number.isInteger(count) || count < 2 || count > MOST_PARTITIONS)
    throw new Fault('invalid_input', `--partitions must be a whole number from 2 to ${MOST_PARTITIONS}`);
  if (first && first.partitions !== count)
    throw new Fault(
      'conflict',
      `${first.table} has ${first.partitions} partitions already: their number can only be changed by moving to a new store with mem export and mem import`,
    );
  return {
    partitions: count,
    pending: found
      .filter((table) => table.partitions === 0 && table.blocking.length === 0)
      .map(({ table, bytes }) => ({ table, bytes })),
    done: divided.map(({ table }) => table),
    whole: found
      .filter((table) => table.partitions === 0 && table.blocking.length > 0)
      .map(({ table, blocking }) => ({ table, blocking })),
  };
}

async function withStore<T>(
  config: Config,
  work: (database: Database, names: ReadonlySet<string>) => Promise<T>,
): Promise<T> {
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
    return await work(database, new Set(tablesOf(modules).map(({ table }) => table)));
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

async function refuseServers(database: Database): Promise<void> {
  const servers = await presentServers(database.read, Date.now());
  if (servers.length > 0)
    throw new Fault(
      'conflict',
      `${servers.length === 1 ? 'a server is' : `${servers.length} servers are`} connected (${servers.join(', ')}): stop them and run this again. One that crashed is forgotten after 20 seconds`,
    );
}
