import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { openApp } from '../../packages/server/src/app.ts';
import { type Database, openPostgres, type Query, type Sql, sql } from '../../packages/server/src/db/index.ts';
import { findOne } from '../../packages/server/src/db/postgres-many.ts';
import { dump } from '../contract/dump.ts';
import {
  createExamples,
  type KnownIds,
  markedInput,
  newAccount,
  outcomeOf,
  reading,
  writing,
} from '../contract/table.ts';
import { newPlace, openTestApp, runSql, type StorePlace, type TestApp } from '../support/app.ts';

const A = 'aaaaaaaa-0000-4000-8000-00000000000a';
const B = 'bbbbbbbb-0000-4000-8000-00000000000b';
const MARK = 'alphamark';
const asA = { account_id: A, agent_id: 'agent/of-both' };
const asB = { account_id: B, agent_id: 'agent/of-both' };

const dsnOf = ({ options }: StorePlace) => options.postgresDsn as string;

const GUARDED = `SELECT c.relname AS name, c.relrowsecurity AND c.relforcerowsecurity AS guarded,
    (SELECT count(*)::int FROM pg_policy WHERE polrelid = c.oid AND polname = 'mem_account') AS policies,
    pg_get_userbyid(c.relowner) AS owner
  FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'account_id'
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') ORDER BY 1`;

type TableGuardState = { name: string; guarded: boolean; policies: number; owner: string };

const guardOf = async (place: StorePlace): Promise<TableGuardState[]> => (await runSql(dsnOf(place), GUARDED)).rows;

/** The query layer with a hole in it: every condition on the account holds for all accounts. */
function withoutConditions(database: Database, isOpen: () => boolean): Database {
  const open = (statement: Sql): Sql =>
    isOpen() ? { ...statement, text: statement.text.replace(/(\w+\.)?\baccount_id = \?/g, '($& OR true)') } : statement;
  const opened = (query: Query): Query => ({
    all: (statement) => query.all(open(statement)),
    get: (statement) => query.get(open(statement)),
    first: (statement, limit) => query.first(open(statement), limit),
    findMany: (find, keys) => query.findMany(find, keys),
  });
  return {
    dialect: database.dialect,
    sharedLanes: database.sharedLanes,
    read: database.read,
    scan: database.scan,
    forAccount(accountId) {
      const { read, scan } = database.forAccount(accountId);
      return { read: opened(read), scan: opened(scan), find: (find, key) => findOne(opened(read), find, key) };
    },
    find: (find, key) => database.find(find, key),
    snapshot: (accountId) => database.snapshot(accountId),
    transaction: (work) =>
      database.transaction((tx) =>
        work({
          ...opened(tx),
          enter: (accountId) => tx.enter(accountId),
          enterAll: (accountIds) => tx.enterAll(accountIds),
          run: (statement) => tx.run(open(statement)),
          insertMany: (insert, rows) => tx.insertMany(insert, rows),
          updateMany: (update, rows) => tx.updateMany(update, rows),
          savepoint: (run) => tx.savepoint(run),
        }),
      ),
    maintenanceTransaction: (work) => database.maintenanceTransaction(work),
    exclusively: (work) => database.exclusively(work),
    expectSchema: (schema, onOther) => database.expectSchema(schema, onOther),
    alter: (work) => database.alter(work),
    maintain: (statement) => database.maintain(statement),
    isWritable: () => database.isWritable(),
    get lostConnections() {
      return database.lostConnections;
    },
    announce: (topic, place) => database.announce(topic, place),
    onAnnounce: (listener) => database.onAnnounce(listener),
    close: () => database.close(),
  };
}

