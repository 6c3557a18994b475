import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newAccount } from '../contract/table.ts';
import { openTestApp, runSql, type TestApp, type TestOptions } from '../support/app.ts';
import { countStatements } from '../support/counted.ts';

const ACCOUNTS = 20;
const accounts = Array.from({ length: ACCOUNTS }, (_, i) => `aaaaaaaa-0000-4000-8000-${String(i).padStart(12, '0')}`);
const write = (app: TestApp, account_id: string, key: string) =>
  app.call('entries.write', { entity_path: 'a', key, value: 1 }, { account_id });

const stores = [
  { rowSecurity: 'off' },
  { rowSecurity: 'on' },
  { rowSecurity: 'on', partitions: 3 },
] as const satisfies readonly TestOptions[];

describe.each<TestOptions>(stores)('writes of many accounts on PostgreSQL, %o', (store) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp('postgres', store);
    for (const account of accounts) await newAccount(app, account);
  });
  afterAll(() => app.close());

  const keysOf = async (account_id: string) =>
    (await app.call('entries.list', { entity_path: 'a' }, { account_id })).entries.map(({ key }) => key);

  it('share transactions: at most 8 statements a write', async () => {
    await Promise.all(accounts.map((account) => write(app, account, 'first')));
    const { statements } = await countStatements(() =>
      Promise.all(accounts.map((account) => write(app, account, `of ${account}`))),
    );
    expect(statements / ACCOUNTS).toBeLessThanOrEqual(8);
    for (const account of accounts) expect(await keysOf(account)).toEqual(['first', `of ${account}`]);
  });

  it('have logs, counts and audit trails of their own', async () => {
    const [one = '', other = ''] = accounts;
    await Promise.all([
      ...Array.from({ length: 5 }, (_, i) => write(app, one, `five ${i}`)),
      write(app, other, 'five of another'),
    ]);
    expect(await keysOf(one)).toHaveLength(7);
    expect(await keysOf(other)).toHaveLength(3);
    const stats = await app.call('stats.read', {}, { account_id: one });
    expect(stats.total_entries).toBe(7);
    for (const account_id of [one, other])
      expect(await app.call('audit.verify', {}, { account_id })).toMatchObject({
        problems: [],
        total_checked: expect.any(Number),
      });
  });

  it('fail one by one', async () => {
    const [one = '', other = ''] = accounts;
    const results = await Promise.allSettled([
      write(app, one, 'good'),
      app.call('entries.write', { entity_path: 'a', key: 'first', value: 2, if_version: 9 }, { account_id: other }),
      write(app, 'bbbbbbbb-0000-4000-8000-000000000000', 'of no account'),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect((results[1] as PromiseRejectedResult).reason).toMatchObject({ code: 'version_conflict' });
    expect((results[2] as PromiseRejectedResult).reason).toMatchObject({ code: 'not_found' });
  });

  it('do not wait for an account that another server has locked', async () => {
    const [locked = '', ...others] = accounts;
    const client = new pg.Client(app.place.options.postgresDsn as string);
    await client.connect();
    try {
      await client.query(`BEGIN; SELECT set_config('mem.migrating', 'on', true)`);
      await client.query('SELECT 1 FROM accounts WHERE account_id = $1 FOR UPDATE', [locked]);
      let isDone = false;
      const waiting = write(app, locked, 'late').then(() => {
        isDone = true;
      });
      await Promise.all(others.map((account) => write(app, account, 'meanwhile')));
      expect(isDone).toBe(false);
      await client.query('COMMIT');
      await waiting;
    } finally {
      await client.end();
    }
    expect(await keysOf(locked)).toContain('late');
  });

  it('of accounts that are locked leave connections for the others, and keep their order', async () => {
    const locked = accounts.slice(0, 6);
    const [free = ''] = accounts.slice(6);
    const client = new pg.Client(app.place.options.postgresDsn as string);
    await client.connect();
    try {
      await client.query(`BEGIN; SELECT set_config('mem.migrating', 'on', true)`);
      await client.query('SELECT 1 FROM accounts WHERE account_id = ANY ($1) FOR UPDATE', [locked]);
      const waiting: Promise<{ version: number }>[] = [];
      for (let i = 0; i < 4; i++)
        for (const account_id of locked) {
          const input = { entity_path: 'a', key: 'in order', value: i };
          waiting.push(app.call('entries.write', input, { account_id }));
          await write(app, free, `free ${i} ${account_id}`);
        }
      expect(await keysOf(free)).toContain(`free 3 ${locked[0]}`);
      await client.query('COMMIT');
      const versions = (await Promise.all(waiting)).map(({ version }) => version);
      expect(versions).toEqual([1, 2, 3, 4].flatMap((version) => locked.map(() => version)));
    } finally {
      await client.end();
    }
  });

  it('are done once each, whatever fails between', async () => {
    const dsn = app.place.options.postgresDsn as string;
    const names = accounts.flatMap((account) => Array.from({ length: 5 }, (_, i) => ({ account, key: `kept ${i}` })));
    const running = Promise.allSettled(names.map(({ account, key }) => write(app, account, key)));
    await runSql(
      dsn,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND query ~ 'INSERT INTO'`,
    );
    const results = await running;
    for (const [i, { account, key }] of names.entries()) {
      const isKept = (await keysOf(account)).includes(key);
      if (results[i]?.status === 'fulfilled') expect(isKept).toBe(true);
    }
  });
});
