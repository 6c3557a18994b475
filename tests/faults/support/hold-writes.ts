import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import pg from 'pg';

/** Holds what every write waits for, as another process in the middle of a long transaction would. Gives its release. */
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
