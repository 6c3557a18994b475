import { chmodSync, closeSync, cpSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fault } from '@mem-service/contract';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openApp } from '../../packages/server/src/app.ts';
import { SchemaError, StorageError } from '../../packages/server/src/db/index.ts';
import { openDriver } from '../cli/sqlite.ts';
import { fakeClock, listen, newPlace, openTestApp, runSql, type StorePlace, type TestApp } from '../support/app.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { send } from '../support/wire.ts';

const PAGE = 8192;
const TEXT = 'filler '.repeat(150);

async function fill(app: TestApp): Promise<void> {
  for (let i = 0; i < 6; i++) {
    const writes = Array.from({ length: 20 }, (_, k) => ({
      entity_path: `p/${i}`,
      key: `k${String(k).padStart(2, '0')}`,
      value: `marker-${i}-${k}. ${TEXT}`,
    }));
    await app.call('commits.create', { writes });
  }
}

function overwrite(file: string, at: number, bytes: Uint8Array): void {
  const opened = openSync(file, 'r+');
  writeSync(opened, bytes, 0, bytes.length, at);
  closeSync(opened);
}

/** The places of a text in a file, as pages. */
function pagesWith(file: string, text: string, size = PAGE): number[] {
  const bytes = readFileSync(file);
  const pages = new Set<number>();
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) pages.add(Math.floor(at / size));
  return [...pages];
}

function copyOf(dataDir: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'mem-damage-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(dataDir, folder, { recursive: true });
  return folder;
}

const OPERATIONS = [
  ['entries.read', { entity_path: 'p/3', key: 'k07' }],
  ['entries.list', { entity_path: 'p/3' }],
  ['entries.history', { entity_path: 'p/3', key: 'k07' }],
  ['entries.write', { entity_path: 'p/3', key: 'k07', value: 2 }],
  ['entries.write', { entity_path: 'p/3', key: 'new', value: 2 }],
  ['entries.search', { query: 'marker' }],
  ['stats.read', {}],
  ['log.list', {}],
  ['entries.verify', {}],
] as const;

/** The codes of refusals; anything that is no Fault fails the test. */
async function codesOf(app: TestApp): Promise<string[]> {
  const codes: string[] = [];
  for (const [name, input] of OPERATIONS)
    try {
      await app.call(name as never, input as never);
    } catch (error) {
      if (!(error instanceof Fault)) throw new Error(`${name}: ${(error as Error).stack}`);
      codes.push(error.code);
    }
  return codes;
}

const emptyWal = (app: TestApp) =>
  app.kernel.services.database.maintain({ text: 'PRAGMA wal_checkpoint(TRUNCATE)', values: [] });

async function filledFolder(): Promise<string> {
  const place = await newPlace('sqlite');
  onTestFinished(() => place.remove());
  const app = await openTestApp('sqlite', { place });
  await fill(app);
  await emptyWal(app);
  await app.close();
  return place.options.dataDir;
}

const folderPlace = (dataDir: string): StorePlace => ({ options: { dataDir }, remove: async () => {} }) as StorePlace;

