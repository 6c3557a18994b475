import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { get, INTERNAL_KEY, post } from '../support/hosted.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { startStandby } from '../support/standby.ts';
import { send } from '../support/wire.ts';

/** A standby has what was done a moment ago in a moment. */
async function once<T>(open: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await open();
    } catch (error) {
      if (tries > 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

describe('a server on a standby', () => {
  let postgres: PostgresServer;
  let standby: PostgresServer;
  let primary: TestApp;
  let writing: TestServer;
  let replica: TestApp;
  let reading: TestServer;
  const place = (dsn: string) => ({ options: { dataDir: '', postgresDsn: dsn }, remove: async () => {} });
  beforeAll(async () => {
    postgres = await startPostgres({ settings: { shared_buffers: '16MB' } });
    standby = await startStandby(postgres);
    primary = await openTestApp('postgres', { place: place(postgres.dsn) });
    writing = await listen(primary, { internalKey: INTERNAL_KEY });
    replica = await once(() =>
      openTestApp('postgres', {
        place: place(standby.dsn),
        readOnly: true,
        primaryUrl: writing.url,
        internalKey: INTERNAL_KEY,
      }),
    );
    reading = await listen(replica, { internalKey: INTERNAL_KEY });
  });
  afterAll(async () => {
    await reading?.close();
    await replica?.close();
    await writing?.close();
    await primary?.close();
    await standby?.close();
    await postgres?.close();
  });

  it('shows what was written', async () => {
    for (let i = 0; i < 100; i++) {
      const wrote = await send(writing.url, post('/api/v1/entries', { entity_path: 'a', key: `k${i}`, value: i }));
      expect(wrote.status).toBe(201);
      const seq = wrote.headers.get('x-mem-seq') as string;
      const read = await send(reading.url, { ...get(`/api/v1/entries/a/k${i}`), headers: { 'x-mem-min-seq': seq } });
      expect(read).toMatchObject({ status: 200, json: { value: i } });
    }
    console.log((await send(reading.url, post('/api/v1/entries', { entity_path: 'a', key: 'x', value: 1 }))).text);
    console.log(
      (await send(reading.url, { ...get('/api/v1/entries/a/k1'), headers: { 'x-mem-min-seq': '100000' } })).text,
    );
    console.log((await send(reading.url, get('/health?ready=true'))).text);
    await expect
      .poll(async () => (await send(writing.url, get('/api/v1/entries/a/k7'))).json)
      .toMatchObject({ recall_count: 1 });
  });
});
