import type { Transaction } from './database.ts';
import { PLANNER_DEFAULTS } from './postgres-address.ts';
import type { Sql } from './sql.ts';

const MIGRATION_LOCK = 7_301_944_612;
const LOCK_WAIT_MS = 60_000;

/** A statement without values. */
export const plain = (text: string): Sql => ({ text, values: [] });

/** Holds the migration lock until the transaction ends. */
export async function withMigrationLock<T>(tx: Transaction, work: () => Promise<T>): Promise<T> {
  await tx.run(plain('SET LOCAL statement_timeout = 0'));
  await tx.run(plain(`SET LOCAL lock_timeout = ${LOCK_WAIT_MS}`));
  for (const text of PLANNER_DEFAULTS) await tx.run(plain(text));
  await tx.run(plain(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`));
  return work();
}