describe('row-level security', () => {
  let app: TestApp;
  let known: KnownIds;
  let isOpen = false;
  beforeAll(async () => {
    app = await openTestApp('postgres', {
      rowSecurity: 'on',
      wrapDatabase: (database) => withoutConditions(database, () => isOpen),
    });
    for (const account of [A, B]) await newAccount(app, account);
    known = await createExamples(app, { mark: MARK, as: asA });
  });
  afterAll(() => app.close());

  /** With the hole in the query layer. */
  async function sabotaged<T>(run: () => Promise<T>): Promise<T> {
    isOpen = true;
    try {
      return await run();
    } finally {
      isOpen = false;
    }
  }

  it('guards every table that knows accounts, from its owner too', async () => {
    const tables = await guardOf(app.place);
    expect(tables.length).toBeGreaterThan(20);
    expect(tables.filter(({ guarded, policies }) => !guarded || policies !== 1)).toEqual([]);
  });

  it('serves under a role that can neither log in nor bypass it, and owns no table', async () => {
    const role = await app.kernel.services.database
      .forAccount(A)
      .read.get<Record<string, unknown>>(
        sql`SELECT rolname, rolsuper, rolbypassrls, rolcanlogin FROM pg_roles WHERE rolname = current_user`,
      );
    expect(role).toEqual({ rolname: 'mem_app', rolsuper: false, rolbypassrls: false, rolcanlogin: false });
    expect((await guardOf(app.place)).filter(({ owner }) => owner === 'mem_app')).toEqual([]);
  });

  it.each(reading)('%s shows nothing of another account where the query forgets the account', async (name) => {
    const seen = await sabotaged(() => outcomeOf(app, name, { input: markedInput(name, MARK, known), as: asB }));
    expect(JSON.stringify(seen)).not.toContain(`about ${MARK}`);
    expect(JSON.stringify(seen)).not.toContain(`pattern-${MARK}`);
  });

  it.each(writing)('%s changes nothing of another account where the query forgets the account', async (name) => {
    const before = await dump(app, A);
    await sabotaged(() => outcomeOf(app, name, { input: markedInput(name, MARK, known), as: asB }).catch(() => {}));
    expect(await dump(app, A)).toEqual(before);
  });

  it('is what hides it: without it, the same hole shows the other account', async () => {
    let isWide = false;
    const bare = await openTestApp('postgres', {
      rowSecurity: 'off',
      wrapDatabase: (database) => withoutConditions(database, () => isWide),
    });
    onTestFinished(() => bare.close());
    for (const account of [A, B]) await newAccount(bare, account);
    await bare.call('entries.write', { entity_path: 'of/a', key: 'k', value: `about ${MARK}` }, asA);
    isWide = true;
    expect(await bare.call('entries.list', { entity_path: 'of/a' }, asB)).toMatchObject({
      entries: [{ value: `about ${MARK}` }],
    });
  });

  it('lets no statement of one account read or write rows of another', async () => {
    const { database } = app.kernel.services;
    const named = sql`SELECT count(*) AS n FROM entries WHERE account_id = ${A}`;
    expect(await database.forAccount(B).read.get(named)).toEqual({ n: 0 });
    expect((await database.forAccount(A).read.get<{ n: number }>(named))?.n).toBeGreaterThan(0);
    const inB = (statement: Sql) =>
      database.transaction((tx) => {
        tx.enter(B);
        return tx.run(statement);
      });
    expect(await inB(sql`UPDATE entries SET confidence = 0 WHERE account_id = ${A}`)).toBe(0);
    expect(await inB(sql`DELETE FROM versions WHERE account_id = ${A}`)).toBe(0);
    const stored = sql`INSERT INTO stored_answers (account_id, idempotency_key, request_hash, answer, created_at)
      VALUES (${A}, 'k', 'h', '{}', 1)`;
    await expect(inB(stored)).rejects.toThrow(/row-level security/);
    await keepsItsOwn(inB);
  });

  /** A row of the account cannot be moved to another account either. */
  async function keepsItsOwn(inB: (statement: Sql) => Promise<number>): Promise<void> {
    const own = sql`INSERT INTO stored_answers (account_id, idempotency_key, request_hash, answer, created_at)
      VALUES (${B}, 'own', 'h', '{}', 1)`;
    expect(await inB(own)).toBe(1);
    const given = sql`UPDATE stored_answers SET account_id = ${A} WHERE account_id = ${B}`;
    await expect(inB(given)).rejects.toThrow(/row-level security/);
  }

  it('shows nothing to a transaction that entered no account', async () => {
    const { database } = app.kernel.services;
    for (const table of ['accounts', 'entries', 'events', 'audit', 'api_keys'])
      expect(
        await database.transaction((tx) => tx.get({ text: `SELECT count(*) AS n FROM ${table}`, values: [] })),
      ).toEqual({ n: 0 });
  });

  it('lets maintenance see the columns it needs of all accounts, and no more', async () => {
    const { database } = app.kernel.services;
    const ask = (text: string) => database.read.all({ text, values: [] });
    expect((await ask('SELECT account_id, entity_path, key FROM entries')).length).toBeGreaterThan(0);
    for (const text of [
      'SELECT document FROM entries',
      'SELECT search_words FROM words_of_entries',
      'SELECT * FROM versions',
      'SELECT * FROM events',
      'SELECT actor FROM audit',
      'SELECT answer FROM stored_answers',
      'SELECT audit_hash FROM accounts',
    ])
      await expect(ask(text), text).rejects.toThrow(/permission denied/);
    await expect(
      database.maintenanceTransaction((tx) =>
        tx.run(sql`UPDATE api_keys SET revoked_at = NULL WHERE account_id = ${A}`),
      ),
    ).rejects.toThrow(/permission denied/);
  });

  it('lets no request remove a line of the audit trail, or change its actor', async () => {
    const { database } = app.kernel.services;
    const inA = (statement: Sql) =>
      database.transaction((tx) => {
        tx.enter(A);
        return tx.run(statement);
      });
    await expect(inA(sql`DELETE FROM audit WHERE account_id = ${A}`)).rejects.toThrow(/permission denied/);
    // Maintenance may remove only those of deleted accounts.
    expect(await database.maintenanceTransaction((tx) => tx.run(sql`DELETE FROM audit WHERE account_id = ${A}`))).toBe(
      0,
    );
    for (const column of ['actor', 'action', 'at', 'hash', 'subject_hash', 'key_id'])
      await expect(
        inA({ text: `UPDATE audit SET ${column} = NULL WHERE account_id = ?`, values: [A] }),
        column,
      ).rejects.toThrow(/permission denied/);
  });

  it('leaves nothing of an account on a connection that many use', async () => {
    const { options } = app.place;
    const one = await openApp({ ...options, postgresPool: 1, sweepSeconds: 3600 });
    onTestFinished(() => one.close());
    const { database } = one.kernel.services;
    const entered = sql`SELECT current_setting('mem.account_id', true) AS account, current_user AS role`;
    const inside = await database.forAccount(A).read.get(entered);
    expect(inside).toEqual({ account: A, role: 'mem_app' });
    expect(await database.read.get(entered)).toEqual({ account: '', role: 'mem_app_upkeep' });
    await expect(database.forAccount(A).read.get({ text: 'SELECT nonsense', values: [] })).rejects.toThrow(/nonsense/);
    expect(await database.transaction((tx) => tx.get(entered))).toEqual({ account: '', role: 'mem_app' });
    await database.transaction(async (tx) => {
      tx.enter(A);
      expect(await tx.get(entered)).toEqual({ account: A, role: 'mem_app' });
    });
    const snapshot = await database.snapshot(B);
    expect(await snapshot.get(entered)).toEqual({ account: B, role: 'mem_app' });
    await snapshot.close();
    expect(await database.transaction((tx) => tx.get(entered))).toEqual({ account: '', role: 'mem_app' });
  });

  it('finds words by their index all the same', async () => {
    const { database } = app.kernel.services;
    const written = (i: number) => ({ entity_path: 'many', key: `k${i}`, value: `word${i}` });
    for (let from = 0; from < 4000; from += 1000)
      await app.call('commits.create', { writes: Array.from({ length: 1000 }, (_, i) => written(from + i)) }, asB);
    await runSql(dsnOf(app.place), 'ANALYZE');
    const rows = await database
      .forAccount(B)
      .read.all<{ 'QUERY PLAN': string }>(
        sql`EXPLAIN SELECT seq FROM words_of_entries WHERE account_id = ${B} AND search_words @@ CAST('word7' AS tsquery)`,
      );
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('entries_by_word');
    expect(await app.call('entries.search', { query: 'word7' }, asB)).toMatchObject({ entries: [{ key: 'k7' }] });
  });
});

