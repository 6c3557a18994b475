import { coreModules } from './app.ts';
import type { Config } from './config.ts';
import { type AppliedMigration, compareSchema, type SchemaState } from './db/index.ts';
import { checkPostgres, type PostgresState } from './db/postgres-check.ts';
import { checkSqlite } from './db/sqlite-check.ts';
import { installedModules } from './installed.ts';
import { type Module, migrationsOf, tablesOf } from './kernel/index.ts';

export type StoreReport = {
  /** How many migrations it has; 0 where no tables are there yet. */
  schema: number;
  /** How many of those that this program knows are still to be run. */
  pending: number;
  /** Why the program cannot use its schema. */
  refusal: SchemaState['refusal'];
  /** Found wrong with the file. */
  problems: string[];
  postgres?: PostgresState;
};

/** Looks at the store of this machine as it is, without bringing it up to date. */
export async function inspectStore(config: Config): Promise<StoreReport> {
  const { postgresDsn, dataDir } = config;
  const modules = [...coreModules, ...(await installedModules(config))];
  if (postgresDsn === undefined) {
    const { applied, problems } = await checkSqlite(dataDir);
    return { ...schemaReport(applied, modules), problems };
  }
  const postgres = await checkPostgres(postgresDsn, new Set(tablesOf(modules).map(({ table }) => table)));
  return { ...schemaReport(postgres.applied, modules), problems: [], postgres };
}

type SchemaReport = Pick<StoreReport, 'schema' | 'pending' | 'refusal'>;

function schemaReport(applied: readonly AppliedMigration[], modules: readonly Module[]): SchemaReport {
  const { pending, refusal } = compareSchema(applied, migrationsOf(modules));
  return { schema: applied.length, pending: pending.length, refusal };
}
