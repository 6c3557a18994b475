import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest';
import { addressOfDsn } from '../../packages/mcp/src/dsn.ts';
import type { Check } from '../../packages/server/src/cli/doctor/check.ts';
import { newPlace, openTestApp, runSql, type StorePlace } from '../support/app.ts';
import { type Desk, openDesk } from './support.ts';

const PASSWORD = 'zqv-secret-8841';

let desk: Desk;
let place: StorePlace;
beforeEach(async () => {
  desk = await openDesk({ PATH: dirname(process.execPath) });
  place = await newPlace('postgres');
});
afterEach(async () => {
  desk.remove();
  await place.remove();
});

const dsn = () => place.options.postgresDsn as string;
const schemaOf = () => new URL(dsn()).searchParams.get('options')?.split('=')[1] as string;
const admin = (text: string) => runSql(dsn(), text);

/** The address of the test run with a password in it, and with other parts where they are given. */
function address(parts: { user?: string; port?: string; pathname?: string } = {}): string {
  const url = Object.assign(new URL(dsn()), { username: parts.user ?? 'postgres', password: PASSWORD }, parts);
  return url.href;
}

async function examine(postgres = address(), env: Record<string, string> = {}) {
  const options = { env: { MEM_POSTGRES_DSN: postgres, ...env } };
  const { code, out, err } = await desk.inProcess(['doctor', '--json'], options);
  expect(err).toBe('');
  expect(out).not.toContain(PASSWORD);
  const { checks, failed } = JSON.parse(out) as { checks: Check[]; failed: number };
  expect(code).toBe(failed > 0 ? 1 : 0);
  for (const { level, todo } of checks) expect(todo === undefined).toBe(level === 'ok');
  return { of: (name: string) => checks.filter((check) => check.name === name), failed };
}

const makeStore = async (rowSecurity: 'on' | 'off' = 'off') =>
  (await openTestApp('postgres', { place, rowSecurity })).close();

/** Whether the service itself works, which the doctor has to predict. */
const works = async (postgres: string) =>
  (await desk.inProcess(['write', 'a', 'k', '1'], { env: { MEM_POSTGRES_DSN: postgres } })).code === 0;

async function newRole(): Promise<string> {
  const role = `doctor_${randomBytes(4).toString('hex')}`;
  await admin(`CREATE ROLE ${role} LOGIN`);
  onTestFinished(async () => void (await runSql(inject('postgresDsn'), `DROP OWNED BY ${role}; DROP ROLE ${role}`)));
  return role;
}

