import { describe, expect, it, onTestFinished } from 'vitest';
import { coreModules, openApp } from '../../packages/server/src/app.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import { expectedSchema, readSchema } from '../../packages/server/src/db/expected-schema.ts';
import {
  type Database,
  type MigrationStep,
  migrate,
  openPostgres,
  openSqlite,
  orderMigrations,
  sql,
  type Transaction,
} from '../../packages/server/src/db/index.ts';
import { inspectStore } from '../../packages/server/src/inspect.ts';
import { type Module, migrationsOf } from '../../packages/server/src/kernel/index.ts';
import { type Backend, backends, newPlace, type StorePlace } from '../support/app.ts';
import { runMem, startMem } from './support/mem-process.ts';
import { call } from './support/open-kernel.ts';

type MigrationRecord = { version: number; name: string; applied_at: number; module: string; module_version: number };

const withoutTime = ({ applied_at: _, ...row }: MigrationRecord) => row;

/** A module with as many tables as it has migrations. */
const withTable = (count: number): Module => ({
  name: 'later',
  handlers: {},
  migrations: Array.from({ length: count }, (_, i) => ({
    version: i + 1,
    name: `table ${i + 1}`,
    up: ({ int }) => [`CREATE TABLE later_${i + 1} (a ${int})`],
  })),
});

const insertRow = (
  tx: Transaction,
  { version, module, module_version }: Omit<MigrationRecord, 'name' | 'applied_at'>,
) =>
  tx.run(sql`INSERT INTO schema_migrations (version, name, applied_at, module, module_version)
    VALUES (${version}, 'later', 1, ${module}, ${module_version})`);

const TYPES = {
  sqlite: { engine: 'sqlite', text: 'TEXT', int: 'INTEGER', real: 'REAL' },
  postgres: { engine: 'postgres', text: 'TEXT COLLATE "C"', int: 'BIGINT', real: 'DOUBLE PRECISION' },
} as const;

/** A database of an older program, which numbered the migrations of all modules in one sequence. */
async function buildOld(database: Database, newest: number): Promise<void> {
  const ddl = TYPES[database.dialect.engine];
  const run = (text: string) => ({ text, values: [] });
  await database.alter(async (tx) => {
    await tx.run(
      run(`CREATE TABLE schema_migrations
        (version ${ddl.int} PRIMARY KEY, name ${ddl.text} NOT NULL, applied_at ${ddl.int} NOT NULL)`),
    );
    for (const { legacy = Number.POSITIVE_INFINITY, name, up } of migrationsOf(coreModules)) {
      if (legacy > newest) continue;
      for (const text of up(ddl)) await tx.run(run(text));
      await tx.run(sql`INSERT INTO schema_migrations (version, name, applied_at) VALUES (${legacy}, ${name}, 7)`);
    }
  });
}

const COLUMNS = {
  sqlite: `SELECT type, name, tbl_name FROM sqlite_master WHERE name NOT LIKE 'sqlite_autoindex%' ORDER BY type, name`,
  postgres: `SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns
    WHERE table_schema = current_schema() ORDER BY table_name, ordinal_position`,
};

const schemaOf = (database: Database) => database.read.all({ text: COLUMNS[database.dialect.engine], values: [] });

async function emptyPlace(backend: Backend): Promise<StorePlace> {
  const place = await newPlace(backend);
  onTestFinished(() => place.remove());
  return place;
}

async function open({ options: { dataDir, postgresDsn: dsn } }: StorePlace) {
  const database =
    dsn === undefined ? await openSqlite(dataDir) : await openPostgres({ dsn, poolSize: 2, onError: () => {} });
  onTestFinished(() => database.close());
  return database;
}

const applied = sql`SELECT version, name, applied_at, module, module_version FROM schema_migrations ORDER BY version`;