describe('turning row-level security on and off', () => {
  const emptyPlace = async () => {
    const place = await newPlace('postgres');
    onTestFinished(() => place.remove());
    return place;
  };
  const guardedOf = async (place: StorePlace) => new Set((await guardOf(place)).map(({ guarded }) => guarded));

  it('a store that has it keeps it until it is turned off', async () => {
    const place = await emptyPlace();
    const written = { entity_path: 'kept', key: 'k', value: 'searchable' };
    for (const [rowSecurity, expected] of [
      [undefined, false],
      ['on', true],
      [undefined, true],
      ['off', false],
      ['off', false],
      ['on', true],
    ] as const) {
      const app = await openTestApp('postgres', { place, ...(rowSecurity ? { rowSecurity } : {}) });
      await app.call('entries.write', written);
      expect(await app.call('entries.read', { entity_path: 'kept', key: 'k' })).toMatchObject({ value: 'searchable' });
      const found = await app.call('entries.search', { query: 'searchable' });
      expect(found).toMatchObject({ entries: [{ key: 'k' }] });
      await app.close();
      expect(await guardedOf(place)).toEqual(new Set([expected]));
    }
  });

  it('a table that comes later is guarded at the next start', async () => {
    const place = await emptyPlace();
    await (await openTestApp('postgres', { place, rowSecurity: 'on' })).close();
    await runSql(dsnOf(place), 'CREATE TABLE later (account_id TEXT COLLATE "C" PRIMARY KEY)');
    expect(await guardedOf(place)).toEqual(new Set([true, false]));
    await (await openTestApp('postgres', { place })).close();
    expect(await guardedOf(place)).toEqual(new Set([true]));
  });

  /** A login that is no superuser, with a schema of its own name and no other path to it. */
  async function newLogin(rights: string): Promise<{ name: string; dsn: string }> {
    const dsn = inject('postgresDsn');
    const name = `login_${randomBytes(4).toString('hex')}`;
    await runSql(dsn, `CREATE ROLE ${name} LOGIN ${rights}; CREATE SCHEMA ${name} AUTHORIZATION ${name}`);
    onTestFinished(async () => {
      await runSql(dsn, `DROP SCHEMA ${name} CASCADE; DROP OWNED BY ${name}`);
      for (const role of [`${name}_app_words`, `${name}_app_upkeep`, `${name}_app`])
        await runSql(dsn, `DROP ROLE IF EXISTS ${role}`);
      await runSql(dsn, `DROP ROLE ${name}`);
    });
    const url = new URL(dsn);
    url.username = name;
    return { name, dsn: url.href };
  }

  it('an owner that is no superuser is bound too, and can bring the schema up to date', async () => {
    const { name, dsn } = await newLogin('CREATEROLE');
    const options = { dataDir: '', postgresDsn: dsn, postgresRole: `${name}_app`, rowSecurity: 'on' as const };
    for (let start = 0; start < 2; start++) {
      const app = await openApp(options);
      const { database } = app.kernel.services;
      expect(await database.forAccount(A).read.get(sql`SELECT current_user AS role`)).toEqual({ role: `${name}_app` });
      await app.close();
    }
    const owner = await openPostgres({ dsn, poolSize: 1, onError: () => {} });
    onTestFinished(() => owner.close());
    const count = sql`SELECT count(*) AS n FROM accounts`;
    expect(await owner.read.get(count)).toEqual({ n: 0 });
    expect(await owner.alter((tx) => tx.get(count))).toEqual({ n: 1 });
  });

  it('a login that may create no roles gets the statements for an administrator', async () => {
    const { name, dsn } = await newLogin('');
    const options = { dataDir: '', postgresDsn: dsn, postgresRole: `${name}_app` };
    const refused = openApp({ ...options, rowSecurity: 'on' });
    await expect(refused).rejects.toMatchObject({
      reason: 'refused',
      why: expect.stringMatching(new RegExp(`CREATE ROLE ${name}_app NOLOGIN;.*GRANT .* TO .*MEM_ROW_SECURITY=off`)),
    });
    const roles = ['', '_upkeep', '_words'].map((part) => `${name}_app${part}`);
    await runSql(inject('postgresDsn'), roles.map((role) => `CREATE ROLE ${role} NOLOGIN;`).join(' '));
    await runSql(inject('postgresDsn'), `GRANT ${roles.join(', ')} TO ${name}`);
    await (await openApp({ ...options, rowSecurity: 'on' })).close();
  });

  it('a role that would not be bound is refused', async () => {
    const place = await emptyPlace();
    const refused = openApp({ ...place.options, rowSecurity: 'on', postgresRole: 'postgres' });
    await expect(refused).rejects.toMatchObject({ why: expect.stringContaining('not bound by row-level security') });
  });
});
