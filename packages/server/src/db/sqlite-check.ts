import { join } from 'node:path';
import type { Query } from './database.ts';
import { readApplied } from './migrate.ts';
import type { AppliedMigration } from './migration-order.ts';
import { sql } from './sql.ts';
import { loadDriver, openToLook, type SqliteConnection } from './sqlite-connection.ts';
import { translate } from './sqlite-errors.ts';

const asQuery = (connection: SqliteConnection): Pick<Query, 'all' | 'get'> => ({
  all: async (statement) => connection.all(statement),
  get: async (statement) => connection.get(statement),
});

const MAX_PROBLEMS = 5;

export type SqliteState = { applied: AppliedMigration[]; problems: string[] };

export const checkSqlite = (directory: string): Promise<SqliteState> => checkSqliteFile(join(directory, 'mem.db'));

/** Inspects a store without changing it: its migrations, and the problems that SQLite finds in the file. */
export async function checkSqliteFile(file: string): Promise<SqliteState> {
  try {
    const connection = openToLook(await loadDriver(), file);
    try {
      const found = connection.all<{ quick_check: string }>({
        text: `PRAGMA quick_check(${MAX_PROBLEMS})`,
        values: [],
      });
      const problems = found.map(({ quick_check }) => quick_check).filter((text) => text !== 'ok');
      const hasSchema = connection.get(sql`SELECT 1 AS found FROM sqlite_master WHERE name = ${'schema_migrations'}`);
      return { applied: hasSchema ? await readApplied(asQuery(connection), 'sqlite') : [], problems };
    } finally {
      connection.close();
    }
  } catch (error) {
    throw translate(error);
  }
}
