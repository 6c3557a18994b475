import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends } from '../support/app.ts';
import { get, type Hosted, openHosted, post, write } from '../support/hosted.ts';
import { balanced, ledgerOf, remainingIn } from '../support/usage.ts';

const RECORD = '/api/v1/internal/usage/record';
const settings = {
  upgrade_url: 'https://mem.example/upgrade',
  plan_comparison_url: 'https://mem.example/plans',
} as never;

describe.each(backends)('usage that is recorded from outside on %s', (backend) => {
  let service: Hosted;
  beforeAll(async () => {
    service = await openHosted(backend, { app: { settings } });
  });
  afterAll(() => service.close());

  it('is added to what the account has used', async () => {
    const { key, account_id } = await service.newAccount();
    await service.as(key, write('a'));
    const { status, json } = await service.control(post(RECORD, { account_id, ops: 10 }));
    expect(status).toBe(200);
    expect(json).toEqual({ account_id, period: '2026-01', ops_consumed: 12, ops_remaining: 988, ops_limit: 1000 });
    expect(remainingIn(await service.as(key, get('/api/v1/me')))).toBe(988);
    expect(await balanced(service.app, account_id)).toEqual({ '2026-01': 12 });
  });

  it('agrees with the headers while reads are leased', async () => {
    const { key, account_id } = await service.newAccount();
    const read = await service.as(key, get('/api/v1/stats'));
    const { json } = await service.control(post(RECORD, { account_id, ops: 0 }));
    expect(json).toMatchObject({ ops_consumed: 1, ops_remaining: remainingIn(read) });
  });

  it('counts once under one idempotency key, and is refused for other ops', async () => {
    const { account_id } = await service.newAccount();
    const headers = { 'idempotency-key': 'invoice-7' };
    const first = await service.control({ ...post(RECORD, { account_id, ops: 5 }), headers });
    const again = await service.control({ ...post(RECORD, { account_id, ops: 5 }), headers });
    expect(again).toMatchObject({ status: 200, json: first.json });
    const other = await service.control({ ...post(RECORD, { account_id, ops: 6 }), headers });
    expect(other).toMatchObject({ status: 422, json: { code: 'idempotency_mismatch' } });
    expect(await balanced(service.app, account_id)).toEqual({ '2026-01': 5 });
  });

  it('goes up to the limit and not beyond, all or nothing', async () => {
    const { key, account_id } = await service.newAccount();
    await service.as(key, get('/api/v1/stats'));
    expect((await service.control(post(RECORD, { account_id, ops: 998 }))).json).toMatchObject({ ops_remaining: 1 });
    const { status, json } = await service.control(post(RECORD, { account_id, ops: 2 }));
    expect(status).toBe(402);
    expect(json).toMatchObject({
      code: 'quota_exceeded',
      ops_limit: 1000,
      ops_remaining: 1,
      upgrade_url: 'https://mem.example/upgrade',
      plan_comparison_url: 'https://mem.example/plans',
    });
    expect((await service.control(post(RECORD, { account_id, ops: 1 }))).json).toMatchObject({ ops_remaining: 0 });
    const records = (await ledgerOf(service.app, account_id)).filter((line) => line.class === 'record');
    expect(records.map(({ ops }) => ops)).toEqual([998, 1]);
    await balanced(service.app, account_id);
  });

  it('needs a plan', async () => {
    const { key, account_id } = await service.newAccount({ plan: null });
    const { status, json } = await service.control(post(RECORD, { account_id, ops: 1 }));
    expect(status).toBe(402);
    expect(json).toMatchObject({ code: 'plan_required', plan_comparison_url: 'https://mem.example/plans' });
    expect(await ledgerOf(service.app, account_id)).toEqual([]);
    const { json: me } = await service.as(key, get('/api/v1/me'));
    expect(me).toMatchObject({
      account: { plan: null },
      usage: { ops_limit: 0 },
      warnings: [expect.stringContaining('no plan')],
      upgrade_url: 'https://mem.example/upgrade',
    });
  });

  it.each([
    ['an account that there is not', { account_id: '3f0c1c1e-5f0a-4b53-9d2e-6f6f2b6f7a10', ops: 1 }, '404 not_found'],
    ['no account', { ops: 1 }, '422 invalid_input'],
    ['a name for an account', { account_id: 'example', ops: 1 }, '422 invalid_input'],
    ['less than nothing', { account_id: '3f0c1c1e-5f0a-4b53-9d2e-6f6f2b6f7a10', ops: -1 }, '422 invalid_input'],
    ['a part of an op', { account_id: '3f0c1c1e-5f0a-4b53-9d2e-6f6f2b6f7a10', ops: 1.5 }, '422 invalid_input'],
  ])('%s is refused', async (_, input, refusal) => {
    const { status, json } = await service.control(post(RECORD, input));
    expect(`${status} ${json.code}`).toBe(refusal);
  });

  it('is counted for every one of many at once', async () => {
    const { account_id } = await service.newAccount({ plan: 'pro' });
    const all = Array.from({ length: 30 }, () => service.control(post(RECORD, { account_id, ops: 3 })));
    const answers = (await Promise.all(all)).map(({ json }) => json.ops_consumed as number);
    expect(answers.sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, i) => (i + 1) * 3));
    expect(await balanced(service.app, account_id)).toEqual({ '2026-01': 90 });
  });
});

