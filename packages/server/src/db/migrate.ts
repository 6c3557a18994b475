import type { Database, Engine, OwnMigrations, Query, Transaction } from './database.ts';
import { expectedSchema, missingParts, nameParts, readSchema } from './expected-schema.ts';
import {
  type AppliedMigration,
  compareSchema,
  type Ddl,
  type MigrationStep,
  nameApplied,
  SchemaError,
} from './migration-order.ts';
import { type Sql, sql } from './sql.ts';

export const DDL: Record<Engine, Ddl> = {
  sqlite: { engine: 'sqlite', text: 'TEXT', int: 'INTEGER', real: 'REAL' },
  postgres: { engine: 'postgres', text: 'TEXT COLLATE "C"', int: 'BIGINT', real: 'DOUBLE PRECISION' },
};

const statement = (text: string): Sql => ({ text, values: [] });

const MODULE_COLUMN: Record<Engine, string> = {
  sqlite: `SELECT name FROM pragma_table_info('schema_migrations') WHERE name = 'module'`,
  postgres: `SELECT attname AS name FROM pg_attribute
    WHERE attrelid = to_regclass('schema_migrations') AND attname = 'module' AND NOT attisdropped`,
};

/** The migrations that ran on a database, in order. The table must exist. */
export async function readApplied(query: Pick<Query, 'all' | 'get'>, engine: Engine): Promise<AppliedMigration[]> {
  return (await query.get(statement(MODULE_COLUMN[engine])))
    ? query.all(sql`SELECT version, module, module_version FROM schema_migrations ORDER BY version`)
    : query.all(sql`SELECT version, NULL AS module, NULL AS module_version FROM schema_migrations ORDER BY version`);
}

/** The number of migrations that a database has. */
export const schemaOf = (applied: readonly AppliedMigration[]): number => applied.at(-1)?.version ?? 0;

/** `version` is the position in the order of execution, the only column that older programs read. */
async function prepareTable(tx: Transaction, { engine, text, int }: Ddl): Promise<void> {
  await tx.run(
    statement(
      `CREATE TABLE IF NOT EXISTS schema_migrations (version ${int} PRIMARY KEY, name ${text} NOT NULL, applied_at ${int} NOT NULL)`,
    ),
  );
  if (await tx.get(statement(MODULE_COLUMN[engine]))) return;
  await tx.run(statement(`ALTER TABLE schema_migrations ADD COLUMN module ${text}`));
  await tx.run(statement(`ALTER TABLE schema_migrations ADD COLUMN module_version ${int}`));
  await tx.run(
    statement('CREATE UNIQUE INDEX schema_migrations_by_module ON schema_migrations (module, module_version)'),
  );
}

/** Adds the modules to rows of the shared count. */
async function carryOver(tx: Transaction, engine: Engine, steps: readonly MigrationStep[]): Promise<void> {
  for (const row of await readApplied(tx, engine)) {
    if (row.module !== null) continue;
    const { module, version } = nameApplied(row, steps);
    await tx.run(
      sql`UPDATE schema_migrations SET module = ${module}, module_version = ${version} WHERE version = ${row.version}`,
    );
  }
}

/** The number of migrations that a database has, and the modules among them that are not installed. */
export type Migrated = { schema: number; absent_modules: readonly string[]; own: OwnMigrations };

function ownMigrations(applied: readonly AppliedMigration[], steps: readonly MigrationStep[]): OwnMigrations {
  const modules = [...new Set(steps.map(({ module }) => module))];
  const newest = schemaOf(applied.filter(({ module }) => module !== null && modules.includes(module)));
  return { newest, modules };
}

/** Writes of other processes read this table first: those under way end before, others begin after the migrations. */
const LOCK_OUT_WRITES = 'LOCK TABLE schema_migrations IN ACCESS EXCLUSIVE MODE';

