import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startPostgres } from '../support/postgres-server.ts';
import { HttpClient } from './support/client.ts';
import { type MemProcess, runMem, startMem, until } from './support/mem-process.ts';
import { mountSmallDisk, type SmallDisk, whyNoMount } from './support/small-disk.ts';
import { expectAll, expectWhole, folderStore, postgresStore, readContents, type StoreAccess } from './support/store.ts';
import { hasStrace } from './support/strace.ts';
import { type Acknowledged, startLoad } from './support/workload.ts';

const noMount = whyNoMount();
if (noMount) console.log(`skipped: a small disk cannot be made here: ${noMount}`);

const LARGE = 'large '.repeat(10_000);

/** Writes until the disk is full; returns the writes acknowledged before. */
async function writeUntilFull(client: HttpClient): Promise<Acknowledged[]> {
  const acknowledged: Acknowledged[] = [];
  for (let i = 0; i < 500; i++) {
    const draft = { entity_path: 'full', key: `k${i}`, value: `${i} ${LARGE}` };
    const reply = await client.post('/api/v1/entries', draft);
    if (reply.status === 507) {
      expect(reply.json).toMatchObject({ code: 'storage_full', status: 507 });
      expect(reply.headers['content-type']).toContain('application/problem+json');
      return acknowledged;
    }
    expect(reply.status, reply.text).toBe(201);
    acknowledged.push({ ...draft, version: 1, deleted: false, commit_id: null });
  }
  throw new Error('the disk did not fill up');
}

type Filled = { store: StoreAccess; mem: MemProcess; disk: SmallDisk };

/** Full, then busy while full, then with room again, without a restart. */
async function fillAndFree({ store, mem, disk }: Filled): Promise<void> {
  const client = new HttpClient(mem.url);
  await client.write('before', 'k', { text: 'still readable' });
  disk.fill(1024 * 1024);
  const acknowledged = await writeUntilFull(client);
  disk.fill(0);
  const load = startLoad(client, { name: 'full', writers: 4 });
  await until(() => (load.outcome.refusals.get('507 storage_full') ?? 0) > 20, { what: 'refusals' });
  expect((await client.get('/api/v1/entries/before/k')).json).toMatchObject({ value: { text: 'still readable' } });
  expect((await client.post('/api/v1/search', { query: 'readable' })).json.entries).toHaveLength(1);
  expect((await client.get('/health?ready=true')).status).toBe(200);
  disk.free();
  const before = load.outcome.acknowledged.length;
  await until(() => load.outcome.acknowledged.length > before + 30, { what: 'writes to go on' });
  const { wrong, broken } = await load.stop();
  expect(wrong).toEqual([]);
  expect(broken).toBe(0);
  const contents = await readContents(client);
  expectAll(contents, [...acknowledged, ...load.outcome.acknowledged]);
  await expectWhole(store, client, contents);
  expect(await mem.stop()).toEqual({ code: 0, signal: null });
}

describe.skipIf(noMount)('a full disk', () => {
  it('SQLite: writes answer 507, reads go on, and writes resume when there is room', async () => {
    const disk = mountSmallDisk(24);
    const store = folderStore(join(disk.folder, 'data'));
    await fillAndFree({ store, mem: await startMem({ ...store.env, MEM_EMBEDDER: 'builtin' }), disk });
  });

  it('PostgreSQL: the same, where its tables lie on the disk that is full', async () => {
    const disk = mountSmallDisk(150);
    const dataDir = join(disk.folder, 'data');
    const wal = mkdtempSync(join(tmpdir(), 'mem-wal-'));
    const postgres = await startPostgres({ dataDir });
    onTestFinished(async () => {
      await postgres.close();
      rmSync(wal, { recursive: true, force: true });
    });
    // A full disk under its own log makes PostgreSQL stop altogether, which is the same as being away.
    await postgres.stop();
    moveLog(join(dataDir, 'pg_wal'), wal);
    await postgres.restart();
    const store = postgresStore(postgres.dsn, wal);
    await fillAndFree({ store, mem: await startMem({ ...store.env, MEM_EMBEDDER: 'builtin' }), disk });
  });

  it('a start without room or without the right to write says so', async () => {
    const disk = mountSmallDisk(1);
    disk.fill(0);
    const full = await runMem({ MEM_DATA_DIR: join(disk.folder, 'data') });
    expect(full.code).toBe(6);
    expect(full.output).toMatch(/^mem: MEM_DATA_DIR \S+: [^\n]+\n$/);
    disk.free();
    execFileSync('mount', ['-o', 'remount,ro', disk.folder]);
    const readOnly = await runMem({ MEM_DATA_DIR: join(disk.folder, 'data') });
    expect(readOnly.code).toBe(6);
    expect(readOnly.output).toMatch(/^mem: MEM_DATA_DIR \S+: the database cannot be used: [^\n]+\n$/);
  });
});

function moveLog(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
  execFileSync('chown', ['-R', '--reference', from, to]);
  chmodSync(to, 0o700);
  rmSync(from, { recursive: true });
  symlinkSync(to, from);
}

describe.skipIf(!hasStrace('errors of the disk are not made'))('a disk with errors', () => {
  it.each([
    ['cannot be flushed', { calls: 'fdatasync,fsync', error: 'EIO', refusal: '503 unavailable' }],
    ['cannot be written', { calls: 'pwrite64,write,writev', error: 'EIO', refusal: '503 unavailable' }],
    ['became read-only', { calls: 'pwrite64', error: 'EROFS', refusal: '503 unavailable' }],
    ['has no room within a quota', { calls: 'pwrite64', error: 'EDQUOT', refusal: '507 storage_full' }],
    ['allows no larger file', { calls: 'pwrite64', error: 'EFBIG', refusal: '507 storage_full' }],
  ])(
    'that %s: writes are refused, reads go on, and what was acknowledged is there',
    async (_, { calls, error, refusal }) => {
      const folder = mkdtempSync(join(tmpdir(), 'mem-errors-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const data = join(folder, 'data');
      mkdirSync(data);
      const store = folderStore(data);
      await (await startMem(store.env)).stop();
      // A quota and the largest size of a file are those of all files: another that is tried meets them too.
      const isOfAll = refusal === '507 storage_full';
      const paths = isOfAll ? [] : ['mem.db', 'mem.db-wal'].flatMap((name) => ['-P', join(data, name)]);
      const inject = ['-e', `trace=${calls}`, '-e', `inject=${calls}:error=${error}:when=400+`];
      const mem = await startMem(store.env, { under: ['strace', '-f', '-qq', '-o', '/dev/null', ...paths, ...inject] });
      const client = new HttpClient(mem.url);
      await client.write('before', 'k', { text: 'still readable' });
      const load = startLoad(client, { name: 'errors', writers: 4 });
      await until(() => (load.outcome.refusals.get(refusal) ?? 0) > 20, { what: 'refusals' });
      expect((await client.get('/api/v1/entries/before/k')).status).toBe(200);
      expect((await client.post('/api/v1/search', { query: 'readable' })).json.entries).toHaveLength(1);
      const { acknowledged, wrong, refusals } = await load.stop();
      expect(wrong).toEqual([]);
      expect([...refusals.keys()]).toEqual([refusal]);
      expect(acknowledged.length).toBeGreaterThan(0);
      await mem.stop('SIGKILL');
      const healed = await startMem(store.env);
      const again = new HttpClient(healed.url);
      const contents = await readContents(again);
      expectAll(contents, acknowledged);
      await expectWhole(store, again, contents);
      expect(await healed.stop()).toEqual({ code: 0, signal: null });
    },
  );
});
