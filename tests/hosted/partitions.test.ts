import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { modules as proModules } from '../../packages/pro/src/index.ts';
import { coreModules } from '../../packages/server/src/app.ts';
import type { Check } from '../../packages/server/src/cli/doctor/check.ts';
import type { Update } from '../../packages/server/src/db/index.ts';
import { updateTextOnce } from '../../packages/server/src/db/postgres-many.ts';
import { withoutName } from '../../packages/server/src/db/postgres-prepare.ts';
import { type Module, systemClock, tablesOf } from '../../packages/server/src/kernel/index.ts';
import { advanceAccounts } from '../../packages/server/src/kernel/queries.ts';
import { updateStandings } from '../../packages/server/src/modules/entries/standings.ts';
import { updateAgentIds } from '../../packages/server/src/modules/keys/queries.ts';
import { updateHeaders } from '../../packages/server/src/modules/traces/age/queries.ts';
import { type Desk, openDesk } from '../cli/support.ts';
import { dump } from '../contract/dump.ts';
import { createExamples, type KnownIds, markedInput, newAccount, outcomeOf, reading } from '../contract/table.ts';
import { memProgram } from '../faults/support/mem-process.ts';
import { openTestApp, runSql, type StorePlace, type TestApp } from '../support/app.ts';
import { readyPlace } from '../support/place.ts';
import { dropRoles, foreignObjects, keptRights, newRole, RIGHTS } from './foreign-objects.ts';

const A = 'aaaaaaaa-0000-4000-8000-00000000000a';
const B = 'bbbbbbbb-0000-4000-8000-00000000000b';
const as = (account_id: string) => ({ account_id, agent_id: 'agent/of-both' });
const tables = tablesOf([...coreModules, ...proModules]).map(({ table }) => table);
const WHOLE = ['accounts', 'api_keys'];

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.remove());

const dsnOf = ({ options }: StorePlace) => options.postgresDsn as string;
const rowsOf = async (place: StorePlace, text: string) => (await runSql(dsnOf(place), text)).rows;
const partition = (place: StorePlace, ...flags: string[]) =>
  desk.inProcess(['postgres', 'partition', ...flags], { env: { MEM_POSTGRES_DSN: dsnOf(place) } });

const DIVIDED = `SELECT CAST(c.relname AS text) AS name, CAST(count(*) AS int) AS n FROM pg_class AS c
  JOIN pg_inherits ON inhparent = c.oid WHERE c.relkind = 'p' GROUP BY 1 ORDER BY 1`;
const dividedIn = async (place: StorePlace) => (await rowsOf(place, DIVIDED)).map(({ name }) => name);

async function newStore(rowSecurity: 'on' | 'off' = 'off'): Promise<StorePlace> {
  const place = await readyPlace('postgres', { rowSecurity });
  onTestFinished(() => place.remove());
  return place;
}

async function doctor(place: StorePlace): Promise<Check[]> {
  const { out } = await desk.inProcess(['doctor', '--json'], { env: { MEM_POSTGRES_DSN: dsnOf(place) } });
  return (JSON.parse(out) as { checks: Check[] }).checks;
}
const partitionsCheck = async (place: StorePlace) => (await doctor(place)).filter(({ name }) => name === 'partitions');