async function consumersAreDone(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/api/v1/admin/consumers`);
  const { last_seq, consumers } = (await answer.json()) as { last_seq: number; consumers: { seq: number }[] };
  return consumers.every(({ seq }) => seq >= last_seq);
}

describe.each(backends)('migrations on %s', (backend) => {
  it('make the schema of a new store, and change nothing at the next start', async () => {
    const place = await emptyPlace(backend);
    const first = await openApp({ ...place.options, clock: { now: () => 1000 } });
    const { schema, database } = first.kernel.services;
    const rows = await database.read.all<MigrationRecord>(applied);
    expect(rows.map(({ version }) => version)).toEqual(Array.from({ length: schema }, (_, i) => i + 1));
    expect(rows.every(({ applied_at }) => applied_at === 1000)).toBe(true);
    await call(first.kernel, 'entries.write', { entity_path: 'a', key: 'k', value: 1 });
    await first.close();
    const second = await openApp({ ...place.options, clock: { now: () => 2000 } });
    expect(await second.kernel.services.database.read.all<MigrationRecord>(applied)).toEqual(rows);
    expect(await call(second.kernel, 'entries.read', { entity_path: 'a', key: 'k' })).toMatchObject({
      version: 1,
    });
    await second.close();
  });

  it('a migration that is newer than the program stops the start with one clear line', async () => {
    const place = await emptyPlace(backend);
    await (await openApp(place.options)).close();
    const database = await open(place);
    await database.alter((tx) => insertRow(tx, { version: 999, module: 'entries', module_version: 99 }));
    const { dataDir, postgresDsn } = place.options;
    const { code, output, stdout } = await runMem({ MEM_DATA_DIR: dataDir, MEM_POSTGRES_DSN: postgresDsn });
    expect(code).toBe(1);
    expect(output).toMatch(
      /^mem: The database has entries:99, but this version of mem knows only entries:\d+\. Start a newer version\.\n$/,
    );
    expect(stdout).toBe('');
  });

  it('a migration that is there without the one before it stops the start', async () => {
    const place = await emptyPlace(backend);
    await (await openApp(place.options)).close();
    const database = await open(place);
    await database.alter((tx) =>
      tx.run(sql`DELETE FROM schema_migrations WHERE module = 'entries' AND module_version = 1`),
    );
    await expect(openApp(place.options)).rejects.toThrow(
      'The database has entries:2, but not entries:1 before it. Restore a backup.',
    );
  });

  it('say which tables, columns and indexes a store has', async () => {
    const place = await emptyPlace(backend);
    const app = await openApp(place.options);
    const { database } = app.kernel.services;
    const expected = expectedSchema(migrationsOf(coreModules), TYPES[database.dialect.engine]);
    const found = await readSchema(database.read, database.dialect.engine);
    await app.close();
    const own = [...found.tables].filter(([name]) => !/^(schema_migrations|sqlite_|(entry|trace)_words_)/.test(name));
    const columns = ([name, of]: [string, Set<string>]) => [name, /_words$/.test(name) ? [] : [...of].sort()];
    expect(new Map(own.map(columns) as [])).toEqual(new Map([...expected.tables].map(columns) as []));
    const named = [...found.indexes].filter(
      (name) => !/^(sqlite_autoindex|schema_migrations)|_(pkey|key)\d*$/.test(name),
    );
    expect(new Set(named)).toEqual(expected.indexes);
  });

  it.each([
    ['table', 'DROP TABLE import_lines', 'the table import_lines'],
    ['column', 'ALTER TABLE usage_days DROP COLUMN peak', 'the column usage_days.peak'],
    ['index', 'DROP INDEX commits_by_seq', 'the index commits_by_seq'],
  ])('a store without a %s of theirs is refused at the start, and mem doctor names it', async (_, statement, lost) => {
    const place = await emptyPlace(backend);
    await (await openApp(place.options)).close();
    const database = await open(place);
    await database.alter((tx) => tx.run({ text: statement, values: [] }));
    await expect(openApp(place.options)).rejects.toThrow(`The database lacks ${lost}. Restore a backup.`);
    const { dataDir: MEM_DATA_DIR, postgresDsn: MEM_POSTGRES_DSN = '' } = place.options;
    const { refusal } = await inspectStore(readConfig({ MEM_DATA_DIR, MEM_POSTGRES_DSN }));
    expect(refusal).toEqual({ found: `it lacks ${lost}`, isNewer: false });
  });

  it('a migration whose record was lost is not run again over its tables', async () => {
    const place = await emptyPlace(backend);
    await (await openApp(place.options)).close();
    const database = await open(place);
    await database.alter((tx) => tx.run(sql`DELETE FROM schema_migrations WHERE module = 'commits'`));
    await expect(openApp(place.options)).rejects.toThrow(
      /^The database has not commits:1, but parts of it: .*already exists\. Restore a backup\.$/,
    );
  });

  it('of a module that is not installed are left alone', async () => {
    const place = await emptyPlace(backend);
    const app = await openApp({ ...place.options, modules: [withTable(1)] });
    const rows = await app.kernel.services.database.read.all<MigrationRecord>(applied);
    expect(rows.at(-1)).toMatchObject({ module: 'later', module_version: 1, version: app.kernel.services.schema });
    await app.close();
    const without = await openApp(place.options);
    expect(await without.kernel.services.database.read.all<MigrationRecord>(applied)).toEqual(rows);
    await without.close();
  });

  it('that another version runs end the writes of a process that has the store open, and nothing is lost unseen', async () => {
    const place = await emptyPlace(backend);
    const reports: string[] = [];
    const onMigrated = ({ message }: Error) => reports.push(message);
    const older = await openApp({ ...place.options, modules: [withTable(1)], onMigrated });
    const acknowledged: string[] = [];
    const refused: unknown[] = [];
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let i = 0; refused.length < 4; i++) {
        const key = `k${writer}-${i}`;
        await call(older.kernel, 'entries.write', { entity_path: 'a', key, value: i }).then(
          () => acknowledged.push(key),
          (error) => refused.push(error),
        );
      }
    });
    const newer = await openApp({ ...place.options, modules: [withTable(2)] });
    await call(newer.kernel, 'entries.write', { entity_path: 'b', key: 'k', value: 1 });
    await Promise.all(writers);
    for (const error of refused)
      expect(error).toMatchObject({
        code: 'unavailable',
        message:
          'nothing was written: another version of mem has migrated the store, so this process must be started again',
      });
    expect(reports).toEqual(['another version of mem has migrated the store']);
    const listed = await call(newer.kernel, 'entries.list', { entity_path: 'a', limit: 1000 });
    expect(listed.entries.map(({ key }) => key).sort()).toEqual(acknowledged.sort());
    await expect(
      older.kernel.services.database.exclusively((tx) => tx.run(sql`DELETE FROM accounts`)),
    ).rejects.toMatchObject({ reason: 'migrated' });
    await older.close();
    await newer.close();
  });

  it('that another version runs end a service, which says why; those of a module it does not have leave it alone', async () => {
    const place = await emptyPlace(backend);
    const { dataDir: MEM_DATA_DIR, postgresDsn: MEM_POSTGRES_DSN } = place.options;
    const mem = await startMem({ MEM_DATA_DIR, MEM_POSTGRES_DSN });
    const newer = await openApp({ ...place.options, modules: [withTable(1)] });
    const write = () =>
      fetch(`${mem.url}/api/v1/entries`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ entity_path: 'a', key: 'k', value: 1 }),
      });
    expect((await write()).status).toBe(201);
    // Else one of them may be the first to see the migration, and end the service before the next write.
    await expect.poll(() => consumersAreDone(mem.url)).toBe(true);
    const { database, schema } = newer.kernel.services;
    await database.alter((tx) => insertRow(tx, { version: schema + 1, module: 'entries', module_version: 99 }));
    const answer = await write();
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('5');
    expect(await mem.end).toEqual({ code: 1, signal: null });
    expect(mem.output()).toContain('another version of mem has migrated the store: stopping');
    await newer.close();
  });

  it('of a module that comes later are run, whatever numbers the others have reached', async () => {
    const place = await emptyPlace(backend);
    const before = await openApp(place.options);
    const { schema } = before.kernel.services;
    await before.close();
    const first = await openApp({ ...place.options, modules: [withTable(1)] });
    expect(first.kernel.services.schema).toBe(schema + 1);
    expect(await first.kernel.services.database.read.all(sql`SELECT a FROM later_1`)).toEqual([]);
    await first.close();
    const second = await openApp({ ...place.options, modules: [withTable(2)] });
    expect(second.kernel.services.schema).toBe(schema + 2);
    expect(await second.kernel.services.database.read.all(sql`SELECT a FROM later_2`)).toEqual([]);
    await second.close();
    await expect(openApp({ ...place.options, modules: [withTable(1)] })).rejects.toThrow(
      'The database has later:2, but this version of mem knows only later:1. Start a newer version.',
    );
  });

  it.each([1, 2, 8, 13, 20, 26])(
    'a database from the time of the one count is carried over from number %i',
    async (k) => {
      const fresh = await emptyPlace(backend);
      const now = await openApp(fresh.options);
      const expected = await schemaOf(now.kernel.services.database);
      const rows = await now.kernel.services.database.read.all<MigrationRecord>(applied);
      await now.close();

      const place = await emptyPlace(backend);
      await buildOld(await open(place), k);
      const app = await openApp({ ...place.options, clock: { now: () => 5000 } });
      const { database, schema } = app.kernel.services;
      const carried = await database.read.all<MigrationRecord>(applied);
      expect(carried.map(withoutTime)).toEqual(rows.map(withoutTime));
      expect(carried.map(({ applied_at }) => applied_at)).toEqual(rows.map(({ version }) => (version <= k ? 7 : 5000)));
      expect(schema).toBe(rows.length);
      expect(await schemaOf(database)).toEqual(expected);
      await call(app.kernel, 'entries.write', { entity_path: 'a', key: 'k', value: 1 });
      expect(await call(app.kernel, 'entries.read', { entity_path: 'a', key: 'k' })).toMatchObject({ version: 1 });
      await app.close();
      const again = await openApp(place.options);
      expect(await again.kernel.services.database.read.all<MigrationRecord>(applied)).toEqual(carried);
      await again.close();
    },
  );

  it('a database of the one count that is newer than the program is refused, and stays as it was', async () => {
    const place = await emptyPlace(backend);
    const database = await open(place);
    await buildOld(database, 26);
    await database.alter((tx) =>
      tx.run(sql`INSERT INTO schema_migrations (version, name, applied_at) VALUES (999, 'later', 1)`),
    );
    await expect(openApp(place.options)).rejects.toThrow(
      'The database has schema 999, but this version of mem knows only 26. Start a newer version.',
    );
    await expect(database.read.all(sql`SELECT module FROM schema_migrations`)).rejects.toThrow();
  });

  it('one that fails leaves the schema as it was', async () => {
    const place = await emptyPlace(backend);
    const database = await open(place);
    const good: MigrationStep = {
      module: 'm',
      version: 1,
      name: 'good',
      up: ({ text }) => [`CREATE TABLE one (a ${text})`],
    };
    const bad: MigrationStep = {
      module: 'm',
      version: 2,
      name: 'bad',
      up: ({ text }) => [`ALTER TABLE one ADD COLUMN b ${text}`, `CREATE TABLE two (a ${text})`, 'CREATE TABLE ('],
    };
    expect(await migrate(database, [good], 1)).toMatchObject({ schema: 1 });
    await expect(migrate(database, [good, bad], 2)).rejects.toThrow(/syntax/);
    expect(await database.read.all<MigrationRecord>(applied)).toEqual([
      { version: 1, name: 'good', applied_at: 1, module: 'm', module_version: 1 },
    ]);
    await expect(database.read.all(sql`SELECT b FROM one`)).rejects.toThrow();
    await expect(database.read.all(sql`SELECT a FROM two`)).rejects.toThrow();
    const mended: MigrationStep = { ...bad, up: ({ text }) => [`ALTER TABLE one ADD COLUMN b ${text}`] };
    expect(await migrate(database, [good, mended], 3)).toMatchObject({ schema: 2 });
    expect(await database.read.all(sql`SELECT b FROM one`)).toEqual([]);
  });

  it('run once when two bring an old schema up to date at the same moment', async () => {
    const place = await emptyPlace(backend);
    const databases = [await open(place), await open(place), await open(place)] as const;
    const step = (version: number): MigrationStep => ({
      module: 'm',
      version,
      name: `step ${version}`,
      up: ({ int }) => [`CREATE TABLE step_${version} (a ${int})`],
    });
    await migrate(databases[0], [step(1)], 1);
    const all = [1, 2, 3, 4].map(step);
    const migrated = await Promise.all(databases.map((database, i) => migrate(database, all, 10 + i)));
    expect(migrated.map(({ schema }) => schema)).toEqual([4, 4, 4]);
    const rows = await databases[0].read.all<MigrationRecord>(applied);
    expect(rows.map(({ version }) => version)).toEqual([1, 2, 3, 4]);
    expect(new Set(rows.slice(1).map(({ applied_at }) => applied_at)).size).toBe(1);
  });
});

describe('the order of migrations', () => {
  const step = (version: number, legacy?: number) => ({
    version,
    name: 'x',
    up: () => [],
    ...(legacy === undefined ? {} : { legacy }),
  });
  const names = (...modules: Parameters<typeof orderMigrations>[0]) =>
    orderMigrations(modules).map(({ module, version }) => `${module}:${version}`);

  it('is that of the one count first, then that of the modules', () => {
    expect(
      names(
        { module: 'kernel', migrations: [step(1, 1), step(2, 4), step(3)] },
        { module: 'b', migrations: [step(1, 3), step(2)] },
        { module: 'a', migrations: [step(1, 2), step(2, 5), step(3), step(4)] },
      ),
    ).toEqual(['kernel:1', 'a:1', 'b:1', 'kernel:2', 'a:2', 'kernel:3', 'b:2', 'a:3', 'a:4']);
  });

  it('needs numbers without gaps, and modules with names of their own', () => {
    expect(() => names({ module: 'a', migrations: [step(1), step(3)] })).toThrow(/numbered 1, 2, 3/);
    expect(() => names({ module: 'a', migrations: [step(1)] }, { module: 'a', migrations: [step(1)] })).toThrow(
      'two modules have the same name',
    );
  });

  it('of the one count is the order that databases have seen: all numbers, each once', () => {
    const numbers = migrationsOf(coreModules).flatMap(({ legacy }) => legacy ?? []);
    expect(numbers).toEqual(Array.from({ length: 26 }, (_, i) => i + 1));
  });
});
