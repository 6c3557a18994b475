import { coreModules } from './app.ts';
import type { Config } from './config.ts';
import { type AppliedMigration, compareSchema, type SchemaState } from './db/index.ts';
import { checkPostgres, type PostgresState } from './db/postgres-check.ts';
import { checkSqlite } from './db/sqlite-check.ts';
import { installedModules } from './installed.ts';
import { type Module, migrationsOf, SELF_HOSTED_ACCOUNT, tablesOf } from './kernel/index.ts';
import { countKeys } from './modules/keys/index.ts';

export type StoreReport = {
  /** The number of migrations that the store has; 0 before its tables are created. */
  schema: number;
  /** The number of this program's migrations that have not run yet. */
  pending: number;
  /** Why the program cannot use this schema. */
  refusal: SchemaState['refusal'];
  /** Modules that are not installed, but have tables in the store. */
  absent_modules: string[];
  /** Problems found in the file. */
  problems: string[];
  /** API keys in the store that admit to a server. */
  stored_keys?: number;
  postgres?: PostgresState;
};

/** Inspects the store of this machine without migrating it. */
export async function inspectStore(config: Config): Promise<StoreReport> {
  const { postgresDsn, dataDir } = config;
  const modules = [...coreModules, ...(await installedModules(config))];
  if (postgresDsn === undefined) {
    const { applied, problems, counted } = await checkSqlite(dataDir, (query) =>
      countKeys(query, SELF_HOSTED_ACCOUNT, Date.now()),
    );
    return { ...schemaReport(applied, modules), problems, stored_keys: counted };
  }
  const postgres = await checkPostgres(postgresDsn, {
    names: new Set(tablesOf(modules).map(({ table }) => table)),
    rowSecurity: config.rowSecurity,
    role: config.postgresRole,
  });
  return { ...schemaReport(postgres.applied, modules), problems: [], postgres };
}

export type SchemaReport = Pick<StoreReport, 'schema' | 'pending' | 'refusal' | 'absent_modules'>;

/** What the program makes of the migrations of a file. */
export async function inspectFile(config: Config, applied: readonly AppliedMigration[]): Promise<SchemaReport> {
  return schemaReport(applied, [...coreModules, ...(await installedModules(config))]);
}

function schemaReport(applied: readonly AppliedMigration[], modules: readonly Module[]): SchemaReport {
  const { pending, refusal, absent_modules } = compareSchema(applied, migrationsOf(modules));
  return { schema: applied.length, pending: pending.length, refusal, absent_modules };
}
