import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { type AppOptions, openApp } from '../../packages/server/src/app.ts';
import { StorageError } from '../../packages/server/src/db/index.ts';
import type { HttpOptions } from '../../packages/server/src/http/server.ts';
import { openDesk } from '../cli/support.ts';
import { INSTALL_MS } from '../support/debian-packages.ts';
import { get, type Hosted, INTERNAL_KEY, type NewAccount, openHosted, post, write } from '../support/hosted.ts';
import { findPgbouncer, type Pgbouncer, startPgbouncer } from '../support/pgbouncer.ts';
import { runSql } from '../support/place.ts';
import type { HttpAnswer } from '../support/wire.ts';

/** Raise it to try for longer. */
const { POOLER_REQUESTS: REQUESTS = '600' } = process.env;
const CALLERS = 12;
let retried = 0;
/** Why requests could not be answered. */
const reasons = new Map<string, number>();
const countReason: HttpOptions['reportError'] = (error) => {
  const { cause, message } = error as { cause?: { why?: string }; message: string };
  const why = cause?.why ?? message;
  reasons.set(why, (reasons.get(why) ?? 0) + 1);
};
/** After so many rounds of requests the pooler replaces its connections. */
const RECYCLE_ROUNDS = 20;

const suffix = randomBytes(4).toString('hex');
const database = `pool_${suffix}`;
const login = 'mem_login';

let program: string | undefined;
let missing = '';
beforeAll(async () => {
  const found = await findPgbouncer();
  if ('program' in found) ({ program } = found);
  else {
    ({ missing } = found);
    console.warn(`tests with a pooler are skipped: ${missing}`);
    return;
  }
  // Bound by row-level security itself: a statement that runs under no other role finds nothing and writes nothing.
  await runSql(inject('postgresDsn'), `CREATE ROLE ${login} LOGIN CREATEROLE NOINHERIT`);
  await runSql(inject('postgresDsn'), `CREATE DATABASE ${database} OWNER ${login}`);
  const own = Object.assign(new URL(inject('postgresDsn')), { pathname: `/${database}` }).href;
  await runSql(own, `ALTER SCHEMA public OWNER TO ${login}`);
}, INSTALL_MS);
afterAll(async () => {
  if (!program) return;
  const dsn = inject('postgresDsn');
  await runSql(dsn, `DROP DATABASE ${database} WITH (FORCE)`);
  await runSql(dsn, `DROP ROLE ${login}, ${role}, ${role}_upkeep, ${role}_words`);
});
beforeEach(({ skip }) => skip(program === undefined, missing));

const role = `pool_app_${suffix}`;
const direct = () => Object.assign(new URL(inject('postgresDsn')), { pathname: `/${database}`, username: login }).href;
const pooler = (mode: 'session' | 'transaction', settings: Record<string, string | number> = {}) =>
  startPgbouncer({ program: program as string, dsn: inject('postgresDsn'), mode, settings });

const options = (more: Pick<AppOptions, 'postgresDsn' | 'postgresDirectDsn' | 'postgresPool' | 'onWarning'>) => {
  const place = { options: { dataDir: '', ...more }, remove: async () => {} };
  return { app: { place, postgresRole: role, triesPool: true, ...more }, http: { reportError: countReason } };
};

const startError = async (more: Partial<AppOptions>): Promise<StorageError> => {
  const opening = openApp({ dataDir: '', postgresRole: role, rowSecurity: 'on', triesPool: true, ...more });
  return opening.then(
    (app) => app.close().then(() => Promise.reject(new Error('it started'))),
    (error) => error,
  );
};

type Tenant = NewAccount & { name: string };

/** Repeats what could not be answered, as every client does; the pooler may be slow to open connections again. */
async function patiently(ask: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await ask();
    if (answer.status !== 503 || attempt === 5) return answer;
    retried++;
  }
}