describe.each(['off', 'on'] as const)('a store in partitions, row-level security %s', (rowSecurity) => {
  let place: StorePlace;
  let app: TestApp;
  let known: KnownIds;
  let before: unknown;
  let reader: string;
  let rights: unknown[];
  beforeAll(async () => {
    reader = await newRole('reader');
    place = await readyPlace('postgres', { rowSecurity });
    const filled = await openTestApp('postgres', { place, rowSecurity });
    for (const account of [A, B]) await newAccount(filled, account);
    known = await createExamples(filled, { mark: 'alphamark', as: as(A) });
    await createExamples(filled, { mark: 'betamark', as: as(B) });
    before = await dump(filled, A);
    await filled.close();
    await runSql(dsnOf(place), keptRights(reader));
    rights = await rowsOf(place, RIGHTS);
    await runSql(dsnOf(place), `ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO ${reader}`);
    expect(await partition(place, '--partitions', '3', '--yes')).toMatchObject({ code: 0, err: '' });
    app = await openTestApp('postgres', { place, rowSecurity });
  });
  afterAll(async () => {
    await app.close();
    await place.remove();
    await dropRoles(reader);
  });

  it('has every table with rows of accounts in them, but for those that are unique over all accounts', async () => {
    const expected = tables.filter((table) => !WHOLE.includes(table)).sort();
    expect((await rowsOf(app.place, DIVIDED)).map(({ name }) => name)).toEqual(expected);
    expect(new Set((await rowsOf(app.place, DIVIDED)).map(({ n }) => n))).toEqual(new Set([3]));
  });

  it('holds what it held', async () => {
    const after = (await dump(app, A)) as Record<string, string[]>;
    const isPartition = (name: string) => /_p\d+$/.test(name);
    expect(Object.fromEntries(Object.entries(after).filter(([name]) => !isPartition(name)))).toEqual(before);
  });

  it('has the rights that were given on its tables, and gives none on partitions', async () => {
    expect(await rowsOf(app.place, RIGHTS)).toEqual(rights);
  });

  it.each(reading)('%s answers of its own account alone', async (name) => {
    const of = (mark: string, account: string) =>
      outcomeOf(app, name, { input: markedInput(name, mark, account === A ? known : {}), as: as(account) });
    expect(JSON.stringify(await of('alphamark', A))).not.toContain('internal_error');
    expect(JSON.stringify(await of('alphamark', B))).not.toContain('about alphamark');
  });

  it('takes every write of the table again', async () => {
    const account = 'cccccccc-0000-4000-8000-00000000000c';
    await newAccount(app, account);
    await createExamples(app, { mark: 'gammamark', as: as(account) });
    expect(await app.call('audit.verify', {}, { account_id: account })).toMatchObject({ problems: [] });
    expect(await app.call('entries.verify', {}, { account_id: account })).toMatchObject({ corrupted: [] });
  });

  it('keeps settings, indexes and maintenance of each partition', async () => {
    const settings = await rowsOf(
      app.place,
      `SELECT relname, reloptions FROM pg_class WHERE relname ~ '^standings_p\\d$' AND 'fillfactor=50' = ANY (reloptions)`,
    );
    expect(settings).toHaveLength(3);
    const pending = `SELECT relname FROM pg_class AS c JOIN pg_inherits ON inhrelid = c.oid
      WHERE inhparent = CAST('entries_by_word' AS regclass)`;
    expect(await rowsOf(app.place, pending)).toHaveLength(3);
    const { kernel } = app;
    for (const { maintenance = [] } of [...coreModules, ...proModules])
      for (const task of maintenance) if (task.only_on !== 'sqlite') await task.run(kernel, () => false);
    for (const table of tables) await kernel.services.database.maintain({ text: `VACUUM ${table}`, values: [] });
  });

  it('is reached through its tables only, and mem doctor says how it is divided', async () => {
    if (rowSecurity === 'on') {
      const { database } = app.kernel.services;
      for (const read of [database.read, database.forAccount(A).read])
        await expect(read.all({ text: 'SELECT * FROM entries_p0', values: [] })).rejects.toThrow(/permission denied/);
    }
    const locked = await rowsOf(
      app.place,
      `SELECT DISTINCT relforcerowsecurity AS locked FROM pg_class WHERE relispartition AND relkind = 'r'`,
    );
    expect(locked).toEqual([{ locked: rowSecurity === 'on' }]);
    expect(await partitionsCheck(app.place)).toMatchObject([
      { level: 'ok', found: `${tables.length - WHOLE.length} tables in 3 partitions by account` },
    ]);
    expect((await doctor(app.place)).filter(({ level }) => level === 'fail')).toEqual([]);
  });

  it('accepts migrations that come later, and tells when their tables are not divided', async () => {
    const later: Module = {
      name: 'later',
      handlers: {},
      migrations: [
        {
          version: 1,
          name: 'later',
          up: ({ text, int }) => [
            `ALTER TABLE entries ADD COLUMN mood ${text}`,
            'CREATE INDEX entries_by_mood ON entries (account_id, mood)',
            'ALTER TABLE standings SET (fillfactor = 60)',
            `CREATE TABLE moods (account_id ${text} NOT NULL, no ${int} NOT NULL, PRIMARY KEY (account_id, no))`,
          ],
        },
      ],
      tables: [{ table: 'moods', key: ['no'], left_out: 'for a test' }],
    };
    await app.close();
    app = await openTestApp('postgres', { place, rowSecurity, modules: [...proModules, later] });
    const written = await app.call('entries.write', { entity_path: 'later', key: 'k', value: 1 });
    expect(written).toMatchObject({ version: 1 });
    const filled = await rowsOf(
      place,
      `SELECT relname FROM pg_class WHERE 'fillfactor=60' = ANY (reloptions) ORDER BY 1`,
    );
    expect(filled.map(({ relname }) => relname)).toEqual(['standings_p0', 'standings_p1', 'standings_p2']);
  });
});