describe.each(backends)('a quota that is enforced on %s', (backend) => {
  const plans = { ten: { ops_per_month: 10 }, six: { ops_per_month: 600 } };
  let service: Hosted;
  beforeAll(async () => {
    service = await openHosted(backend, {
      app: { settings: { ...(settings as object), plans, quota_enforcement: 'block' } as never },
    });
  });
  afterAll(() => service.close());

  it('lets through exactly what the plan has, and then what costs nothing', async () => {
    const { key, account_id } = await service.newAccount({ plan: 'ten' });
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push((await service.as(key, write('a', `k${i}`))).status);
    for (let i = 0; i < 3; i++) statuses.push((await service.as(key, get('/api/v1/entries/a/k0'))).status);
    expect(statuses).toEqual([201, 201, 201, 201, 200, 200, 402]);
    const { status, json } = await service.as(key, write('a', 'more'));
    expect(status).toBe(402);
    expect(json).toMatchObject({
      code: 'quota_exceeded',
      ops_remaining: 0,
      upgrade_url: 'https://mem.example/upgrade',
    });
    expect((await service.as(key, get('/api/v1/no-such-path'))).status).toBe(402);
    const outcome = { outcome_ref: 'x', outcome_type: 'success' };
    expect((await service.as(key, post('/api/v1/outcomes', outcome))).status).toBe(201);
    expect((await service.as(key, get('/api/v1/me'))).json.usage).toMatchObject({ ops_used: 10, ops_remaining: 0 });
    expect(await balanced(service.app, account_id)).toEqual({ '2026-01': 10 });
  });

  it('is not used by writes that are refused for another reason, also beside others in a batch', async () => {
    const { key, account_id } = await service.newAccount({ plan: 'ten' });
    await service.control(post(RECORD, { account_id, ops: 8 }));
    const conflicting = (n: number) =>
      post('/api/v1/entries', { entity_path: 'a', key: `k${n}`, value: 1, if_version: 9 });
    const sent = [...Array.from({ length: 8 }, (_, n) => conflicting(n)), write('a', 'fits'), write('a', 'beyond')];
    const statuses = (await Promise.all(sent.map((one) => service.as(key, one)))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(await balanced(service.app, account_id)).toEqual({ '2026-01': 10 });
  });

  it('lets a write have what is leased for reads and not spent', async () => {
    const { key, account_id } = await service.newAccount({ plan: 'six' });
    await service.control(post(RECORD, { account_id, ops: 595 }));
    expect(remainingIn(await service.as(key, get('/api/v1/stats')))).toBe(4);
    expect(remainingIn(await service.as(key, write('a', 'one')))).toBe(2);
    expect(remainingIn(await service.as(key, write('a', 'two')))).toBe(0);
    expect((await service.as(key, get('/api/v1/stats'))).status).toBe(402);
    expect(await balanced(service.app, account_id)).toEqual({ '2026-01': 600 });
  });

  it('holds for many at once', async () => {
    const { key, account_id } = await service.newAccount({ plan: 'six' });
    const sent = Array.from({ length: 500 }, (_, i) => (i % 2 === 0 ? write('a', `k${i}`) : get('/api/v1/stats')));
    const answers = await Promise.all(sent.map((one) => service.as(key, one)));
    const spent = answers.reduce((sum, { status }, i) => sum + (status < 300 ? (i % 2 === 0 ? 2 : 1) : 0), 0);
    expect(answers.every(({ status }) => status < 300 || status === 402)).toBe(true);
    expect(spent).toBeLessThanOrEqual(600);
    expect((await service.as(key, get('/api/v1/me'))).json.usage).toMatchObject({ ops_used: spent });
    await balanced(service.app, account_id);
  });

  it('asks for a plan first', async () => {
    const { key } = await service.newAccount({ plan: null });
    for (const sent of [get('/api/v1/stats'), write('a')])
      expect(await service.as(key, sent)).toMatchObject({ status: 402, json: { code: 'plan_required' } });
  });

  it('ends with the month', async () => {
    const { key } = await service.newAccount({ plan: 'ten' });
    for (let i = 0; i < 10; i++) await service.as(key, get('/api/v1/stats'));
    expect((await service.as(key, get('/api/v1/stats'))).status).toBe(402);
    service.app.clock.advance(31 * 86_400_000);
    expect((await service.as(key, get('/api/v1/stats'))).status).toBe(200);
  });
});

describe('GET /api/v1/me', () => {
  it('shows a key its settings and permissions', async () => {
    const service = await openHosted('sqlite');
    const { key: admin, account_id } = await service.newAccount();
    const scopes = [{ pattern: 'team/**', permission: 'READ' }];
    const expires_at = new Date(service.app.clock.now() + 3 * 86_400_000).toISOString();
    const made = await service.newKey(admin, { name: 'reader', scopes, rate_limit_rpm: 30, expires_at });
    const { status, json } = await service.as(made.key, get('/api/v1/me'));
    expect(status).toBe(200);
    expect(json).toEqual({
      account: { account_id, name: 'Example', plan: 'free', status: 'active' },
      key: {
        key_id: made.key_id,
        name: 'reader',
        key_type: 'agent',
        scopes,
        entity_paths: [],
        agent_ids: [],
        shares_sessions: false,
        rate_limit_rpm: 30,
        expires_at,
        default_branch: null,
        member_id: null,
      },
      default_branch: 'main',
      usage: {
        period: '2026-01',
        period_start: '2026-01-01T00:00:00.000Z',
        period_end: '2026-02-01T00:00:00.000Z',
        ops_used: 2,
        ops_limit: 1000,
        ops_remaining: 998,
        warning_level: null,
      },
      // Rate limits are off in this service, and the key sees a part of the account.
      limits: {
        key_rate_rpm: { used: 0, limit: null },
        rate_rpm: { used: null, limit: null },
        storage_bytes: { used: null, limit: 104_857_600 },
        storage_entries: { used: null, limit: 10_000 },
        storage_bytes_with_rooms: { used: null, limit: 104_857_600 },
        storage_entries_with_rooms: { used: null, limit: 10_000 },
        open_sessions: { used: null, limit: 1000 },
        open_streams: { used: null, limit: 10 },
      },
      warnings: [expect.stringContaining(expires_at)],
      upgrade_url: null,
      plan_comparison_url: null,
    });
    await service.close();
  });
});
