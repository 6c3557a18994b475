import { describe, expect, it, onTestFinished } from 'vitest';
import { openApp } from '../../packages/server/src/app.ts';
import { type Migration, migrate, openPostgres, openSqlite, sql } from '../../packages/server/src/db/index.ts';
import { type Backend, backends, newPlace, type Place } from '../support/app.ts';
import { runMem } from './support/mem-process.ts';
import { call } from './support/open-kernel.ts';

type Applied = { version: number; name: string; applied_at: number };

async function emptyPlace(backend: Backend): Promise<Place> {
  const place = await newPlace(backend);
  onTestFinished(() => place.remove());
  return place;
}

async function open({ options: { dataDir, postgresDsn: dsn } }: Place) {
  const database =
    dsn === undefined ? await openSqlite(dataDir) : await openPostgres({ dsn, poolSize: 2, onError: () => {} });
  onTestFinished(() => database.close());
  return database;
}

const applied = sql`SELECT version, name, applied_at FROM schema_migrations ORDER BY version`;

describe.each(backends)('migrations on %s', (backend) => {
  it('make the schema of a new store, and change nothing at the next start', async () => {
    const place = await emptyPlace(backend);
    const first = await openApp({ ...place.options, clock: { now: () => 1000 } });
    const { schema, database } = first.kernel.services;
    const rows = await database.read.all<Applied>(applied);
    expect(rows.map(({ version }) => version)).toEqual(Array.from({ length: schema }, (_, i) => i + 1));
    expect(rows.every(({ applied_at }) => applied_at === 1000)).toBe(true);
    await call(first.kernel, 'entries.write', { entity_path: 'a', key: 'k', value: 1 });
    await first.close();
    const second = await openApp({ ...place.options, clock: { now: () => 2000 } });
    expect(await second.kernel.services.database.read.all<Applied>(applied)).toEqual(rows);
    expect(await call(second.kernel, 'entries.read', { entity_path: 'a', key: 'k' })).toMatchObject({
      version: 1,
    });
    await second.close();
  });

  it('a schema newer than the program stops the start with one clear line', async () => {
    const place = await emptyPlace(backend);
    await (await openApp(place.options)).close();
    const database = await open(place);
    await database.transaction((tx) =>
      tx.run(sql`INSERT INTO schema_migrations (version, name, applied_at) VALUES (999, 'later', 1)`),
    );
    const { dataDir, postgresDsn } = place.options;
    const { code, output, stdout } = await runMem({ MEM_DATA_DIR: dataDir, MEM_POSTGRES_DSN: postgresDsn });
    expect(code).toBe(1);
    expect(output).toMatch(
      /^mem: The database has schema 999, but this version of mem knows only \d+\. Start a newer version\.\n$/,
    );
    expect(stdout).toBe('');
  });

  it('one that fails leaves the schema as it was', async () => {
    const place = await emptyPlace(backend);
    const database = await open(place);
    const good: Migration = { version: 1, name: 'good', up: ({ text }) => [`CREATE TABLE one (a ${text})`] };
    const bad: Migration = {
      version: 2,
      name: 'bad',
      up: ({ text }) => [`ALTER TABLE one ADD COLUMN b ${text}`, `CREATE TABLE two (a ${text})`, 'CREATE TABLE ('],
    };
    expect(await migrate(database, [good], 1)).toBe(1);
    await expect(migrate(database, [good, bad], 2)).rejects.toThrow(/syntax/);
    expect(await database.read.all<Applied>(applied)).toEqual([{ version: 1, name: 'good', applied_at: 1 }]);
    await expect(database.read.all(sql`SELECT b FROM one`)).rejects.toThrow();
    await expect(database.read.all(sql`SELECT a FROM two`)).rejects.toThrow();
    const mended: Migration = { ...bad, up: ({ text }) => [`ALTER TABLE one ADD COLUMN b ${text}`] };
    expect(await migrate(database, [good, mended], 3)).toBe(2);
    expect(await database.read.all(sql`SELECT b FROM one`)).toEqual([]);
  });

  it('run once when two bring an old schema up to date at the same moment', async () => {
    const place = await emptyPlace(backend);
    const databases = [await open(place), await open(place), await open(place)] as const;
    const step = (version: number): Migration => ({
      version,
      name: `step ${version}`,
      up: ({ int }) => [`CREATE TABLE step_${version} (a ${int})`],
    });
    await migrate(databases[0], [step(1)], 1);
    const all = [1, 2, 3, 4].map(step);
    expect(await Promise.all(databases.map((database, i) => migrate(database, all, 10 + i)))).toEqual([4, 4, 4]);
    const rows = await databases[0].read.all<Applied>(applied);
    expect(rows.map(({ version }) => version)).toEqual([1, 2, 3, 4]);
    expect(new Set(rows.slice(1).map(({ applied_at }) => applied_at)).size).toBe(1);
  });
});
