import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { modules as proModules } from '../../packages/pro/src/index.ts';
import { type AppOptions, openApp } from '../../packages/server/src/app.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import { loadDriver } from '../../packages/server/src/db/sqlite-connection.ts';
import { partitionStore } from '../../packages/server/src/partition.ts';

/** Every promise about storage is tested on each of these. */
export const backends = ['sqlite', 'postgres'] as const;
export type Backend = (typeof backends)[number];

/** For requests that are refused before the store is used: runs once, within a suite that runs on each engine. */
export const beforeStore = (backend: Backend, defineTests: () => void): void => {
  if (backend === backends[0]) defineTests();
};

/** When the clocks of tests begin. */
export const START = Date.parse('2026-01-01T00:00:00Z');

export type StorePlace = { options: Pick<AppOptions, 'dataDir' | 'postgresDsn'>; remove(): Promise<void> };

/** An empty store of its own: a folder, or a schema in the PostgreSQL of the test run. */
export async function newPlace(backend: Backend): Promise<StorePlace> {
  const dataDir = mkdtempSync(join(tmpdir(), 'mem-test-'));
  if (backend === 'sqlite') {
    return { options: { dataDir }, remove: async () => rmSync(dataDir, { recursive: true, force: true }) };
  }
  const dsn = inject('postgresDsn');
  const schema = `t_${randomBytes(6).toString('hex')}`;
  await administer(`CREATE SCHEMA ${schema}`);
  const url = new URL(dsn);
  url.searchParams.set('options', `-c search_path=${schema}`);
  return {
    options: { dataDir, postgresDsn: url.href },
    async remove() {
      rmSync(dataDir, { recursive: true, force: true });
      await administer(`DROP SCHEMA ${schema} CASCADE`);
    },
  };
}

export async function runSql(dsn: string, text: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: dsn });
  await client.connect();
  try {
    return await client.query(text);
  } finally {
    await client.end();
  }
}

let administrator: Promise<pg.Client> | undefined;

/** On one connection for all stores of this thread, which goes with the server of the test run. */
async function administer(text: string): Promise<void> {
  administrator ??= connectForGood();
  const client = await administrator;
  await client.query(text);
}

async function connectForGood(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: inject('postgresDsn') });
  client.on('error', () => {
    administrator = undefined;
  });
  await client.connect();
  // Its types do not know of it.
  (client as pg.Client & { unref(): void }).unref();
  return client;
}

/** Like a new one that was opened once: a copy, which takes a fraction of the time. */
export async function readyPlace(backend: Backend, kind: StoreKind = {}): Promise<StorePlace> {
  if (backend === 'sqlite') {
    fileTemplate ??= makeFileTemplate();
    const [place, bytes] = [await newPlace(backend), await fileTemplate];
    writeFileSync(join(place.options.dataDir, 'mem.db'), bytes, { mode: 0o600 });
    return place;
  }
  return copyDatabase(await templateOf(kind), mkdtempSync(join(tmpdir(), 'mem-test-')));
}

async function copyDatabase(template: string, dataDir: string): Promise<StorePlace> {
  const name = `d_${randomBytes(6).toString('hex')}`;
  await administer(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  return {
    options: { dataDir, postgresDsn: databaseOf(inject('postgresDsn'), name) },
    async remove() {
      rmSync(dataDir, { recursive: true, force: true });
      await administer(`DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/** The same store once more. Nobody may have it open. */
export async function copyPlace({ options }: StorePlace): Promise<StorePlace> {
  const dataDir = mkdtempSync(join(tmpdir(), 'mem-test-'));
  cpSync(options.dataDir, dataDir, { recursive: true });
  if (options.postgresDsn === undefined)
    return { options: { dataDir }, remove: async () => rmSync(dataDir, { recursive: true, force: true }) };
  return copyDatabase(new URL(options.postgresDsn).pathname.slice(1), dataDir);
}

let fileTemplate: Promise<Buffer> | undefined;

async function makeFileTemplate(): Promise<Buffer> {
  const { options, remove } = await newPlace('sqlite');
  const app = await openApp({ ...options, modules: proModules, clock: { now: () => START } });
  await app.close();
  const { DatabaseSync } = await loadDriver();
  const store = new DatabaseSync(join(options.dataDir, 'mem.db'));
  const copy = join(options.dataDir, 'copy.db');
  store.exec(`VACUUM INTO '${copy}'`);
  store.close();
  const bytes = readFileSync(copy);
  await remove();
  return bytes;
}

/** How a store in PostgreSQL is made. */
export type StoreKind = { rowSecurity?: AppOptions['rowSecurity'] | undefined; partitions?: number | undefined };
const templates = new Map<string, Promise<string>>();

function templateOf(kind: StoreKind): Promise<string> {
  const divided = kind.partitions === undefined ? '' : `_${kind.partitions}`;
  const name = `template_${kind.rowSecurity === 'on' ? 'guarded' : 'open'}${divided}`;
  const made = templates.get(name) ?? makeTemplate(name, kind);
  templates.set(name, made);
  return made;
}

/** Made by whichever thread of this run comes first. */
async function makeTemplate(name: string, { rowSecurity = 'off', partitions }: StoreKind): Promise<string> {
  const dsn = inject('postgresDsn');
  const client = new pg.Client({ connectionString: dsn });
  await client.connect();
  try {
    await client.query(`SELECT pg_advisory_lock(hashtext('${name}'))`);
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) {
      await client.query(`CREATE DATABASE ${name}_to_be`);
      const postgresDsn = databaseOf(dsn, `${name}_to_be`);
      const app = await openApp({
        dataDir: '',
        postgresDsn,
        rowSecurity,
        modules: proModules,
        clock: { now: () => START },
      });
      await app.close();
      if (partitions !== undefined) await divide(postgresDsn, partitions);
      await client.query(`ALTER DATABASE ${name}_to_be RENAME TO ${name}`);
    }
    return name;
  } finally {
    await client.end();
  }
}

export const divide = (dsn: string, partitions?: number) =>
  partitionStore(readConfig({ MEM_POSTGRES_DSN: dsn }), { partitions }, () => {});

/** By the socket in the file system, which takes a fifth less of the processor than the one of the network. */
function databaseOf(dsn: string, name: string): string {
  const url = new URL(dsn);
  url.pathname = `/${name}`;
  url.searchParams.set('host', inject('postgresSocket'));
  return url.href;
}
