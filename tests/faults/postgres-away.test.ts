import { platform, tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgres, StorageError, sql } from '../../packages/server/src/db/index.ts';
import { whenReachable } from '../../packages/server/src/serve.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { HttpClient } from './support/client.ts';
import { freeze, thaw } from './support/freeze.ts';
import { runMem, startMem, until } from './support/mem-process.ts';

const UNAVAILABLE = { status: 503, json: { code: 'unavailable' } };

describe('while PostgreSQL is away', () => {
  let postgres: PostgresServer;
  const env = (parameters = '') => ({ MEM_POSTGRES_DSN: `${postgres.dsn}${parameters}`, MEM_DATA_DIR: tmpdir() });
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.close());

  /** A read, a search, a write and a readiness check. */
  const ask = (client: HttpClient) =>
    Promise.all([
      client.get('/api/v1/entries/a/k'),
      client.post('/api/v1/search', { query: 'word' }),
      client.write('a', 'k', { text: `word ${Math.random()}` }),
      client.get('/health?ready=true'),
    ]);

  it('requests are refused at once with 503, the process stays up, and all is well again after', async () => {
    const mem = await startMem(env());
    const client = new HttpClient(mem.url);
    await client.write('a', 'k', 1);
    await postgres.stop();
    for (let time = 1; time <= 3; time++) {
      for (const reply of await ask(client)) {
        expect(reply).toMatchObject(UNAVAILABLE);
        expect(reply.headers['retry-after']).toBe('1');
        expect(reply.headers['content-type']).toContain('application/problem+json');
      }
      expect(await client.get('/health')).toMatchObject({ status: 200 });
    }
    await postgres.restart();
    await until(async () => (await client.get('/health?ready=true')).status === 200, { seconds: 5, what: 'recovery' });
    for (const { status } of await ask(client)) expect(status).toBeLessThan(300);
    await until(() => mem.output().includes('the database can be used again'), { what: 'the line of the recovery' });
    expect(await mem.stop()).toEqual({ code: 0, signal: null });
    // A line when it went, and one when it was back, however many attempts failed meanwhile.
    const lines = mem
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'));
    expect(lines).toHaveLength(2);
    expect(JSON.parse(lines[1] as string).failures).toBeGreaterThan(9);
  });

  it.skipIf(platform() !== 'linux')(
    'a PostgreSQL that is frozen is given up on, and used again when it goes on',
    async () => {
      const mem = await startMem({ ...env('?query_timeout=1500&statement_timeout=1000'), MEM_POSTGRES_POOL: '4' });
      const client = new HttpClient(mem.url);
      await client.write('a', 'frozen', 0);
      freeze(postgres);
      try {
        const replies = await Promise.all([
          ...Array.from({ length: 6 }, (_, i) => client.write('a', 'frozen', i)),
          client.get('/api/v1/entries/a/frozen'),
          client.get('/health?ready=true'),
        ]);
        for (const reply of replies) expect(reply).toMatchObject(UNAVAILABLE);
        expect(await client.get('/health')).toMatchObject({ status: 200 });
      } finally {
        thaw(postgres);
      }
      await until(async () => (await client.write('a', 'frozen', 'thawed')).status < 300, {
        seconds: 10,
        what: 'recovery',
      });
      expect((await client.get('/api/v1/entries/a/frozen')).json.value).toBe('thawed');
      expect(await mem.stop()).toEqual({ code: 0, signal: null });
    },
  );

  it('a connection that PostgreSQL ends in the middle of a transaction does not end the process', async () => {
    const errors: Error[] = [];
    const database = await openPostgres({ dsn: postgres.dsn, poolSize: 2, onError: (error) => errors.push(error) });
    const killed = database.transaction(async (tx) => {
      const row = await tx.get<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`);
      await database.read.get(sql`SELECT pg_terminate_backend(CAST(${row?.pid ?? 0} AS INTEGER))`);
      // Time for the connection to break while no statement runs on it.
      await new Promise((resolve) => setTimeout(resolve, 100));
      return tx.get(sql`SELECT 1 AS one`);
    });
    await expect(killed).rejects.toMatchObject({ name: 'StorageError', reason: 'unavailable' });
    expect(await database.read.get(sql`SELECT 1 AS one`)).toEqual({ one: 1 });
    await database.close();
    expect(errors).toEqual([]);
  });

  it('a start waits for PostgreSQL, says so, and comes up with it', async () => {
    await postgres.stop();
    let output = () => '';
    const starting = startMem(env(), {
      watch: (look) => {
        output = look;
      },
    });
    await until(() => output().includes('cannot be reached'), { what: 'the message' });
    await postgres.restart();
    const mem = await starting;
    expect(mem.output()).toContain('the database cannot be reached; trying for 30 s');
    expect(mem.output()).toMatch(/ECONNREFUSED|starting up/);
    expect(await mem.stop()).toEqual({ code: 0, signal: null });
  });

  it('a start gives up when the wait is over', async () => {
    let attempts = 0;
    let reported = 0;
    const open = async () => {
      attempts++;
      throw new StorageError('unavailable', new Error('connect ECONNREFUSED'));
    };
    await expect(whenReachable(open, { waitMs: 700, onWait: () => reported++ })).rejects.toThrow('cannot be reached');
    expect(attempts).toBeGreaterThan(1);
    expect(reported).toBe(1);
  });

  it.each([
    [
      'a database that is not there',
      '/nowhere',
      /MEM_POSTGRES_DSN postgres:\/\/127.0.0.1:\d+\/nowhere: .*does not exist/,
    ],
    ['a role that is not there', 'nobody-knows', /role "nobody-knows" does not exist/],
  ])('a start with %s stops with one clear line', async (_, wrong, message) => {
    const dsn = new URL(postgres.dsn);
    if (wrong.startsWith('/')) dsn.pathname = wrong;
    else dsn.username = wrong;
    const { code, output, stdout } = await runMem({ MEM_POSTGRES_DSN: dsn.href, MEM_DATA_DIR: tmpdir() });
    expect(code).toBe(6);
    expect(output).toMatch(message);
    expect(output.trim().split('\n')).toHaveLength(1);
    expect(stdout).toBe('');
  });
});
