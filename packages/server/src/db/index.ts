export * from './database.ts';
export { type Ddl, type Migration, migrate, SchemaError, schemaVersion } from './migrate.ts';
export { openPostgres } from './postgres.ts';
export type { Doors, RowSecurity } from './row-security.ts';
export * from './sql.ts';
export { openSqlite } from './sqlite.ts';
