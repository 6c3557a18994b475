import { join } from 'node:path';
import type { Query } from './database.ts';
import { readSchema, type StoreSchema } from './expected-schema.ts';
import { readApplied } from './migrate.ts';
import type { AppliedMigration } from './migration-order.ts';
import { sql } from './sql.ts';
import { loadDriver, openToLook, type SqliteConnection } from './sqlite-connection.ts';
import { primaryCode, SQLITE_CORRUPT, translate } from './sqlite-errors.ts';
import { foreignSchema } from './sqlite-owned.ts';

const asQuery = (connection: SqliteConnection): Pick<Query, 'all' | 'get'> => ({
  all: async (statement) => connection.all(statement),
  get: async (statement) => connection.get(statement),
});

const MAX_PROBLEMS = 5;

/** Damage may end the check itself; the first problem is then still found. */
function problemsIn(connection: SqliteConnection): string[] {
  for (const most of [MAX_PROBLEMS, 1])
    try {
      const found = connection.all<{ quick_check: string }>({ text: `PRAGMA quick_check(${most})`, values: [] });
      return found.map(({ quick_check }) => quick_check).filter((text) => text !== 'ok');
    } catch (error) {
      if (primaryCode(error) !== SQLITE_CORRUPT) throw error;
    }
  return ['pages of the file are damaged'];
}

export type SqliteState = {
  applied: AppliedMigration[];
  problems: string[];
  counted: number;
  schema: StoreSchema;
};

/** Counts something in a store whose schema is up to date. */
type StoreCount = (query: Pick<Query, 'all' | 'get'>) => Promise<number>;

export const checkSqlite = (directory: string, count: StoreCount): Promise<SqliteState> =>
  checkSqliteFile(join(directory, 'mem.db'), count);

/** Inspects a store without changing it: its migrations, and the problems that SQLite finds in the file. */
export async function checkSqliteFile(file: string, count: StoreCount = async () => 0): Promise<SqliteState> {
  try {
    const connection = openToLook(await loadDriver(), file);
    try {
      const problems = problemsIn(connection);
      const foreign = foreignSchema(connection, file);
      if (foreign !== undefined) problems.unshift(foreign);
      const hasSchema = connection.get(sql`SELECT 1 AS found FROM sqlite_master WHERE name = ${'schema_migrations'}`);
      const query = asQuery(connection);
      const applied = hasSchema ? await readApplied(query, 'sqlite') : [];
      // An older schema may lack the table.
      const schema = await readSchema(query, 'sqlite');
      return { applied, problems, schema, counted: await count(query).catch(() => 0) };
    } finally {
      connection.close();
    }
  } catch (error) {
    throw translate(error);
  }
}