/** Each request of one account, on either server, among those of the other. */
async function cross(
  servers: readonly Hosted[],
  tenants: readonly Tenant[],
  { count, recycle }: { count: number; recycle?: () => Promise<unknown> },
): Promise<string[]> {
  const wrong: string[] = [];
  let next = 0;
  const expectAnswer = (what: string, isRight: boolean, answer: unknown) => {
    if (!isRight) wrong.push(`${what}: ${JSON.stringify(answer)}`);
  };
  const one = async (n: number) => {
    if (n % RECYCLE_ROUNDS === RECYCLE_ROUNDS - 1) await recycle?.();
    const tenant = tenants[n % tenants.length] as Tenant;
    const other = tenants[(n + 1) % tenants.length] as Tenant;
    const server = servers[(n >> 1) % servers.length] as Hosted;
    const second = servers[((n >> 1) + 1) % servers.length] as Hosted;
    const written = await patiently(() =>
      server.as(tenant.key, write(`of/${tenant.name}`, `k${n}`, `${tenant.name} ${n}`)),
    );
    expectAnswer(`write ${n}`, written.status === 201 || written.status === 200, written.json);
    const read = await patiently(() => second.as(tenant.key, get(`/api/v1/entries/of/${tenant.name}/k${n}`)));
    expectAnswer(`read ${n}`, (read.json as { value: unknown }).value === `${tenant.name} ${n}`, read.json);
    const foreign = await patiently(() => second.as(tenant.key, get(`/api/v1/entries/of/${other.name}/k${n}`)));
    expectAnswer(`foreign ${n}`, foreign.status === 404, foreign.json);
    const listed = await patiently(() => server.as(tenant.key, get('/api/v1/entries?limit=20&fields=meta')));
    const { entries = [] } = listed.json as { entries?: { entity_path: string }[] };
    const isOwn = entries.length > 0 && entries.every(({ entity_path }) => entity_path === `of/${tenant.name}`);
    expectAnswer(`list ${n}`, isOwn, listed.json);
  };
  const work = async () => {
    while (next < count / 4) await one(next++);
  };
  await Promise.all(Array.from({ length: CALLERS }, work));
  return wrong;
}

describe('behind a pooler in transaction mode', () => {
  let bouncer: Pgbouncer;
  beforeAll(async () => {
    if (program) bouncer = await pooler('transaction', { default_pool_size: 6, max_client_conn: 200 });
  });
  afterAll(() => bouncer?.close());
  const address = () => bouncer.through(direct());

  it('a start without an address past it is refused, with the cure', async () => {
    const error = await startError({ postgresDsn: address() });
    expect(error).toBeInstanceOf(StorageError);
    expect(error.reason).toBe('misconfigured');
    expect(error.why).toContain('set MEM_POSTGRES_DIRECT_DSN to the address of PostgreSQL itself');
  });

  it('a start whose direct address is the pooler or another database is refused', async () => {
    const twice = await startError({ postgresDsn: address(), postgresDirectDsn: address() });
    expect(twice.why).toContain('a pooler in transaction mode too');
    const elsewhere = await startError({ postgresDsn: address(), postgresDirectDsn: inject('postgresDsn') });
    expect(elsewhere.why).toContain('another server or database');
  });

  it('accounts stay apart and complete over two servers while connections are recycled', {
    timeout: 120_000 + Number(REQUESTS) * 100,
  }, async () => {
    const warnings: string[] = [];
    const more = {
      postgresDsn: address(),
      postgresDirectDsn: direct(),
      onWarning: (text: string) => warnings.push(text),
    };
    const servers = [await openHosted('postgres', options(more)), await openHosted('postgres', options(more))] as const;
    const tenants: Tenant[] = [];
    for (const name of ['red', 'blue']) tenants.push({ ...(await servers[0].newAccount()), name });
    const wrong = await cross(servers, tenants, { count: Number(REQUESTS), recycle: () => bouncer.admin('RECONNECT') });
    const credited = await outcomes(servers, tenants[0] as Tenant, 20);
    expect(wrong).toEqual([]);
    // A few while the machine is busy, never the rule.
    expect(retried, JSON.stringify([...reasons])).toBeLessThan(Number(REQUESTS) / 20);
    if (retried > 0) console.warn(`${retried} requests were sent again: ${JSON.stringify([...reasons])}`);
    expect(credited).toEqual(Array.from({ length: 20 }, () => ({ complete: true, entries: 1 })));
    expect(warnings.filter((text) => !text.includes('max_prepared_statements'))).toEqual([]);
    for (const server of servers) await server.close();
  });

  it('a server that only reads needs no other address, and leaves nothing in its sessions', async () => {
    // Written by a server before, in the same database.
    const writer = await openHosted('postgres', options({ postgresDsn: direct() }));
    const { key } = await writer.newAccount();
    await writer.as(key, write('of/reader', 'k', 1));
    const { app } = options({ postgresDsn: address(), postgresPool: 6 });
    const handsTo = { primaryUrl: writer.server.url, internalKey: INTERNAL_KEY };
    const server = await openHosted('postgres', { app: { ...app, ...handsTo, readOnly: true } });
    expect((await server.as(key, get('/api/v1/entries/of/reader/k'))).json).toMatchObject({ value: 1 });
    const { status, text } = await server.as(key, get('/api/v1/export'));
    expect([status, text.includes('of/reader')]).toEqual([200, true]);
    const { rows } = await runSql(address(), 'SHOW statement_timeout');
    expect(rows).toEqual([{ statement_timeout: '0' }]);
    await server.close();
    await writer.close();
  });

  it('mem doctor says what a start would say', async () => {
    const desk = await openDesk({});
    const examine = async (env: Record<string, string>) => {
      const { out } = await desk.inProcess(['doctor', '--json'], {
        env: { MEM_MODE: 'hosted', MEM_POSTGRES_APP_ROLE: role, ...env },
      });
      const { checks } = JSON.parse(out) as { checks: { name: string; level: string; found: string; todo?: string }[] };
      return checks.filter(({ name }) => name === 'connections');
    };
    try {
      const [refused] = await examine({ MEM_POSTGRES_DSN: address() });
      expect(refused?.level).toBe('fail');
      expect(refused?.todo).toContain('MEM_POSTGRES_DIRECT_DSN');
      const [reading] = await examine({
        MEM_POSTGRES_DSN: address(),
        MEM_POSTGRES_POOL: '6',
        MEM_READ_ONLY: 'on',
      });
      expect(reading?.level).not.toBe('fail');
      const few = await examine({
        MEM_POSTGRES_DSN: address(),
        MEM_POSTGRES_DIRECT_DSN: direct(),
        MEM_POSTGRES_POOL: '9',
      });
      expect(few.map(({ level }) => level)).not.toContain('fail');
      expect(few.some(({ found }) => found.includes('gives 6 of the 9 connections'))).toBe(true);
    } finally {
      desk.remove();
    }
  });
});