describe('mem doctor on PostgreSQL', () => {
  it('says which database it is, and that all is well', async () => {
    await makeStore();
    const { of, failed } = await examine();
    expect(failed).toBe(0);
    const { host } = new URL(dsn());
    const where = `at postgres://${host}/postgres, schema ${schemaOf()}, as postgres`;
    expect(of('store')).toEqual([
      { name: 'store', level: 'ok', found: expect.stringMatching(/^PostgreSQL \d+(\.\d+)? at /) },
    ]);
    expect(of('store')[0]?.found).toContain(where);
    expect(of('rights')).toMatchObject([{ level: 'ok' }]);
    expect(of('schema')).toMatchObject([{ level: 'ok', found: expect.stringMatching(/^\d+, up to date$/) }]);
  });

  it('is a screen for people, without the password', async () => {
    const { code, out, err } = await desk.mem(['doctor'], { env: { MEM_POSTGRES_DSN: address({ port: '9' }) } });
    expect(code).toBe(1);
    expect(out).toMatch(
      /\nFAIL {2}store +postgres:\/\/127\.0\.0\.1:9\/postgres: .*ECONNREFUSED.*\n +-> start PostgreSQL/,
    );
    expect(out + err).not.toContain(PASSWORD);
  });

  it('finds nothing wrong where nothing is yet, and makes nothing', async () => {
    const { of, failed } = await examine();
    expect(failed).toBe(0);
    expect(of('store')).toMatchObject([{ level: 'ok', found: expect.stringContaining('the first start makes them') }]);
    expect((await admin(`SELECT 1 FROM pg_tables WHERE schemaname = '${schemaOf()}'`)).rows).toEqual([]);
  });

  it('distinguishes an unreachable server from an unknown database or user', async () => {
    const away = await examine(address({ port: '9' }));
    expect(away.of('store')).toMatchObject([
      { level: 'fail', found: expect.stringContaining('127.0.0.1:9/'), todo: expect.stringContaining('host, port') },
    ]);
    const missing = await examine(address({ pathname: '/nosuchdatabase' }));
    expect(missing.of('store')).toMatchObject([
      { level: 'fail', todo: expect.stringContaining('createdb nosuchdatabase') },
    ]);
    const stranger = await examine(address({ user: 'nosuchrole' }));
    expect(stranger.of('store')).toMatchObject([
      {
        level: 'fail',
        found: expect.stringContaining('nosuchrole'),
        todo: expect.stringContaining('user and password'),
      },
    ]);
  });

  it('and a start name the direct address where that is what fails', async () => {
    const MEM_POSTGRES_DIRECT_DSN = address({ port: '9' });
    const { of } = await examine(address(), { MEM_POSTGRES_DIRECT_DSN });
    const named =
      /^MEM_POSTGRES_DIRECT_DSN postgres:\/\/127\.0\.0\.1:9\/postgres: the database cannot be reached: .*ECONNREFUSED/;
    expect(of('store')).toMatchObject([
      {
        level: 'fail',
        found: expect.stringMatching(named),
        todo: 'start PostgreSQL, or correct host, port and sslmode in MEM_POSTGRES_DIRECT_DSN',
      },
    ]);
    const env = {
      MEM_POSTGRES_DSN: address(),
      MEM_POSTGRES_DIRECT_DSN: `${MEM_POSTGRES_DIRECT_DSN}&target_session_attrs=fast`,
    };
    const { code, err } = await desk.mem(['serve', '--port', '0'], { env });
    expect(code).toBe(2);
    expect(err).toMatch(
      /^mem: MEM_POSTGRES_DIRECT_DSN postgres:.*: target_session_attrs is fast, and must be one of /m,
    );
  });

  it('sees that the database is that of another program', async () => {
    await admin('CREATE TABLE users (id bigint)');
    const { of, failed } = await examine();
    expect(failed).toBe(0);
    const todo = 'check the name in MEM_POSTGRES_DSN, or give mem a database or schema of its own';
    expect(of('store')).toMatchObject([
      { level: 'warn', found: expect.stringContaining('1 table of something else, and none of mem'), todo },
    ]);
    await admin('CREATE TABLE schema_migrations (version character varying PRIMARY KEY)');
    await admin('CREATE TABLE events (id bigint)');
    const found = expect.stringContaining('events, schema_migrations of something else are there');
    expect((await examine()).of('store')).toMatchObject([{ level: 'fail', found, todo }]);
    expect(await works(address())).toBe(false);
  });

  it('names each right that the user lacks, until it has all', async () => {
    await makeStore();
    const role = await newRole();
    const as = address({ user: role });
    const schema = schemaOf();
    expect((await examine(as)).of('store')).toMatchObject([
      {
        level: 'fail',
        found: expect.stringContaining('may use no schema'),
        todo: expect.stringContaining('GRANT USAGE'),
      },
    ]);
    await admin(`GRANT USAGE ON SCHEMA ${schema} TO ${role}`);
    const { of } = await examine(as);
    expect(of('rights')).toMatchObject([
      { level: 'fail', todo: `as its owner: GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${role}` },
      {
        level: 'fail',
        found: expect.stringMatching(/^\w+ may not read and write \w+, \w+, \w+ and \d+ more$/),
        todo: expect.stringContaining(`ON ALL TABLES IN SCHEMA ${schema} TO ${role}`),
      },
    ]);
    expect(of('schema')).toEqual([]);
    expect(await works(as)).toBe(false);
    await admin(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role}`);
    expect((await examine(as)).of('rights')).toHaveLength(1);
    expect(await works(as)).toBe(false);
    await admin(`GRANT CREATE ON SCHEMA ${schema} TO ${role}`);
    expect(await examine(as)).toMatchObject({ failed: 0 });
    expect(await works(as)).toBe(true);
    await admin('DELETE FROM schema_migrations WHERE version = (SELECT max(version) FROM schema_migrations)');
    expect((await examine(as)).of('schema')).toMatchObject([{ level: 'fail', todo: 'start mem once as postgres' }]);
  });

  it('sees that nothing could be made in a new database', async () => {
    const role = await newRole();
    await admin(`GRANT USAGE ON SCHEMA ${schemaOf()} TO ${role}`);
    const as = address({ user: role });
    expect((await examine(as)).of('rights')).toMatchObject([
      { level: 'fail', found: expect.stringContaining('may not make tables') },
    ]);
    expect(await works(as)).toBe(false);
    await admin(`GRANT CREATE ON SCHEMA ${schemaOf()} TO ${role}`);
    expect(await examine(as)).toMatchObject({ failed: 0 });
    expect(await works(as)).toBe(true);
    expect(await examine(as)).toMatchObject({ failed: 0 });
  });

  it('sees roles that a store with guarded rows is served under, and the user may not take', async () => {
    await makeStore('on');
    expect(await examine()).toMatchObject({ failed: 0 });
    const role = await newRole();
    await admin(`GRANT USAGE, CREATE ON SCHEMA ${schemaOf()} TO ${role}`);
    const { of } = await examine(address({ user: role }));
    expect(of('rights')).toContainEqual({
      name: 'rights',
      level: 'fail',
      found: `${role} may not serve under mem_app, mem_app_upkeep, mem_app_words`,
      todo: `GRANT mem_app, mem_app_upkeep, mem_app_words TO ${role} WITH INHERIT FALSE, SET TRUE;`,
    });
  });

  it('sees a schema that is older or newer than the program', async () => {
    await makeStore();
    await admin('DELETE FROM schema_migrations WHERE version = (SELECT max(version) FROM schema_migrations)');
    expect((await examine()).of('schema')).toMatchObject([
      { level: 'warn', found: expect.stringMatching(/^\d+ of \d+$/) },
    ]);
    await admin(`INSERT INTO schema_migrations VALUES (9999, 'later', 0, 'entries', 9999)`);
    expect((await examine()).of('schema')).toMatchObject([{ level: 'fail', todo: 'install a newer version of mem' }]);
  });

  it('warns of more connections than the server takes', async () => {
    expect((await examine(address(), { MEM_POSTGRES_POOL: '500' })).of('server')).toMatchObject([
      { level: 'warn', todo: expect.stringContaining('MEM_POSTGRES_POOL') },
    ]);
  });

  it('shows nothing of a password that was not encoded', async () => {
    const { of } = await examine(`postgres://mem:8841/${PASSWORD}@127.0.0.1/mem`);
    expect(of('store')).toMatchObject([{ level: 'fail', todo: expect.stringContaining('%2F') }]);
    expect(addressOfDsn(`postgres://mem:8841/${PASSWORD}@127.0.0.1/mem`)).toBe('postgres://…');
    expect(addressOfDsn(`postgres://mem:${PASSWORD}@127.0.0.1:5432/mem?sslmode=require`)).toBe(
      'postgres://127.0.0.1:5432/mem',
    );
  });
});
