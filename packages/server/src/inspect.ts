import { coreModules } from './app.ts';
import type { Config } from './config.ts';
import { expectedSchema, missingParts, nameParts, type StoreSchema } from './db/expected-schema.ts';
import { type AppliedMigration, compareSchema, type Engine, type SchemaState } from './db/index.ts';
import { DDL } from './db/migrate.ts';
import { checkPostgres, type PostgresState } from './db/postgres-check.ts';
import { checkSqlite } from './db/sqlite-check.ts';
import { installedModules } from './installed.ts';
import { type Module, migrationsOf, SELF_HOSTED_ACCOUNT, tablesOf } from './kernel/index.ts';
import { countKeys } from './modules/keys/index.ts';
import { type ModelProbe, probeModels } from './modules/recall/index.ts';

export type { ModelProbe };

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

/** Tries the servers of models that the settings name. */
export const inspectModels = ({ settings }: Config): Promise<ModelProbe[]> => probeModels(settings);

/** Inspects the store of this machine without migrating it. */
export async function inspectStore(config: Config): Promise<StoreReport> {
  const { postgresDsn, dataDir } = config;
  const modules = [...coreModules, ...(await installedModules(config))];
  if (postgresDsn === undefined) {
    const { problems, counted, ...found } = await checkSqlite(dataDir, (query) =>
      countKeys(query, SELF_HOSTED_ACCOUNT, Date.now()),
    );
    return { ...schemaReport({ ...found, engine: 'sqlite' }, modules), problems, stored_keys: counted };
  }
  const { postgresDirectDsn: directDsn, postgresPool: poolSize, readOnly } = config;
  const postgres = await checkPostgres(
    { dsn: postgresDsn, directDsn, poolSize, readOnly },
    {
      names: new Set(tablesOf(modules).map(({ table }) => table)),
      rowSecurity: config.rowSecurity,
      role: config.postgresRole,
    },
  );
  const found = { applied: postgres.applied, schema: postgres.schema, engine: 'postgres' } as const;
  return { ...schemaReport(found, modules), problems: [], postgres };
}

export type SchemaReport = Pick<StoreReport, 'schema' | 'pending' | 'refusal' | 'absent_modules'>;

type FoundStore = { applied: readonly AppliedMigration[]; schema: StoreSchema; engine: Engine };

/** What the program makes of the migrations and tables of a file. */
export async function inspectFile(config: Config, found: Omit<FoundStore, 'engine'>): Promise<SchemaReport> {
  return schemaReport({ ...found, engine: 'sqlite' }, [...coreModules, ...(await installedModules(config))]);
}

function schemaReport({ applied, schema, engine }: FoundStore, modules: readonly Module[]): SchemaReport {
  const steps = migrationsOf(modules);
  const { pending, refusal, absent_modules } = compareSchema(applied, steps);
  const done = applied.length === 0 ? [] : steps.filter((step) => !pending.includes(step));
  const missing = missingParts(expectedSchema(done, DDL[engine]), schema);
  const lacking = missing.length > 0 ? { found: `it lacks ${nameParts(missing)}`, isNewer: false } : undefined;
  return { schema: applied.length, pending: pending.length, refusal: refusal ?? lacking, absent_modules };
}
