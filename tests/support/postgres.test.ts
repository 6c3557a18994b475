import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { startPostgres } from './postgres-server.ts';

async function selectOne(dsn: string): Promise<number | undefined> {
  const client = new pg.Client({ connectionString: dsn });
  await client.connect();
  try {
    const { rows } = await client.query<{ one: number }>('select 1 as one');
    return rows[0]?.one;
  } finally {
    await client.end();
  }
}

test('the tests bring their own PostgreSQL', async () => {
  expect(await selectOne(inject('postgresDsn'))).toBe(1);
});

test('a private PostgreSQL comes back after a stop and after a kill', async () => {
  const server = await startPostgres();
  try {
    await server.stop();
    await expect(selectOne(server.dsn)).rejects.toThrow(/ECONNREFUSED|ECONNRESET/);
    await server.restart();
    expect(await selectOne(server.dsn)).toBe(1);
    await server.kill9();
    await expect(selectOne(server.dsn)).rejects.toThrow(/ECONNREFUSED|ECONNRESET/);
    await server.restart();
    expect(await selectOne(server.dsn)).toBe(1);
  } finally {
    await server.close();
  }
});
