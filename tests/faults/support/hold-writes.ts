import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import pg from 'pg';

/** Holds the write lock, like another process in a long transaction. Returns a function that releases it. */
export async function holdWrites(env: {
  dataDir: string;
  postgresDsn?: string | undefined;
}): Promise<() => Promise<void>> {
  if (env.postgresDsn === undefined) {
    const database = new DatabaseSync(join(env.dataDir, 'mem.db'));
    database.exec('PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE');
    return async () => database.close();
  }
  const client = new pg.Client({ connectionString: env.postgresDsn });
  await client.connect();
  await client.query('BEGIN');
  await client.query('SELECT 1 FROM accounts FOR UPDATE');
  return () => client.end();
}
