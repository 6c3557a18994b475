import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sql } from '../../packages/server/src/db/index.ts';
import { type Backend, backends, listen, newPlace, openTestApp, readyPlace } from '../support/app.ts';
import { HttpClient, metricsOf } from './support/client.ts';
import { holdWrites } from './support/hold-writes.ts';
import { startMem, until } from './support/mem-process.ts';
import { expectAll, folderStore, postgresStore, readContents, type StoreAccess } from './support/store.ts';
import { startLoad } from './support/workload.ts';

async function newStore(
  backend: Backend,
): Promise<StoreAccess & { place: { dataDir: string; postgresDsn?: string | undefined } }> {
  const { options, remove } = await readyPlace(backend);
  onTestFinished(remove);
  const store = options.postgresDsn
    ? postgresStore(options.postgresDsn, options.dataDir)
    : folderStore(options.dataDir);
  return { ...store, place: options };
}

const OPS_A_WRITE = 2;

/** Waits until the server has accepted so many writes, done or not. */
const accepted = (client: HttpClient, writes: number) =>
  until(async () => (await metricsOf(client)).mem_ops_charged_total === writes * OPS_A_WRITE, {
    what: 'writes to arrive',
  });

const CLEAN = { code: 0, signal: null };

describe.each(backends)('a server on %s that gets a stop signal', (backend) => {
  it('under load has answered everything it has carried out, and is gone in seconds', async () => {
    const store = await newStore(backend);
    const mem = await startMem({ ...store.env, MEM_EMBEDDER: 'builtin' });
    const load = startLoad(new HttpClient(mem.url), { name: 'stop' });
    await until(() => load.outcome.acknowledged.length > 100, { what: 'writes to be acknowledged' });
    expect(await mem.stop('SIGTERM')).toEqual(CLEAN);
    const { acknowledged, wrong, refusals } = await load.stop();
    expect(wrong).toEqual([]);
    expect(refusals.size).toBe(0);
    const again = await startMem({ ...store.env, MEM_EMBEDDER: 'builtin' });
    // A refused connection is not a request: every stored write was acknowledged.
    const contents = await readContents(new HttpClient(again.url));
    expectAll(contents, acknowledged);
    expect(contents.versions.size).toBe(acknowledged.length);
    expect(await again.stop()).toEqual(CLEAN);
  });

  it('answers the requests that are on their way, also those that have to wait', async () => {
    const store = await newStore(backend);
    const mem = await startMem({ ...store.env, MEM_EMBEDDER: 'builtin' });
    const client = new HttpClient(mem.url);
    await client.write('a', 'first', 0);
    const release = await holdWrites(store.place);
    const waiting = Array.from({ length: 30 }, (_, i) => client.write('a', `k${i}`, i));
    await accepted(client, 31);
    const stopped = mem.stop('SIGINT');
    const isClosed = () =>
      new HttpClient(mem.url).get('/health').then(
        () => false,
        (error) => error.code === 'ECONNREFUSED',
      );
    await until(isClosed, { what: 'new connections to be refused' });
    await release();
    for (const { status } of await Promise.all(waiting)) expect(status).toBe(201);
    // It does not wait for the idle timeout of keep-alive connections.
    expect(await Promise.race([stopped, sleep(8000)])).toEqual(CLEAN);
    expect(await store.rows('SELECT 1 FROM events')).toHaveLength(31);
  });

  it('twice, goes at once', async () => {
    const store = await newStore(backend);
    const mem = await startMem({ ...store.env, MEM_EMBEDDER: 'builtin' });
    const client = new HttpClient(mem.url);
    await client.write('a', 'first', 0);
    const release = await holdWrites(store.place);
    const waiting = client.write('a', 'second', 0).catch((error: Error) => error);
    await accepted(client, 2);
    const stopped = mem.stop('SIGTERM');
    await sleep(100);
    process.kill(mem.pid, 'SIGINT');
    expect(await stopped).toEqual({ code: 1, signal: null });
    expect(await waiting).toBeInstanceOf(Error);
    await release();
  });
});

it('an idle server with open connections stops at once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mem-stop-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const mem = await startMem({ MEM_DATA_DIR: folder });
  const client = new HttpClient(mem.url);
  await Promise.all(Array.from({ length: 20 }, () => client.get('/health')));
  await client.post('/api/v1/search', { query: 'start the thread for long reads' });
  expect(await mem.stop()).toEqual(CLEAN);
});

it('a store that was closed is whole in its file, without what is beside it', async () => {
  const [place, copy] = [await newPlace('sqlite'), await newPlace('sqlite')];
  onTestFinished(() => place.remove());
  onTestFinished(() => copy.remove());
  const app = await openTestApp('sqlite', { place });
  await app.call('entries.write', { entity_path: 'a', key: 'k', value: 1 });
  await app.close();
  mkdirSync(copy.options.dataDir, { recursive: true });
  copyFileSync(join(place.options.dataDir, 'mem.db'), join(copy.options.dataDir, 'mem.db'));
  const copied = await openTestApp('sqlite', { place: copy });
  expect(await copied.call('entries.read', { entity_path: 'a', key: 'k' })).toMatchObject({ value: 1 });
  await copied.close();
});

it('a server does not wait for a request on a connection where nothing was said', async () => {
  const app = await openTestApp('sqlite');
  onTestFinished(() => app.close());
  const never = 200_000;
  const timeouts = { headersMs: never, requestMs: never, keepAliveMs: never, checkEveryMs: never };
  const server = await listen(app, { timeouts });
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  await once(socket, 'connect');
  await Promise.all([server.close(), once(socket, 'close')]);
});

describe.each(backends)('maintenance on %s', (backend) => {
  it('stops in good time, and goes on after the next start', async () => {
    const place = await readyPlace(backend);
    onTestFinished(() => place.remove());
    const app = await openTestApp(backend, { place });
    for (const path of ['x', 'y']) {
      const writes = Array.from({ length: 800 }, (_, i) => ({
        entity_path: path,
        key: `k${i}`,
        value: i,
        ttl_seconds: 1,
      }));
      await app.call('commits.create', { writes });
    }
    app.clock.advance(2000);
    const begun = new Promise((resolve) => app.kernel.feed.subscribeAll(resolve));
    const swept = app.jobs.sweep();
    await begun;
    await app.close();
    await swept;
    const again = await openTestApp(backend, { place, clock: app.clock });
    const left = () =>
      again.kernel.services.database.read.get<{ n: number }>(sql`SELECT count(*) AS n FROM entries WHERE deleted = 0`);
    expect((await left())?.n).toBeGreaterThan(0);
    await again.jobs.sweep();
    expect((await left())?.n).toBe(0);
    await again.close();
  });
});