/** Read on one server, ended on the other: what the first noted has to reach the second. */
async function outcomes([one, two]: readonly [Hosted, Hosted], { key, name }: Tenant, count: number) {
  const found: { complete: boolean; entries: number }[] = [];
  for (let n = 0; n < count; n++) {
    const headers = { 'x-mem-session-id': `s${n}`, 'x-mem-agent-id': 'agent/one' };
    const [reader, ender] = n % 2 === 0 ? [one, two] : [two, one];
    await reader.as(key, { ...get(`/api/v1/entries/of/${name}/k0`), headers });
    const ended = await ender.as(key, {
      ...post('/api/v1/outcomes', { outcome_ref: `o${n}`, outcome_type: 'success' }),
      headers,
    });
    const { causes_complete, affected_entries } = ended.json as { causes_complete: boolean; affected_entries: number };
    found.push({ complete: causes_complete, entries: affected_entries });
  }
  return found;
}

describe('behind a pooler in session mode', () => {
  let bouncer: Pgbouncer;
  beforeAll(async () => {
    if (program) bouncer = await pooler('session', { default_pool_size: 7, max_client_conn: 200 });
  });
  afterAll(() => bouncer?.close());
  const address = () => bouncer.through(direct());

  it('a server needs no other address', async () => {
    const server = await openHosted('postgres', options({ postgresDsn: address(), postgresPool: 5 }));
    const tenants: Tenant[] = [];
    for (const name of ['red', 'blue']) tenants.push({ ...(await server.newAccount()), name });
    expect(await cross([server], tenants, { count: 80 })).toEqual([]);
    await server.close();
  });

  it('a pool smaller than that of the server is refused, with the numbers', async () => {
    const error = await startError({ postgresDsn: address(), postgresPool: 8 });
    expect(error.reason).toBe('misconfigured');
    expect(error.why).toContain('gives 7 of the 9 connections');
    expect(error.why).toContain('lower MEM_POSTGRES_POOL');
  });
});
