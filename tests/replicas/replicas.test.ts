import { type Operation, operations } from '@mem-service/contract';
import { createClient } from '@mem-service/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modules as proModules } from '../../packages/pro/src/index.ts';
import { type AppOptions, openApp } from '../../packages/server/src/app.ts';
import { checkPostgresStore } from '../../packages/server/src/cli/doctor/postgres.ts';
import type { OwnParts } from '../../packages/server/src/cli/own/command.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import { inspectStore } from '../../packages/server/src/inspect.ts';
import type { KeyLimiter } from '../../packages/server/src/modules/usage/index.ts';
import { get, type Hosted, INTERNAL_KEY, type NewAccount, post, write } from '../support/hosted.ts';
import { runSql } from '../support/place.ts';
import { balanced } from '../support/usage.ts';
import { addresses, controlAddresses, requestFor } from '../support/wire.ts';
import { openPair, type Pair } from './support.ts';

/** Raise it to try for longer. */
const { REPLICA_READS: READS = '80' } = process.env;

const failure = (options: Partial<AppOptions>): Promise<Error & { why?: string }> =>
  openApp({ dataDir: '', readOnly: true, ...options }).then(
    (app) => app.close().then(() => Promise.reject(new Error('it started'))),
    (error) => error,
  );

describe('a server on a standby', () => {
  let pair: Pair;
  let primary: Hosted;
  let replica: Hosted;
  let account: NewAccount;
  let early: Error;
  beforeAll(async () => {
    pair = await openPair(async (postgresDsn) => {
      early = await failure({ postgresDsn });
    });
    ({ primary, replica } = pair);
    account = await primary.newAccount();
    await pair.arrived(account);
  });
  afterAll(() => pair?.close());

  it('is not started on a schema of another version, and says what to do', async () => {
    expect(early).toMatchObject({ name: 'SchemaError', message: expect.stringContaining('has no store yet. Start a') });
    const extra = { name: 'extra', migrations: [{ version: 1, name: 'one', up: () => [] }], handlers: {} };
    const { dsn: postgresDsn } = pair.standby;
    const newer = await failure({ postgresDsn, modules: [...proModules, extra] });
    expect(newer.message).toMatch(/does not have extra:1 yet. Start a server of this version that writes first/);
    const unguarded = await failure({ postgresDsn, modules: proModules, rowSecurity: 'off' });
    expect(unguarded.why).toMatch(/row-level security is on in this database: start a server that writes first/);
  });

  it('needs PostgreSQL, and one host of it', async () => {
    expect((await failure({})).why).toMatch(/MEM_READ_ONLY is for a standby of PostgreSQL: a folder has no replicas/);
    const { port } = new URL(pair.standby.dsn);
    const several = await failure({ postgresDsn: `postgres://postgres@127.0.0.1:${port},127.0.0.1:${port}/postgres` });
    expect(several.why).toMatch(/name one host/);
  });

  it('is told from the primary by mem doctor, with the cure of an address that takes any host', async () => {
    const { port } = new URL(pair.standby.dsn);
    const of = (hosts: string, query: string) =>
      checkPostgresStore(
        { inspectStore } as OwnParts,
        readConfig({ MEM_POSTGRES_DSN: `postgres://postgres@${hosts}/postgres${query}` }),
      );
    const host = `127.0.0.1:${port}`;
    const todo = (text: string) => expect.objectContaining({ name: 'server', todo: expect.stringContaining(text) });
    expect(await of(host, '')).toContainEqual(todo('use the address of the primary'));
    expect(await of(`${host},${host}`, '?target_session_attrs=any')).toContainEqual(todo('or set it to read-write'));
  });

  it('refuses every write of the table with the address of the primary', async () => {
    const refused = { status: 421, json: { code: 'read_only', primary: primary.server.url } };
    for (const address of [...addresses, ...controlAddresses]) {
      const { effect } = operations[address.name];
      if (effect !== 'write' && (effect !== 'control' || address.route.method === 'GET')) continue;
      const sent = requestFor(address, operations[address.name].example(0) as Record<string, unknown>);
      const answer = await (effect === 'write' ? replica.as(account.key, sent) : replica.control(sent));
      expect(answer, address.name).toMatchObject(refused);
    }
  });

  it('answers every read of the table', async () => {
    for (const address of addresses) {
      if (operations[address.name].effect !== 'read') continue;
      const sent = requestFor(address, operations[address.name].example(0) as Record<string, unknown>);
      const asked = { ...sent, headers: { ...sent.headers, 'x-mem-want-seq': 'true' } };
      const { status, text, headers } = await replica.as(account.key, asked);
      expect([200, 404, 409], `${address.name}: ${status} ${text}`).toContain(status);
      const { stream, lines } = operations[address.name] as Operation;
      if (!stream && !lines) expect(Number(headers.get('x-mem-seq')), address.name).toBeGreaterThan(0);
    }
  });

  it('shows clients their own writes, whatever the standby has', { timeout: 600_000 }, async () => {
    let stale = 0;
    let next = 0;
    const work = async (_: unknown, worker: number) => {
      const options = { url: primary.server.url, readUrls: [replica.server.url], apiKey: account.key };
      const client = createClient({ ...options, agentId: `agent/${worker}` });
      const session = client.session({ sessionId: 'own' });
      for (let n = next++; n < Number(READS); n = next++) {
        const entry = { entityPath: `own/${worker}`, key: `k${n % 7}` };
        await (n % 2 === 0 ? client : session).entries.write({ ...entry, value: n });
        const { value } = await (n % 3 === 0 ? session : client).entries.read(entry);
        if (value !== n) stale++;
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    const { calls } = replica.app.kernel.usage;
    expect(stale).toBe(0);
    // By far the most were answered here, and not by the primary.
    expect(calls.get('entries.read')?.calls.get('ok')).toBeGreaterThan(Number(READS) * 0.9);
  });

  it('waits for a seq no longer than it may, and names the primary', async () => {
    const impatient = await pair.open({ replicaWaitMs: 50 });
    await runSql(pair.standby.dsn, 'SELECT pg_wal_replay_pause()');
    const { headers } = await primary.as(account.key, write('own', 'late', 'new'));
    const seq = headers.get('x-mem-seq') ?? '';
    const read = { ...get('/api/v1/entries/own/late'), headers: { 'x-mem-min-seq': seq } };
    const behind = await impatient.as(account.key, read);
    expect(behind).toMatchObject({
      status: 503,
      json: { code: 'replica_behind', primary: primary.server.url, seq: expect.any(Number), min_seq: Number(seq) },
    });
    expect(behind.headers.get('retry-after')).toBe('1');
    // A position that this standby does not have yet was not lost.
    const { json: log } = await primary.as(account.key, get('/api/v1/log?limit=1000'));
    for (const path of ['log', 'stream'])
      expect((await impatient.as(account.key, get(`/api/v1/${path}?after=${log.last_position}`))).json).toMatchObject({
        code: 'replica_behind',
      });
    const client = createClient({ url: primary.server.url, readUrls: [impatient.server.url], apiKey: account.key });
    await client.entries.write({ entityPath: 'own', key: 'late', value: 'newer' });
    expect(await client.entries.read({ entityPath: 'own', key: 'late' })).toMatchObject({ value: 'newer' });
    // A client that has written nothing: what one server showed it is not gone on the next.
    const readUrls = [primary.server.url, impatient.server.url];
    const turns = createClient({ url: primary.server.url, readUrls, apiKey: account.key });
    for (let n = 0; n < 4; n++)
      expect(await turns.entries.read({ entityPath: 'own', key: 'late' })).toMatchObject({ value: 'newer' });
    await runSql(pair.standby.dsn, 'SELECT pg_wal_replay_resume()');
    expect(await replica.as(account.key, read)).toMatchObject({ status: 200, json: { key: 'late' } });
    const wrong = await replica.as(account.key, { ...read, headers: { 'x-mem-min-seq': 'x' } });
    expect(wrong.status).toBe(422);
    await impatient.close();
  });

  it('lets reads that wait for a seq hold up no others, and only so many wait', async () => {
    const crowded = await pair.open({ replicaWaitMs: 8_000 });
    const list = get('/api/v1/entries');
    let ended = 0;
    const waiting = Array.from({ length: 110 }, () =>
      crowded.as(account.key, { ...list, headers: { 'x-mem-min-seq': '999999' } }).finally(() => ended++),
    );
    await expect.poll(() => ended).toBe(10);
    expect((await crowded.as(account.key, list)).status).toBe(200);
    expect(ended).toBe(10);
    for (const { json } of await Promise.all(waiting)) expect(json.code).toBe('replica_behind');
    expect(crowded.app.kernel.usage.calls.get('entries.list')?.calls.get('replica_behind')).toBe(110);
    await crowded.close();
  });

  it('hands over what it noted before an outcome needs it', async () => {
    await primary.as(account.key, write('noted', 'k', 1));
    await pair.arrived(account);
    let complete = 0;
    // Where it waited for too long, on a busy machine, the answer says so.
    for (let n = 0; complete < 10 && n < 30; n++) {
      const headers = { 'x-mem-session-id': `s${n}`, 'x-mem-agent-id': 'agent/one' };
      await replica.as(account.key, { ...get('/api/v1/entries/noted/k'), headers });
      const outcome = post('/api/v1/outcomes', { outcome_ref: `o${n}`, outcome_type: 'success' });
      const { json } = await primary.as(account.key, { ...outcome, headers });
      if (!json.causes_complete) continue;
      expect(json.affected_entries).toBe(1);
      complete++;
    }
    expect(complete).toBe(10);
    const recalled = async () => (await primary.as(account.key, get('/api/v1/entries/noted/k'))).json.recall_count;
    await expect.poll(recalled).toBeGreaterThanOrEqual(10);
  });

  it('charges reads to the account, and refuses what its plan does not allow', async () => {
    const tiny = await primary.newAccount({ plan: 'tiny' });
    await pair.arrived(tiny);
    let served = 0;
    let last = await replica.as(tiny.key, get('/api/v1/stats'));
    for (; last.status === 200 && served < 100; last = await replica.as(tiny.key, get('/api/v1/stats'))) served++;
    expect(last).toMatchObject({ status: 402, json: { code: 'quota_exceeded' } });
    // What remained after the writes and reads above.
    expect(served).toBeGreaterThan(40);
    expect(served).toBeLessThan(60);
    await balanced(primary.app, tiny.account_id);
    expect((await primary.as(tiny.key, get('/api/v1/stats'))).status).toBe(402);
  });

  it('counts the requests of a key together with the other servers', async () => {
    const { key } = await primary.newKey(account.key, { rate_limit_rpm: 5 });
    await pair.arrived(account);
    const sync = ({ app }: Hosted) => (app.kernel.services.limiter as KeyLimiter).sync();
    const [one, two] = [await pair.open({ rateLimits: true }), await pair.open({ rateLimits: true })];
    for (let n = 0; n < 4; n++) expect((await one.as(key, get('/api/v1/stats'))).status).toBe(200);
    await sync(one);
    expect((await two.as(key, get('/api/v1/stats'))).status).toBe(200);
    await sync(two);
    expect((await two.as(key, get('/api/v1/stats'))).status).toBe(429);
    await one.close();
    await two.close();
  });

  it('has its admins audited, and the use of keys stored', async () => {
    const { key, key_id } = await primary.newKey(account.key, { key_type: 'admin' });
    await pair.arrived(account);
    expect((await replica.as(key, get('/api/v1/admin/audit'))).status).toBe(200);
    await replica.app.jobs.sweep();
    const { json } = await primary.as(account.key, get('/api/v1/admin/audit'));
    expect(JSON.stringify(json)).toContain(`key/${key_id}`);
    const { json: listed } = await primary.as(account.key, get('/api/v1/admin/api-keys'));
    const keys = listed.keys as { key_id: string; last_used_at: string | null }[];
    expect(keys.find((one) => one.key_id === key_id)?.last_used_at).not.toBeNull();
  });

  it('keeps accounts apart', async () => {
    const other = await primary.newAccount();
    await primary.as(other.key, write('theirs', 'k', 1));
    await pair.arrived(other);
    expect((await replica.as(other.key, get('/api/v1/entries/theirs/k'))).status).toBe(200);
    expect((await replica.as(account.key, get('/api/v1/entries/theirs/k'))).status).toBe(404);
  });

  it('is ready for reads, and says that it takes no writes', async () => {
    const { status, json } = await replica.as('', get('/health?ready=true'));
    expect([status, json.writable, json.read_only]).toEqual([200, false, true]);
    expect(json.unnoted).toEqual({ notes: 0, recalls: 0, requests: 0, ops: 0, key_uses: 0 });
  });

  it('without a server to tell, it reads on and counts what it could not note', async () => {
    const warnings: string[] = [];
    const unheard = await pair.open({ primaryUrl: undefined, onWarning: (warning) => warnings.push(warning) });
    for (let n = 0; n < 3; n++) {
      expect((await unheard.as(account.key, get('/api/v1/entries/noted/k'))).status).toBe(200);
      await unheard.app.kernel.services.noteBuffer.flushAll();
    }
    await unheard.app.jobs.sweep();
    const { json } = await unheard.as('', get('/health'));
    expect(json.unnoted).toMatchObject({ notes: 3, ops: expect.any(Number), key_uses: 1 });
    const metrics = await unheard.control(get('/metrics'));
    expect(metrics.text).toContain('mem_replica_unnoted_total{what="notes"} 3');
    expect(warnings.filter((text) => text.startsWith('notes of this server are not stored'))).toHaveLength(1);
    const audited = await unheard.as(account.key, get('/api/v1/admin/audit'));
    expect(audited).toMatchObject({ status: 421, json: { code: 'read_only' } });
    const write = await unheard.as(account.key, post('/api/v1/entries', { entity_path: 'a', key: 'k', value: 1 }));
    expect(write.json).not.toHaveProperty('primary');
    await unheard.close();
  });

  it('while that server is away, it reads on, and says at the end what was not stored', async () => {
    const warnings: string[] = [];
    const onWarning = (warning: string) => warnings.push(warning);
    const away = await pair.open({ primaryUrl: 'http://127.0.0.1:1', internalKey: INTERNAL_KEY, onWarning });
    expect((await away.as(account.key, get('/api/v1/entries/noted/k'))).status).toBe(200);
    const audited = await away.as(account.key, get('/api/v1/admin/audit'));
    expect(audited).toMatchObject({ status: 503, json: { code: 'unavailable' } });
    expect(audited.json.detail).toMatch(/^this read is audited by the server that writes, which did not take/);
    await away.close();
    expect(away.app.kernel.services.replica?.missed).toMatchObject({ notes: 1, recalls: 1 });
    const unstored = warnings.filter((text) => text.includes('are not stored')).map((text) => text.split(' ')[0]);
    expect(unstored).toEqual(expect.arrayContaining(['notes', 'recalls', 'requests', 'ops']));
  });

  it('hands nothing over without the key of the control plane', async () => {
    const sent = post('/api/v1/internal/handed-over', { items: [{ kind: 'notes', item: {} }] });
    expect((await primary.as(account.key, sent)).status).toBe(401);
    expect((await replica.control(sent)).status).toBe(421);
    const { status, json } = await primary.control(
      post('/api/v1/internal/handed-over', {
        items: [
          { kind: 'toString', item: {} },
          { kind: 'activity', item: 7 },
        ],
      }),
    );
    expect([status, json]).toEqual([
      200,
      { results: [{ refused: expect.stringContaining('another version') }, { refused: expect.any(String) }] },
    ]);
    expect((await primary.control({ ...sent, body: '{' })).status).toBe(400);
  });
});
