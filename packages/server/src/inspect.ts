import { modules } from './app.ts';
import type { Config } from './config.ts';
import { openPostgres, type Query, schemaVersion, sql } from './db/index.ts';
import { checkSqlite } from './db/sqlite-check.ts';
import { newestSchema } from './kernel/index.ts';

export type StoreReport = {
  /** As it is; 0 where no tables are there yet. */
  schema: number;
  /** The newest that this program knows. */
  newest: number;
  problems: string[];
};

/** Looks at the store of this machine as it is, without bringing it up to date. */
export async function inspectStore(config: Config): Promise<StoreReport> {
  const newest = newestSchema(modules);
  if (config.postgresDsn === undefined) return { ...(await checkSqlite(config.dataDir)), newest };
  const database = await openPostgres({ dsn: config.postgresDsn, poolSize: 1, onError: () => {} });
  try {
    const isNew = await hasNoTables(database.read);
    return { schema: isNew ? 0 : await schemaVersion(database.read), newest, problems: [] };
  } finally {
    await database.close();
  }
}

const hasNoTables = async (query: Query): Promise<boolean> =>
  (await query.get(sql`SELECT 1 AS found FROM information_schema.tables WHERE table_name = ${'schema_migrations'}`)) ===
  undefined;
