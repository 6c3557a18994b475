import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { newPlace, openTestApp, runSql } from '../support/app.ts';
import { HttpClient } from './support/client.ts';
import { startMem, until } from './support/mem-process.ts';
import { startLoad } from './support/workload.ts';

/** The default is 5 s: as long as a server that froze within a transaction may hold up the others. */
const IDLE_MS = Number(process.env.FROZEN_IDLE_MS ?? 700);

const OPEN = `SELECT count(*) AS n FROM pg_stat_activity
  WHERE application_name = 'mem' AND state = 'idle in transaction' AND pid <> pg_backend_pid() AND query NOT LIKE 'LISTEN%'`;

describe('a server that froze in the middle of a transaction', () => {
  it('holds up no other for longer than its transaction may be idle', async () => {
    const place = await newPlace('postgres');
    onTestFinished(place.remove);
    const dsn = new URL(place.options.postgresDsn as string);
    dsn.searchParams.set('idle_in_transaction_session_timeout', String(IDLE_MS));
    const other = await openTestApp('postgres', { place });
    onTestFinished(() => other.close());
    await other.call('entries.write', { entity_path: 'a', key: 'k', value: 1 });
    const mem = await startMem({ MEM_POSTGRES_DSN: dsn.href, MEM_DATA_DIR: place.options.dataDir });
    const load = startLoad(new HttpClient(mem.url), { name: 'frozen', writers: 8 });
    await until(() => load.outcome.acknowledged.length > 20, { what: 'writes' });
    const freeze = async () => {
      process.kill(mem.pid, 'SIGSTOP');
      // What is on its way to the database arrives there.
      await runSql(inject('postgresDsn'), 'SELECT pg_sleep(0.02)');
      if (Number((await runSql(inject('postgresDsn'), OPEN)).rows[0].n) > 0) return true;
      process.kill(mem.pid, 'SIGCONT');
      return false;
    };
    await until(freeze, { what: 'a transaction that is open' });
    const began = performance.now();
    await other.call('entries.write', { entity_path: 'a', key: 'k', value: 2 });
    if (process.env.FROZEN_IDLE_MS) process.stdout.write(`held up for ${Math.round(performance.now() - began)} ms\n`);
    process.kill(mem.pid, 'SIGCONT');
    const { acknowledged } = await load.stop();
    expect(acknowledged.length).toBeGreaterThan(20);
    const client = new HttpClient(mem.url);
    await until(async () => (await client.write('a', 'after', 1)).status === 201, { what: 'it to go on' });
    await mem.stop();
  });
});
