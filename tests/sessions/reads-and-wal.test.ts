import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fakeClock, openTestApp, runSql, type TestApp } from '../support/app.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { AUTHOR } from './support.ts';

const ENTRIES = 200;
const ROUNDS = 12;
const at = (i: number) => ({ entity_path: 'read/often', key: `k${i}` });

let server: PostgresServer;
let app: TestApp;
const dataDir = mkdtempSync(join(tmpdir(), 'mem-test-'));

beforeAll(async () => {
  // Pages are logged as a whole once after each checkpoint, whatever was changed in them: that is not counted here.
  server = await startPostgres({ settings: { full_page_writes: 'off' } });
  const place = { options: { dataDir, postgresDsn: server.dsn }, remove: async () => {} };
  app = await openTestApp('postgres', { place, clock: fakeClock() });
  const value = { text: 'what was known of it, and more of that '.repeat(30) };
  const writes = Array.from({ length: ENTRIES }, (_, i) => ({ ...at(i), value }));
  await app.call('commits.create', { message: 'all', writes }, AUTHOR);
});
afterAll(async () => {
  await server.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** By who wrote them: the first read of another's entry in a session is also an event of the log. */
async function readAll(session_id: string): Promise<void> {
  const as = { ...AUTHOR, session_id };
  await Promise.all(Array.from({ length: ENTRIES }, (_, i) => app.call('entries.read', at(i), as)));
  await app.kernel.services.noteBuffer.flushAll(true);
}

const lsn = async () => {
  const { rows } = await runSql(server.dsn, `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS bytes`);
  return Number(rows[0].bytes);
};

const updates = async (table: string) => {
  const text = `SELECT n_tup_upd AS n, n_tup_hot_upd AS hot FROM pg_stat_user_tables WHERE relname = '${table}'`;
  const { rows } = await runSql(server.dsn, text);
  return { n: Number(rows[0].n), hot: Number(rows[0].hot) };
};

it('a read on PostgreSQL writes at most 1 kB, in place, and no entry again', async () => {
  await readAll('first');
  const before = await lsn();
  for (let round = 0; round < ROUNDS; round++) await readAll(`round-${round}`);
  const bytes = (await lsn()) - before;
  expect(bytes / (ROUNDS * ENTRIES)).toBeLessThanOrEqual(1000);
  const { entries } = await app.call('entries.list', { entity_path: 'read/often', limit: 1 });
  expect(entries[0]?.recall_count).toBe(ROUNDS + 1);
  // Connections report what they did when they end.
  await app.close();
  const { n, hot } = await updates('standings');
  expect(n).toBe(ROUNDS * ENTRIES);
  expect(hot / n).toBeGreaterThanOrEqual(0.9);
  expect(await updates('entries')).toEqual({ n: 0, hot: 0 });
});
