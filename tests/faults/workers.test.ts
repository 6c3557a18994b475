import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { backends, readyPlace, type StorePlace } from '../support/app.ts';
import { HttpClient } from './support/client.ts';
import { type MemOptions, type MemProcess, runMem, startMem, until } from './support/mem-process.ts';
import { expectAll, folderStore, postgresStore, readContents } from './support/store.ts';
import { startLoad } from './support/workload.ts';

const storeAt = ({ options: { postgresDsn, dataDir } }: StorePlace) =>
  postgresDsn ? postgresStore(postgresDsn, dataDir) : folderStore(dataDir);

async function newStore() {
  const place = await readyPlace('sqlite');
  onTestFinished(place.remove);
  return storeAt(place);
}

const startTwo = (env: Readonly<Record<string, string | undefined>>, options: MemOptions = {}) =>
  startMem({ ...env, MEM_WORKERS: '2' }, options);

/** Of the supervisor's thread: it is asked again and again, which a process for each question would make costly. */
const workersOf = ({ pid }: Pick<MemProcess, 'pid'>): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number).sort();

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Each request on a connection of its own, so that both workers get some. */
const unkept = { headers: { connection: 'close' } };

const CLEAN = { code: 0, signal: null };

describe.each(backends)('a service of two workers on %s', (backend) => {
  let place: StorePlace;
  let mem: MemProcess;
  beforeAll(async () => {
    place = await readyPlace(backend);
    mem = await startTwo(storeAt(place).env, { isShared: true });
  });
  afterAll(async () => {
    await mem.stop('SIGKILL');
    await place.remove();
  });

  it('answers on one address with both, and what one wrote the other reads at once', async () => {
    expect(mem.output()).toContain('workers    2 processes');
    expect(workersOf(mem)).toHaveLength(2);
    const client = new HttpClient(mem.url);
    for (let i = 0; i < 20; i++) {
      const body = { entity_path: 'shared', key: 'counter', value: i };
      expect((await client.call('POST', '/api/v1/entries', { ...unkept, body })).status).toBeLessThan(300);
      // Connections go to the workers in turn: with three a round, each worker writes and reads.
      for (let read = 0; read < 2; read++)
        expect((await client.call('GET', '/api/v1/entries/shared/counter', unkept)).json.value).toBe(i);
    }
    const { text } = await client.call('GET', '/metrics', unkept);
    const counted = /^mem_operations_total\{operation="entries.write",result="ok",worker="\d+"\} (\d+)$/gm;
    const writes = [...text.matchAll(counted)].map(([, n]) => Number(n));
    expect(writes).toHaveLength(2);
    expect(writes.every((n) => n > 0)).toBe(true);
    expect(writes.reduce((sum, n) => sum + n)).toBe(20);
    expect(text.match(/^# TYPE mem_operations_total/gm)).toHaveLength(1);
    expect(text.match(/^mem_info\{/gm)).toHaveLength(1);
  });

  it('replaces its workers on SIGHUP without refusing a request or losing a write', async () => {
    const before = workersOf(mem);
    const client = new HttpClient(mem.url);
    const refused: unknown[] = [];
    let stopped = false;
    const acknowledged: string[] = [];
    // Half of them keep their connections, which must be given up without a request being lost on one.
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      const options = writer < 4 ? unkept : {};
      for (let i = 0; !stopped; i++) {
        const body = { entity_path: 'rolling', key: `k${writer}-${i % 5}`, value: i };
        const status = await client.call('POST', '/api/v1/entries', { ...options, body }).then(
          (reply) => reply.status,
          (error: unknown) => error,
        );
        if (status === 200 || status === 201) acknowledged.push(body.key);
        else refused.push(status);
        await sleep(writer > 5 ? 30 : 5);
      }
    });
    process.kill(mem.pid, 'SIGHUP');
    await until(() => workersOf(mem).length === 2 && before.every((pid) => !isAlive(pid)), { what: 'new workers' });
    stopped = true;
    await Promise.all(writers);
    expect(refused).toEqual([]);
    expect(acknowledged.length).toBeGreaterThan(0);
    const { versions } = await readContents(client);
    const rolling = [...versions.values()].filter(({ entity_path }) => entity_path === 'rolling');
    expect(rolling).toHaveLength(acknowledged.length);
  });

  it('starts another worker for one that is killed, and loses nothing that was acknowledged', async () => {
    const client = new HttpClient(mem.url);
    const load = startLoad(client, { name: 'killed', writers: 8 });
    await until(() => load.outcome.acknowledged.length > 50, { what: 'writes to be acknowledged' });
    const [victim = 0] = workersOf(mem);
    process.kill(victim, 'SIGKILL');
    await until(() => workersOf(mem).length === 2 && !workersOf(mem).includes(victim), { what: 'another worker' });
    const { acknowledged } = await load.stop();
    expectAll(await readContents(client), acknowledged);
    expect(mem.output()).toContain('a worker ended: starting another');
  });

  it('stops cleanly after all of it', async () => {
    expect(await mem.stop()).toEqual(CLEAN);
  });
});

describe('workers', () => {
  it('are started again when all of them are killed at once', async () => {
    const mem = await startTwo((await newStore()).env);
    const killed = workersOf(mem);
    for (const pid of killed) process.kill(pid, 'SIGKILL');
    await until(() => workersOf(mem).filter((pid) => !killed.includes(pid)).length === 2, { what: 'two new workers' });
    const client = new HttpClient(mem.url);
    await until(async () => (await client.get('/health').catch(() => undefined))?.status === 200, {
      what: 'an answer',
    });
    expect(await mem.stop()).toEqual(CLEAN);
  });

  it('are replaced only once all have started, when SIGHUP comes before', async () => {
    const { env } = await newStore();
    const verbose = { ...env, MEM_WORKERS: '2', MEM_LOG_LEVEL: 'info' };
    let early: Promise<number[]> | undefined;
    const watch = (output: () => string, pid: number) => {
      early = until(() => workersOf({ pid }).length > 0, { what: 'a worker' }).then(() => {
        expect(output()).not.toContain('listening');
        process.kill(pid, 'SIGHUP');
        return workersOf({ pid });
      });
    };
    const mem = await startMem(verbose, { watch });
    const first = (await early) as number[];
    await until(() => mem.output().includes('all workers were replaced'), { what: 'new workers' });
    expect(workersOf(mem)).toHaveLength(2);
    expect(workersOf(mem).filter((pid) => first.includes(pid))).toEqual([]);
    const client = new HttpClient(mem.url);
    await client.call('POST', '/api/v1/entries', { body: { entity_path: 'left', key: 'k', value: 1 } });
    for (let i = 0; i < 4; i++) await client.call('POST', '/api/v1/search', { ...unkept, body: { query: 'left' } });
    expect(await mem.stop()).toEqual(CLEAN);
    // An orderly stop removes what is kept beside the files of a store.
    const left = readdirSync(env.MEM_DATA_DIR as string).filter((name) => /-(wal|shm)$|^pending-/.test(name));
    expect(left).toEqual([]);
  });

  it('are as many as before when one dies while its successor starts', async () => {
    const { env } = await newStore();
    const mem = await startMem({ ...env, MEM_WORKERS: '2', MEM_LOG_LEVEL: 'info' });
    const before = workersOf(mem);
    process.kill(mem.pid, 'SIGHUP');
    await until(() => workersOf(mem).length === 3, { what: 'a successor' });
    for (const pid of before) process.kill(pid, 'SIGKILL');
    await until(() => mem.output().includes('all workers were replaced'), { what: 'new workers' });
    await until(() => workersOf(mem).length === 2, { what: 'two workers' });
    expect(await mem.stop()).toEqual(CLEAN);
  });

  it('finish and leave when their supervisor is killed', async () => {
    const mem = await startTwo((await newStore()).env);
    const workers = workersOf(mem);
    await mem.stop('SIGKILL');
    await until(() => !workers.some(isAlive), { what: 'the workers to leave', seconds: 20 });
  });

  it('that cannot start end the service with the reason, once, and the exit code of one process', async () => {
    const { env } = await newStore();
    const wrong = { ...env, MEM_DATA_DIR: '/dev/null/store' };
    const one = await runMem(wrong);
    const two = await runMem({ ...wrong, MEM_WORKERS: '2' });
    expect(two.output).toBe(one.output);
    expect(two.code).toBe(one.code);
  });

  it('are a number from 1 to 64', async () => {
    for (const given of ['0', '65', 'two'])
      expect((await runMem({}, { args: ['serve', '--workers', given] })).output).toContain(
        `--workers must be a whole number from 1 to 64, not "${given}"`,
      );
  });

  it('do not start where one process serves, and SIGHUP says so', async () => {
    const mem = await startMem((await newStore()).env);
    expect(workersOf(mem)).toEqual([]);
    process.kill(mem.pid, 'SIGHUP');
    await until(() => mem.output().includes('SIGHUP replaces workers'), { what: 'the warning' });
    await sleep(10);
    expect(await mem.stop()).toEqual(CLEAN);
  });
});
