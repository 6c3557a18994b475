import { join } from 'node:path';
import { schemaVersion } from './migrate.ts';
import { sql } from './sql.ts';
import { loadDriver, openConnection } from './sqlite-connection.ts';
import { translate } from './sqlite-errors.ts';

const MAX_PROBLEMS = 5;

/** Looks at a store without changing it: the number of its schema, and what SQLite finds wrong with the file. */
export async function checkSqlite(directory: string): Promise<{ schema: number; problems: string[] }> {
  try {
    const connection = await openConnection(await loadDriver(), join(directory, 'mem.db'), true);
    try {
      const found = connection.all<{ quick_check: string }>({
        text: `PRAGMA quick_check(${MAX_PROBLEMS})`,
        values: [],
      });
      const problems = found.map(({ quick_check }) => quick_check).filter((text) => text !== 'ok');
      const hasSchema = connection.get(sql`SELECT 1 AS found FROM sqlite_master WHERE name = ${'schema_migrations'}`);
      const schema = hasSchema ? await schemaVersion({ get: async (statement) => connection.get(statement) }) : 0;
      return { schema, problems };
    } finally {
      connection.close();
    }
  } catch (error) {
    throw translate(error);
  }
}
