import type { Database } from './database.ts';
import type { PostgresOptions } from './postgres.ts';

export * from './database.ts';
export { migrate } from './migrate.ts';
export * from './migration-order.ts';
export type { RowSecurity, RowSecurityRules } from './row-security.ts';
export * from './sql.ts';
export { openSqlite } from './sqlite.ts';

/** The driver is loaded where it is used: it takes as long to load as a command on SQLite takes in all. */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const { createPostgres } = await import('./postgres.ts');
  return createPostgres(options);
}
