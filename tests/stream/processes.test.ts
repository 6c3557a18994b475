import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../packages/server/src/db/index.ts';
import { HttpClient } from '../faults/support/client.ts';
import { startMem, until } from '../faults/support/mem-process.ts';
import { folderStore, postgresStore, type StoreAccess } from '../faults/support/store.ts';
import { newOutcome, startLoad } from '../faults/support/workload.ts';
import { type Backend, backends, listen, openTestApp, readyPlace, runSql, type StorePlace } from '../support/app.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { openStream, range } from './support.ts';

async function place(backend: Backend): Promise<StorePlace> {
  const made = await readyPlace(backend);
  onTestFinished(() => made.remove());
  return made;
}

function storeAt({ options }: StorePlace): StoreAccess {
  return options.postgresDsn ? postgresStore(options.postgresDsn, options.dataDir) : folderStore(options.dataDir);
}

const ROUNDS = 2;

describe.each(backends)('a stream over several processes on %s', (backend) => {
  it('misses nothing and repeats nothing when its server is killed under load and it reconnects', async () => {
    const store = storeAt(await place(backend));
    const outcome = newOutcome();
    const seqs: number[] = [];
    let lastId = '0';
    for (let round = 1; round <= ROUNDS; round++) {
      const mem = await startMem(store.env);
      const listener = await openStream(mem.url, { lastId });
      const load = startLoad(new HttpClient(mem.url), { name: `r${round}`, outcome });
      const before = outcome.acknowledged.length;
      await until(() => outcome.acknowledged.length > before + 150, { what: 'writes to be acknowledged' });
      await sleep(Math.random() * 50);
      await mem.stop('SIGKILL');
      await load.stop();
      await listener.over;
      seqs.push(...listener.seqs());
      lastId = listener.lastId();
    }
    const mem = await startMem(store.env);
    const rest = await openStream(mem.url, { lastId });
    const { json } = await new HttpClient(mem.url).get('/api/v1/stats');
    await until(() => Number.parseInt(rest.lastId(), 10) === json.last_seq, { what: 'the last event' });
    expect([...seqs, ...rest.seqs()]).toEqual(range(1, json.last_seq));
    expect(json.last_seq).toBeGreaterThanOrEqual(outcome.acknowledged.length);
    const stopped = mem.stop();
    await rest.over;
    expect(await stopped).toEqual({ code: 0, signal: null });
  });

  const quiet = (database: Database): Database => ({
    ...bound(database),
    announce: () => {},
    onAnnounce: () => () => {},
  });

  it.each([
    ['', undefined],
    [', also when no process tells another', quiet],
  ])('tells what another server commits%s', async (_, wrapDatabase) => {
    const one = await place(backend);
    const options = { place: one, ...(wrapDatabase ? { wrapDatabase } : {}) };
    const apps = await Promise.all([openTestApp(backend, options), openTestApp(backend, options)]);
    const servers = await Promise.all(apps.map((app) => listen(app)));
    onTestFinished(async () => {
      await Promise.all(servers.map((server) => server.close()));
      await Promise.all(apps.map((app) => app.close()));
    });
    const listeners = await Promise.all(servers.map(({ url }) => openStream(url)));
    let count = 0;
    for (let round = 0; round < 5; round++) {
      // In turns and together: a process sends its own commits directly, if no other process committed in between.
      for (const app of apps) await app.call('entries.write', { entity_path: 'a', key: 'k', value: count++ });
      await Promise.all(
        range(1, 20).map((i) => apps[i % 2]?.call('entries.write', { entity_path: 'a', key: `k${i}`, value: count++ })),
      );
      for (const listener of listeners) await listener.has(count);
    }
    for (const listener of listeners) expect(listener.seqs()).toEqual(range(1, count));
  });

  it('sends what a command writes into the same store', async () => {
    const one = await place(backend);
    const mem = await startMem(storeAt(one).env);
    const listener = await openStream(mem.url);
    const writer = await openTestApp(backend, { place: one });
    await writer.call('entries.write', { entity_path: 'from', key: 'elsewhere', value: 1 });
    await writer.close();
    await listener.has(1);
    expect(listener.events[0]?.data).toMatchObject({ entity_path: 'from', key: 'elsewhere', version: 1 });
    expect(await mem.stop()).toEqual({ code: 0, signal: null });
  });
});

/** An object of its own whose members are those of the database. */
function bound(database: Database): Database {
  const { dialect, sharedLanes, read, scan } = database;
  return {
    dialect,
    sharedLanes,
    read,
    scan,
    forAccount: (accountId) => database.forAccount(accountId),
    find: (find, key) => database.find(find, key),
    snapshot: (accountId) => database.snapshot(accountId),
    transaction: (work) => database.transaction(work),
    maintenanceTransaction: (work) => database.maintenanceTransaction(work),
    alter: (work) => database.alter(work),
    maintain: (statement) => database.maintain(statement),
    exclusively: (work) => database.exclusively(work),
    expectSchema: (schema, onOther) => database.expectSchema(schema, onOther),
    isWritable: () => database.isWritable(),
    get lostConnections() {
      return database.lostConnections;
    },
    announce: (topic, at) => database.announce(topic, at),
    onAnnounce: (listener) => database.onAnnounce(listener),
    close: () => database.close(),
  };
}