describe('mem postgres partition', () => {
  it('tells what it would do and does nothing with --dry-run, nor without --yes where nobody can be asked', async () => {
    const place = await newStore();
    const shown = await partition(place, '--dry-run');
    expect(shown).toMatchObject({ code: 0, err: '' });
    expect(shown.out).toMatch(/^entries: .*, into 8 partitions by account$/m);
    expect(shown.out).toContain('api_keys stays in one piece: api_keys_by_hash is unique over all accounts');
    const plan = JSON.parse((await partition(place, '--dry-run', '--json')).out);
    expect(plan).toMatchObject({ partitions: 8, done: [], whole: WHOLE.map((table) => ({ table })) });
    expect(await partition(place)).toMatchObject({ code: 2, err: expect.stringContaining('add --yes') });
    await runSql(dsnOf(place), 'ALTER TABLE events ENABLE ROW LEVEL SECURITY');
    const refused = await partition(place, '--dry-run');
    expect(refused).toMatchObject({ code: 5, out: shown.out });
    expect(refused.err).toContain('row-level security of table events');
    expect(await dividedIn(place)).toEqual([]);
  });

  it('refuses without PostgreSQL, without a store, and numbers that make no sense', async () => {
    const place = await newStore();
    expect((await desk.inProcess(['postgres', 'partition', '--yes'])).err).toContain('MEM_POSTGRES_DSN is not set');
    for (const n of ['1', '257', '0', 'many', '-3'])
      expect((await partition(place, '--partitions', n, '--yes')).code, n).toBe(2);
    expect((await desk.inProcess(['postgres'])).code).toBe(2);
    await runSql(dsnOf(place), 'DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    expect((await partition(place, '--yes')).err).toContain('there is no store yet');
  });

  it('is refused while a server is connected, goes on after kill -9 where it was, and ends when all is done', async () => {
    const place = await newStore('on');
    const connected = await openTestApp('postgres', {
      place,
      rowSecurity: 'on',
      clock: { ...systemClock, advance: () => {} },
    });
    const refused = await partition(place, '--yes');
    expect(refused).toMatchObject({ code: 5, out: '' });
    expect(refused.err).toContain('a server is connected');
    const shown = await partition(place, '--dry-run');
    expect(shown).toMatchObject({ code: 5, err: refused.err, out: expect.stringContaining('into 8 partitions') });
    expect(await dividedIn(place)).toEqual([]);
    await connected.call('entries.write', { entity_path: 'a', key: 'before', value: 1 });
    await connected.close();

    const child = spawn(process.execPath, [await memProgram(), 'postgres', 'partition', '--partitions', '4', '--yes'], {
      env: { ...desk.env, MEM_POSTGRES_DSN: dsnOf(place) },
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    await Promise.race([ended, new Promise((resolve) => child.stdout.once('data', resolve))]);
    child.kill('SIGKILL');
    await ended;
    const some = await dividedIn(place);
    expect(some.length).toBeGreaterThan(0);
    expect(some.length).toBeLessThan(tables.length - WHOLE.length);
    expect(await partitionsCheck(place)).toMatchObject([
      { level: 'warn', todo: expect.stringContaining('mem postgres') },
    ]);
    const other = await partition(place, '--partitions', '5', '--yes');
    expect(other).toMatchObject({ code: 5, err: expect.stringContaining('has 4 partitions already') });
    expect(await partition(place, '--yes')).toMatchObject({ code: 0, err: '' });
    expect(await dividedIn(place)).toHaveLength(tables.length - WHOLE.length);
    expect((await partition(place, '--yes')).out).toMatch(/^\d+ tables in 4 partitions already\n/);
    const app = await openTestApp('postgres', { place });
    await app.call('entries.write', { entity_path: 'a', key: 'k', value: 'searchable' });
    expect(await app.call('entries.search', { query: 'searchable' })).toMatchObject({ entries: [{ key: 'k' }] });
    await app.close();
  });

  it('names all that mem did not make on its tables before it changes one', async () => {
    const [reader, other] = [await newRole('reader'), await newRole('other')];
    onTestFinished(() => dropRoles(reader, other));
    const place = await newStore('on');
    const objects = foreignObjects(reader, other);
    await runSql(dsnOf(place), [keptRights(reader), ...objects.map(({ make }) => make)].join(';'));
    const others = 'CREATE TYPE events_p1 AS (n int); CREATE TABLE edges_undivided ()';
    await runSql(dsnOf(place), `${others}; ALTER TABLE versions OWNER TO ${other}`);
    const flags = ['--partitions', '2'];
    const shown = await partition(place, ...flags, '--dry-run', '--json');
    const { foreign, ...rest } = JSON.parse(shown.out).obstacles;
    expect(foreign.sort()).toEqual(objects.map(({ name }) => name).sort());
    expect(rest).toEqual({ taken: ['edges_undivided', 'events_p1'], owners: [other], servers: [] });
    const refused = await partition(place, ...flags, '--yes');
    expect(refused).toMatchObject({ code: 5, out: '' });
    expect(shown.code).toBe(5);
    expect(refused.err).toContain('remove them, run this again, and make them again');
    expect(refused.err).not.toMatch(/^\s+at /m);
    expect(await dividedIn(place)).toEqual([]);

    const removed = objects.map(({ remove }) => remove).reverse();
    await runSql(dsnOf(place), `DROP TABLE edges_undivided; DROP TYPE events_p1; ${removed.join(';')}`);
    await runSql(dsnOf(place), 'ALTER TABLE versions OWNER TO CURRENT_USER');
    expect(await partition(place, ...flags, '--dry-run')).toMatchObject({ code: 0, err: '' });
  });
});

const updates: Update[] = [updateStandings, updateHeaders, advanceAccounts, updateAgentIds];

describe.each([undefined, 3])(
  'updates of many rows in a new store without statistics, partitions: %s',
  (partitions) => {
    let place: StorePlace;
    beforeAll(async () => {
      place = await readyPlace('postgres', { partitions, rowSecurity: partitions ? 'on' : 'off' });
    });
    afterAll(() => place.remove());

    it.each(updates)('find the rows of $table one by one in an index, and name no location', async (update) => {
      const { text } = withoutName(updateTextOnce(update));
      expect(text).not.toContain('ctid');
      const args = Object.keys({ ...update.set, ...update.by }).map(() => 'NULL');
      const plan = (
        (await runSql(
          dsnOf(place),
          `SET plan_cache_mode = force_generic_plan; PREPARE one AS ${text}; EXPLAIN (COSTS OFF) EXECUTE one(${args.join(', ')})`,
        )) as unknown as { rows: { 'QUERY PLAN': string }[] }[]
      )[2]?.rows.map((row) => row['QUERY PLAN']);
      const found = (plan ?? []).filter((line) => /Scan/.test(line) && line.includes(update.table));
      expect(found.length, plan?.join('\n')).toBe(partitions && !WHOLE.includes(update.table) ? partitions : 1);
      for (const line of found) expect(line).toMatch(/(Index|Bitmap).*(_pkey|by_agent|agent_id_seq)/);
    });
  },
);