/** Runs the missing migrations; concurrent starts wait for each other. */
export function migrate(database: Database, steps: readonly MigrationStep[], now: number): Promise<Migrated> {
  return database.alter(async (tx) => {
    const ddl = DDL[database.dialect.engine];
    await prepareTable(tx, ddl);
    await carryOver(tx, ddl.engine, steps);
    const applied = await readApplied(tx, ddl.engine);
    const { pending, refusal, absent_modules } = compareSchema(applied, steps);
    if (refusal)
      throw new SchemaError(
        `The database has ${refusal.found}. ${refusal.isNewer ? 'Start a newer version.' : 'Restore a backup.'}`,
      );
    let schema = schemaOf(applied);
    if (pending.length > 0 && ddl.engine === 'postgres') await tx.run(statement(LOCK_OUT_WRITES));
    for (const step of pending) {
      const { module, version, name } = step;
      await runStep(tx, step, ddl);
      await tx.run(
        sql`INSERT INTO schema_migrations (version, name, applied_at, module, module_version)
          VALUES (${++schema}, ${name}, ${now}, ${module}, ${version})`,
      );
    }
    const missing = missingParts(expectedSchema(steps, ddl), await readSchema(tx, ddl.engine));
    if (missing.length > 0) throw new SchemaError(`The database lacks ${nameParts(missing)}. Restore a backup.`);
    return { schema, absent_modules, own: ownMigrations(await readApplied(tx, ddl.engine), steps) };
  });
}

/** PostgreSQL keeps storage settings of the partitions, and refuses them for the table that has partitions. */
async function perPartition(tx: Transaction, text: string): Promise<string[]> {
  const [, table, settings] = /^ALTER TABLE (\w+) (SET \([\s\S]*\))\s*$/.exec(text.trim()) ?? [];
  if (table === undefined) return [text];
  const partitions = await tx.all<{ name: string }>(
    sql`SELECT CAST(c.relname AS text) AS name FROM pg_inherits JOIN pg_class AS c ON c.oid = inhrelid
        WHERE inhparent = to_regclass(${table})`,
  );
  return partitions.length === 0 ? [text] : partitions.map(({ name }) => `ALTER TABLE "${name}" ${settings}`);
}

const TO_DO = 'Start a server of this version that writes first, and wait until this database has what it did.';

/** The same where nothing may be changed: the schema must be that of this version. */
export async function checkSchema(database: Database, steps: readonly MigrationStep[]): Promise<Migrated> {
  if (!database.takeAsFound) throw new Error('the store cannot be opened for reading only');
  return database.takeAsFound(async (query) => {
    const ddl = DDL[database.dialect.engine];
    const found = await readSchema(query, ddl.engine);
    if (!found.tables.has('schema_migrations')) throw new SchemaError(`The database has no store yet. ${TO_DO}`);
    const applied = await readApplied(query, ddl.engine);
    const { pending, refusal, absent_modules } = compareSchema(applied, steps);
    if (refusal)
      throw new SchemaError(
        `The database has ${refusal.found}. ${refusal.isNewer ? 'Start a newer version.' : 'Restore a backup.'}`,
      );
    const [first] = pending;
    if (first) throw new SchemaError(`The database does not have ${first.module}:${first.version} yet. ${TO_DO}`);
    const missing = missingParts(expectedSchema(steps, ddl), found);
    if (missing.length > 0) throw new SchemaError(`The database lacks ${nameParts(missing)}. Restore a backup.`);
    return { schema: schemaOf(applied), absent_modules, own: ownMigrations(applied, steps) };
  });
}

/** A table or column that is there before the migration that makes it: the record of the migration was lost. */
async function runStep(tx: Transaction, { module, version, up }: MigrationStep, ddl: Ddl): Promise<void> {
  for (const text of up(ddl)) {
    try {
      for (const part of ddl.engine === 'postgres' ? await perPartition(tx, text) : [text])
        await tx.run(statement(part));
    } catch (error) {
      const { message } = error as Error;
      if (!/already exists|duplicate column/.test(message)) throw error;
      throw new SchemaError(
        `The database has not ${module}:${version}, but parts of it: ${message}. Restore a backup.`,
      );
    }
  }
}
