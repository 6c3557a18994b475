import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { data } from './places.mjs';

const kept = join(data, 'postgres');

/** The bench's own PostgreSQL server, durable, with fsync on. With `keep` its data stays under bench/.data. */
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
    /** Autovacuum does this within a minute of a bulk load; until then PostgreSQL plans for an empty table. */
    analyze: () => runSql('ANALYZE'),
    /** A clean shutdown, so that kept data needs no recovery. */
    async close() {
      await server.stop();
      await server.close();
    },
  };
}