describe('damaged pages of SQLite', () => {
  it('answer 503 storage_damaged with what to do, and verify lists what is lost', async () => {
    const dataDir = copyOf(await filledFolder());
    const file = join(dataDir, 'mem.db');
    const pages = pagesWith(file, 'marker-3-7. ');
    expect(pages.length).toBeGreaterThan(1);
    for (const page of pages) overwrite(file, page * PAGE, new Uint8Array(100));
    const app = await openTestApp('sqlite', { place: folderPlace(dataDir) });
    onTestFinished(() => app.close());
    const server = await listen(app);
    onTestFinished(() => server.close());
    const answer = await send(server.url, { method: 'GET', path: '/api/v1/entries/p/3/k07' });
    expect(answer).toMatchObject({ status: 503, json: { code: 'storage_damaged' } });
    expect(answer.json.detail).toContain('restores a backup');
    expect(answer.headers.get('retry-after')).toBe('60');
    expect((await send(server.url, { method: 'GET', path: '/api/v1/entries/p/0/k01' })).status).toBe(200);
    const report = await app.call('entries.verify', {});
    expect(report.damaged?.length).toBeGreaterThan(0);
    expect(report.total_checked + (report.damaged?.length ?? 0)).toBeGreaterThanOrEqual(100);
    expect(report.valid).toBe(report.total_checked);
  });

  it('of versions alone are listed by name and number', async () => {
    const dataDir = copyOf(await filledFolder());
    const file = join(dataDir, 'mem.db');
    const app = await openTestApp('sqlite', { place: folderPlace(dataDir) });
    await app.call('entries.write', { entity_path: 'p/3', key: 'k07', value: 'another' });
    await emptyWal(app);
    await app.close();
    for (const page of pagesWith(file, 'marker-3-7. ')) overwrite(file, page * PAGE, new Uint8Array(100));
    const again = await openTestApp('sqlite', { place: folderPlace(dataDir) });
    onTestFinished(() => again.close());
    expect((await again.call('entries.read', { entity_path: 'p/3', key: 'k07' })).value).toBe('another');
    const { damaged = [] } = await again.call('entries.verify', {});
    expect(damaged).toContainEqual({
      entity_path: 'p/3',
      key: 'k07',
      version: 1,
      detail: expect.stringContaining('malformed'),
    });
  });

  it('of some versions are listed without the entries beside them', async () => {
    const dataDir = copyOf(await filledFolder());
    const file = join(dataDir, 'mem.db');
    const store = await openDriver(file);
    const text = `SELECT pageno FROM dbstat WHERE name = 'versions' AND pagetype = 'leaf' ORDER BY pageno LIMIT 1 OFFSET 5`;
    const page = store.get<{ pageno: number }>({ text, values: [] })?.pageno ?? 0;
    store.close();
    overwrite(file, (page - 1) * PAGE, new Uint8Array(PAGE).fill(0xff));
    const app = await openTestApp('sqlite', { place: folderPlace(dataDir) });
    onTestFinished(() => app.close());
    const lost: string[] = [];
    for (let i = 0; i < 6; i++)
      for (let k = 0; k < 20; k++) {
        const at = { entity_path: `p/${i}`, key: `k${String(k).padStart(2, '0')}` };
        await app.call('entries.history', at).catch(() => lost.push(`${at.entity_path} ${at.key}`));
      }
    expect(lost.length).toBeGreaterThan(1);
    const { damaged = [], total_checked, valid } = await app.call('entries.verify', {});
    expect(damaged.map(({ entity_path, key }) => `${entity_path} ${key}`)).toEqual(lost);
    expect([total_checked, valid]).toEqual([120 - lost.length, 120 - lost.length]);
  });

  it('never make an operation fail as a bug, wherever the damage is', async () => {
    const whole = await filledFolder();
    const size = readFileSync(join(whole, 'mem.db')).length;
    for (let i = 0; i < 12; i++) {
      const dataDir = copyOf(whole);
      const page = Math.floor(((i + 1) * size) / 13 / PAGE);
      const at = page * PAGE + (i % 3 === 0 ? 0 : i % 3 === 1 ? 8 : 3000);
      const noise = Uint8Array.from({ length: 300 }, (_, k) => (k * 73 + i * 31) % 256);
      overwrite(join(dataDir, 'mem.db'), at, noise);
      try {
        const app = await openTestApp('sqlite', { place: folderPlace(dataDir) });
        const codes = await codesOf(app).finally(() => app.close());
        expect(codes.filter((code) => !['storage_damaged', 'not_found'].includes(code))).toEqual([]);
      } catch (error) {
        if (!(error instanceof StorageError || error instanceof SchemaError)) throw error;
      }
    }
  });
});

describe('damaged pages of PostgreSQL', () => {
  it('answer 503 storage_damaged, and verify says that entries cannot be listed', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'mem-damage-pg-'));
    chmodSync(dataDir, 0o777);
    const postgres = await startPostgres({ dataDir: join(dataDir, 'data') });
    onTestFinished(async () => {
      await postgres.close();
      rmSync(dataDir, { recursive: true, force: true });
    });
    const options = { dataDir, postgresDsn: postgres.dsn };
    const place = { options, remove: async () => {} } as StorePlace;
    const app = await openTestApp('postgres', { place, clock: fakeClock() });
    await fill(app);
    await app.close();
    await runSql(postgres.dsn, 'CHECKPOINT');
    const { rows } = await runSql(postgres.dsn, "SELECT pg_relation_filepath('versions') AS path");
    await postgres.stop();
    const file = join(dataDir, 'data', rows[0].path);
    for (const page of pagesWith(file, 'marker-3-7. ').slice(0, 1))
      overwrite(file, page * PAGE, new Uint8Array(24).fill(255));
    await postgres.restart();
    const again = await openApp(options);
    onTestFinished(() => again.close());
    const call = (name: string, input: object) =>
      again.kernel.invoke(name as never, input, {
        ...{ account_id: '00000000-0000-0000-0000-000000000001', actor: 'test', agent_id: 'agent/test' },
        ...{ session_id: null, address: null, request_id: 'test' },
      });
    await expect(call('entries.history', { entity_path: 'p/3', key: 'k07' })).rejects.toMatchObject({
      code: 'storage_damaged',
    });
    const report = (await call('entries.verify', {})) as { damaged?: { detail: string }[] };
    expect(report.damaged?.[0]?.detail).toContain('invalid page in block');
  });
});
