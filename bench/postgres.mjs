import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { data } from './places.mjs';

const kept = join(data, 'postgres');

/** A PostgreSQL of the bench's own, durable: fsync is on. With `keep` its data stay under bench/.data. */
export async function startPostgres(programs, keep) {
  const { startPostgres: start } = await import(programs.postgres);
  const server = await start({ fsync: true, ...(keep || existsSync(kept) ? { dataDir: kept } : {}) });
  const runSql = async (text) => {
    const client = new pg.Client({ connectionString: server.dsn });
    await client.connect();
    try {
      await client.query(text);
    } finally {
      await client.end();
    }
  };
  return {
    dsn: server.dsn,
    dsnOf(schema) {
      const url = new URL(server.dsn);
      url.searchParams.set('options', `-c search_path=${schema}`);
      return url.href;
    },
    newSchema: (schema) => runSql(`DROP SCHEMA IF EXISTS ${schema} CASCADE; CREATE SCHEMA ${schema}`),
    dropSchema: (schema) => runSql(`DROP SCHEMA IF EXISTS ${schema} CASCADE`),
    /** What autovacuum does within a minute of a bulk load; until then PostgreSQL plans for an empty table. */
    analyze: () => runSql('ANALYZE'),
    /** A clean end, so that kept data need no recovery. */
    async close() {
      await server.stop();
      await server.close();
    },
  };
}
