import { modules } from './app.ts';
import type { Config } from './config.ts';
import { checkPostgres, type PostgresState } from './db/postgres-check.ts';
import { checkSqlite } from './db/sqlite-check.ts';
import { newestSchema, tablesOf } from './kernel/index.ts';

export type StoreReport = {
  /** As it is; 0 where no tables are there yet. */
  schema: number;
  /** The newest that this program knows. */
  newest: number;
  /** Found wrong with the file. */
  problems: string[];
  postgres?: PostgresState;
};

/** Looks at the store of this machine as it is, without bringing it up to date. */
export async function inspectStore({ postgresDsn, dataDir }: Config): Promise<StoreReport> {
  const newest = newestSchema(modules);
  if (postgresDsn === undefined) return { ...(await checkSqlite(dataDir)), newest };
  const postgres = await checkPostgres(postgresDsn, new Set(tablesOf(modules).map(({ table }) => table)));
  return { schema: postgres.schema, newest, problems: [], postgres };
}