describe('servers on one PostgreSQL', () => {
  it('notify each other, on one connection each, and reconnect when it breaks', async () => {
    const { options } = await place('postgres');
    const dsn = new URL(options.postgresDsn as string);
    const name = `stream-${process.pid}`;
    dsn.searchParams.set('application_name', name);
    const one = { options: { ...options, postgresDsn: dsn.href }, remove: async () => {} };
    const received: number[] = [];
    const overhear = (database: Database): Database => ({
      ...bound(database),
      onAnnounce: (listener) =>
        database.onAnnounce((topic, at) => {
          received.push(at);
          listener(topic, at);
        }),
    });
    const [reader, writer] = await Promise.all([
      openTestApp('postgres', { place: one, wrapDatabase: overhear }),
      openTestApp('postgres', { place: one }),
    ]);
    const server = await listen(reader);
    onTestFinished(async () => {
      await server.close();
      await Promise.all([reader.close(), writer.close()]);
    });
    const listener = await openStream(server.url);
    let count = 0;
    const hears = () =>
      until(
        async () => {
          const { seq } = await writer.call('entries.write', { entity_path: 'a', key: 'k', value: ++count });
          await sleep(50);
          return received.includes(seq);
        },
        { what: 'a notification' },
      );
    const talking = `FROM pg_stat_activity WHERE application_name = '${name}' AND query ~ 'LISTEN|pg_notify'
      AND pid <> pg_backend_pid()`;
    await hears();
    expect((await runSql(dsn.href, `SELECT pid ${talking}`)).rows).toHaveLength(2);
    await runSql(dsn.href, `SELECT pg_terminate_backend(pid) ${talking}`);
    await hears();
    expect((await runSql(dsn.href, `SELECT pid ${talking}`)).rows).toHaveLength(2);
    await listener.has(count);
    expect(listener.seqs()).toEqual(range(1, count));
  });

  it('in schemas of one database do not hear of each other', async () => {
    const received: string[] = [];
    const apps = await Promise.all([openTestApp('postgres'), openTestApp('postgres')]);
    const [mine, other] = apps;
    onTestFinished(async () => void (await Promise.all(apps.map((app) => app.close()))));
    mine?.kernel.services.database.onAnnounce((topic) => topic === 'there' && received.push(topic));
    other?.kernel.services.database.onAnnounce((topic) => topic === 'there' && received.push(`other ${topic}`));
    await until(
      async () => {
        other?.kernel.services.database.announce('there', 1);
        await sleep(50);
        return received.length > 0;
      },
      { what: 'a notification' },
    );
    expect(new Set(received)).toEqual(new Set(['other there']));
  });
});

it('a stream outlives a PostgreSQL that is killed and comes back', async () => {
  const postgres = await startPostgres({ fsync: true });
  onTestFinished(() => postgres.close());
  const folder = mkdtempSync(join(tmpdir(), 'mem-stream-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const mem = await startMem(postgresStore(postgres.dsn, folder).env);
  const client = new HttpClient(mem.url);
  const listener = await openStream(mem.url);
  let count = 0;
  const write = () => client.write('a', `k${count++}`, count).then(({ status }) => status === 201);
  await until(write, { what: 'a write' });
  await listener.has(1);
  await postgres.kill9();
  await until(async () => !(await write()), { what: 'a refusal' });
  const late = openStream(mem.url, { after: 0 });
  await postgres.restart();
  await until(write, { what: 'a write after that' });
  const { json } = await client.get('/api/v1/stats');
  await listener.has(json.last_seq);
  expect(listener.isOver()).toBe(false);
  expect(listener.seqs()).toEqual(range(1, json.last_seq));
  // Requests during that time were answered with a retry, or waited.
  expect([200, 503]).toContain((await late).status);
  expect(await mem.stop()).toEqual({ code: 0, signal: null });
});

it('a stream on a folder that other processes write to and leave is whole', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mem-stream-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const store = folderStore(folder);
  const [here, there] = await Promise.all([startMem(store.env), startMem(store.env)]);
  const listener = await openStream(here.url, { after: 0 });
  const load = startLoad(new HttpClient(there.url), { name: 'there', writers: 4 });
  const own = startLoad(new HttpClient(here.url), { name: 'here', writers: 4 });
  const enough = () => load.outcome.acknowledged.length > 50 && own.outcome.acknowledged.length > 50;
  await until(enough, { what: 'writes of both' });
  await load.stop();
  await there.stop('SIGKILL');
  await own.stop();
  const { json } = await new HttpClient(here.url).get('/api/v1/stats');
  await listener.has(json.last_seq);
  expect(listener.seqs()).toEqual(range(1, json.last_seq));
  expect(await here.stop()).toEqual({ code: 0, signal: null });
});
