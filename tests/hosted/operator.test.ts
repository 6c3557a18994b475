import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authenticateByRing } from '../../packages/server/src/http/auth-hosted.ts';
import { toSecret } from '../../packages/server/src/modules/keys/rules/secret.ts';
import { refusal } from '../entries/support.ts';
import { backends } from '../support/app.ts';
import { countStatements } from '../support/counted.ts';
import { get, type Hosted, INTERNAL_KEY, openHosted, post, remove, write } from '../support/hosted.ts';
import { readRaw, send, sendRaw } from '../support/wire.ts';

/** Of the right form, and known to nobody. */
const wrongKey = (n: number, kind = 0): string => {
  const random = Buffer.alloc(32, kind);
  random.writeUInt32BE(n);
  return toSecret(random);
};

describe.each(backends)('a hosted service on %s, for its operator', (backend) => {
  let hosted: Hosted;
  beforeAll(async () => {
    hosted = await openHosted(backend);
  });
  afterAll(() => hosted.close());

  const metrics = (headers: Record<string, string>) =>
    send(hosted.server.url, { method: 'GET', path: '/metrics', headers });

  it('shows metrics to the internal key, in either header', async () => {
    const right: Record<string, string>[] = [
      { 'x-mem-internal-key': INTERNAL_KEY },
      { authorization: `Bearer ${INTERNAL_KEY}` },
    ];
    for (const headers of right) {
      const { status, text } = await metrics(headers);
      expect(status).toBe(200);
      expect(text).toContain('mem_operations_total');
    }
  });

  it('shows metrics to no key of an account, not even an admin', async () => {
    const { key } = await hosted.newAccount();
    const wrong: Record<string, string>[] = [
      {},
      { 'x-mem-api-key': key },
      { authorization: `Bearer ${key}` },
      { 'x-mem-internal-key': key },
    ];
    for (const headers of wrong) {
      const { status, json } = await metrics(headers);
      expect(status).toBe(401);
      expect(json).toMatchObject({ code: 'unauthenticated', detail: expect.stringContaining('MEM_INTERNAL_KEY') });
    }
  });

  it('accepts valid keys from an address that sent too many wrong ones', async () => {
    const { key: admin } = await hosted.newAccount();
    const { key: cold } = await hosted.newKey(admin);
    const statuses: number[] = [];
    for (let n = 0; n < 40; n++) statuses.push((await hosted.as(wrongKey(n), get('/api/v1/me'))).status);
    expect(statuses.slice(0, 30)).toEqual(Array(30).fill(401));
    expect(statuses.slice(30)).toEqual(Array(10).fill(429));
    // Never used before, so it has to be looked up.
    expect((await hosted.as(cold, get('/api/v1/me'))).status).toBe(200);
    const refused = await hosted.as(wrongKey(99), get('/api/v1/me'));
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('accepts the internal key from an address that sent too many wrong ones', async () => {
    const statuses: number[] = [];
    const list = get('/api/v1/internal/accounts');
    for (let n = 0; n < 35; n++)
      statuses.push(
        (await send(hosted.server.url, { ...list, headers: { 'x-mem-internal-key': `wrong-key-number-${n}` } })).status,
      );
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect((await hosted.control(list)).status).toBe(200);
  });

  it('looks thousands of wrong keys up at once, in a few statements, without keeping a valid one out', async () => {
    const { key: admin } = await hosted.newAccount();
    const { key: cold, key_id } = await hosted.newKey(admin);
    const authenticate = authenticateByRing(hosted.app.kernel.services.keys);
    const address = '203.0.113.5';
    const codes = new Map<string, number>();
    const guess = async (_: unknown, n: number) => {
      const { code } = await refusal(Promise.resolve(authenticate({ key: wrongKey(n, 7), address })));
      codes.set(code, (codes.get(code) ?? 0) + 1);
    };
    const { statements } = await countStatements(async () => {
      const flood = Array.from({ length: 3000 }, guess);
      expect(await authenticate({ key: cold, address })).toMatchObject({ key: { key_id } });
      await Promise.all(flood);
    });
    expect(Object.fromEntries(codes)).toEqual({ unauthenticated: 30, rate_limited: 2970 });
    expect(statements).toBeLessThan(20);
  });

  it('tells the holder of a revoked or expired key so, whatever else its address sent, and counts no guess', async () => {
    const { key: admin } = await hosted.newAccount();
    const { key: gone, key_id } = await hosted.newKey(admin);
    await hosted.as(admin, remove(`/api/v1/admin/api-keys/${key_id}`));
    for (let n = 0; n < 40; n++) await hosted.as(wrongKey(n, 3), get('/api/v1/me'));
    const { status, json } = await hosted.as(gone, get('/api/v1/me'));
    expect([status, json]).toMatchObject([401, { detail: 'the API key was revoked' }]);
  });

  it('answers a guess whose body is under way, and closes the connection', async () => {
    const [me, internal] = ['/api/v1/entries', '/api/v1/internal/accounts'];
    for (let n = 0; n < 32; n++)
      await send(hosted.server.url, { ...get(internal), headers: { 'x-mem-internal-key': `wrong-${n}` } });
    for (let n = 0; n < 32; n++) await hosted.as(wrongKey(n, 5), get('/api/v1/me'));
    const guesses = { [me]: `x-mem-api-key: ${wrongKey(99, 5)}`, [internal]: 'x-mem-internal-key: wrong-99' };
    for (const [path, header] of Object.entries(guesses)) {
      const head = `Host: x\r\n${header}\r\nContent-Type: application/json\r\nContent-Length: 1000000`;
      const answer = await sendRaw(
        hosted.server.url,
        `POST ${path} HTTP/1.1\r\n${head}\r\n\r\n${'x'.repeat(1_000_000)}`,
      );
      expect(readRaw(answer).status).toBe(429);
      expect(answer).toMatch(/^connection: close\r$/im);
    }
  });

  it('shows in /admin/usage what the meter counts against the quota', async () => {
    const { account_id, key } = await hosted.newAccount({ plan: 'free' });
    await hosted.as(key, write('a'));
    await hosted.control(post('/api/v1/internal/usage/record', { account_id, ops: 700 }));
    const { quotas } = (await hosted.as(key, get('/api/v1/admin/usage'))).json as {
      quotas: { name: string; current: number; limit: number }[];
    };
    const { usage } = (await hosted.as(key, get('/api/v1/me'))).json as { usage: Record<string, number> };
    expect(quotas.find(({ name }) => name === 'ops')).toEqual({
      name: 'ops',
      current: usage.ops_used,
      limit: 1000,
    });
    expect(usage.ops_used).toBeGreaterThanOrEqual(702);
  });

  it('records any whole number of ops, and refuses what the plan does not have', async () => {
    const { account_id } = await hosted.newAccount({ plan: 'free' });
    const record = (ops: unknown, id = account_id) =>
      hosted.control(post('/api/v1/internal/usage/record', { account_id: id, ops }));
    for (const ops of [1001, 1e9 + 1, 1e12, Number.MAX_SAFE_INTEGER]) {
      const { status, json } = await record(ops);
      expect(status).toBe(402);
      expect(json).toMatchObject({ code: 'quota_exceeded' });
    }
    expect((await record(1000)).json).toMatchObject({ ops_consumed: 1000, ops_remaining: 0 });
    expect((await record(0)).status).toBe(200);
    for (const ops of [-1, 1.5, '12', Number.MAX_SAFE_INTEGER + 1]) expect((await record(ops)).status).toBe(422);
  });

  it('counts the usage of a plan without a limit as far as numbers are exact, and goes on', async () => {
    const { account_id, key } = await hosted.newAccount({ plan: 'enterprise' });
    for (let time = 0; time < 2; time++) {
      const body = { account_id, ops: Number.MAX_SAFE_INTEGER };
      const { status, json } = await hosted.control(post('/api/v1/internal/usage/record', body));
      expect(status).toBe(200);
      expect(json).toMatchObject({ ops_remaining: null });
    }
    expect((await hosted.as(key, write('a'))).status).toBe(201);
    expect((await hosted.as(key, get('/api/v1/me'))).json).toMatchObject({
      usage: { ops_used: Number.MAX_SAFE_INTEGER },
    });
  });

  it('refuses a key that has expired before it is made', async () => {
    const { key } = await hosted.newAccount();
    const now = hosted.app.clock.now();
    const make = (ms: number) =>
      hosted.as(key, post('/api/v1/admin/api-keys', { name: 'n', expires_at: new Date(ms).toISOString() }));
    for (const ms of [0, now - 1, now]) {
      const { status, json } = await make(ms);
      expect(status).toBe(422);
      expect(json.errors).toEqual([{ path: 'expires_at', message: 'must be in the future' }]);
    }
    expect((await make(now + 1000)).status).toBe(201);
  });
});
