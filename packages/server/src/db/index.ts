import type { Database } from './database.ts';
import type { PostgresOptions } from './postgres-open.ts';

export * from './database.ts';
export { MergedStatements } from './merged-statements.ts';
export { checkSchema, type Migrated, migrate } from './migrate.ts';
export * from './migration-order.ts';
export type { CachedFind, CacheLimits } from './row-cache.ts';
export { dropView, type RowSecurity, type RowSecurityRules } from './row-security-types.ts';
export * from './sql.ts';
export { openSqlite } from './sqlite.ts';
export { isUnusable } from './sqlite-errors.ts';
export { endOfThread } from './thread-end.ts';

/** Loads the driver on first use: loading takes as long as a whole command on SQLite. */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const { createPostgres } = await import('./postgres-open.ts');
  return createPostgres(options);
}
