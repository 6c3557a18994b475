import type { Database, Engine, Transaction } from './database.ts';
import { type Sql, sql } from './sql.ts';

/** Names for column types that both engines understand in their own way. */
export type Ddl = {
  engine: Engine;
  /** Text compared byte by byte, so that order and cursors agree between the engines. */
  text: string;
  int: string;
  real: string;
};

/** Migrations only go forward; a released one is never edited. */
export type Migration = { version: number; name: string; up: (ddl: Ddl) => readonly string[] };

const DDL: Record<Engine, Ddl> = {
  sqlite: { engine: 'sqlite', text: 'TEXT', int: 'INTEGER', real: 'REAL' },
  postgres: { engine: 'postgres', text: 'TEXT COLLATE "C"', int: 'BIGINT', real: 'DOUBLE PRECISION' },
};

/** An older program must not touch what it does not know. */
export class SchemaError extends Error {
  override name = 'SchemaError';
  readonly code = 'schema_too_new';
}

const statement = (text: string): Sql => ({ text, values: [] });

export async function schemaVersion(tx: Pick<Transaction, 'get'>): Promise<number> {
  const row = await tx.get<{ version: number | null }>(sql`SELECT max(version) AS version FROM schema_migrations`);
  return row?.version ?? 0;
}

/** Brings the schema up to date; concurrent starts wait for each other. Returns the version reached. */
export function migrate(database: Database, migrations: readonly Migration[], now: number): Promise<number> {
  const ordered = [...migrations].sort((a, b) => a.version - b.version);
  const newest = ordered.at(-1)?.version ?? 0;
  return database.alter(async (tx) => {
    const ddl = DDL[database.dialect.engine];
    await tx.run(
      statement(
        `CREATE TABLE IF NOT EXISTS schema_migrations (version ${ddl.int} PRIMARY KEY, name ${ddl.text} NOT NULL, applied_at ${ddl.int} NOT NULL)`,
      ),
    );
    const current = await schemaVersion(tx);
    if (current > newest)
      throw new SchemaError(
        `The database has schema ${current}, but this version of mem knows only ${newest}. Start a newer version.`,
      );
    for (const migration of ordered) {
      if (migration.version <= current) continue;
      for (const text of migration.up(ddl)) await tx.run(statement(text));
      await tx.run(
        sql`INSERT INTO schema_migrations (version, name, applied_at) VALUES (${migration.version}, ${migration.name}, ${now})`,
      );
    }
    return newest;
  });
}
