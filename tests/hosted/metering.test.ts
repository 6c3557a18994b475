import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { backends, openTestApp, type TestOptions } from '../support/app.ts';
import { get, type Hosted, type NewAccount, openHosted, patch, post, remove, write } from '../support/hosted.ts';
import { watchDatabase } from '../support/statements.ts';
import { balanced, ledgerOf, remainingIn } from '../support/usage.ts';
import { send } from '../support/wire.ts';

const ME = '/api/v1/me';

describe.each(backends)('what is metered on %s', (backend) => {
  let service: Hosted;
  let account: NewAccount;
  beforeAll(async () => {
    service = await openHosted(backend);
    account = await service.newAccount();
    await service.as(account.key, write('here', 'it'));
  });
  afterAll(() => service.close());

  const remaining = async (key = account.key) => remainingIn(await service.as(key, get(ME)));

  const outcome = { outcome_ref: 'deploy-1', outcome_type: 'success' };
  it.each([
    ['a read', 1, get('/api/v1/entries/here/it')],
    ['a read of what is not there', 1, get('/api/v1/entries/here/nothing')],
    ['a list', 1, get('/api/v1/entries')],
    ['a search', 1, post('/api/v1/search', { query: 'it' })],
    ['what admins look at', 1, get('/api/v1/admin/api-keys')],
    ['a path that there is not', 1, get('/api/v1/no/such/thing')],
    ['a method that the path does not take', 1, remove('/api/v1/stats')],
    ['a write', 2, write('here', 'new')],
    ['a write that changes nothing', 2, write('here', 'it')],
    ['a recorded context', 2, post('/api/v1/context', { label: 'a', summary: 'b' })],
    ['an outcome', 0, post('/api/v1/outcomes', outcome)],
    ['a look at oneself', 0, get(ME)],
    ['a page beside the interface', 0, get('/openapi.json')],
    [
      'a write that is refused',
      0,
      post('/api/v1/entries', { entity_path: 'here', key: 'it', value: 1, if_version: 9 }),
    ],
    ['a request that does not fit', 0, get('/api/v1/entries?limit=-1')],
  ])('%s costs %d', async (_, ops, sent) => {
    const before = await remaining();
    const answer = await service.as(account.key, sent);
    expect(remainingIn(answer)).toBe(before - ops);
    expect(answer.headers.get('x-mem-ops-limit')).toBe('1000');
    expect(await remaining()).toBe(before - ops);
    await balanced(service.app, account.account_id);
  });

  it('a retry under the same idempotency key costs nothing', async () => {
    const sent = { ...write('here', 'once'), headers: { 'idempotency-key': 'once' } };
    const first = await service.as(account.key, sent);
    const again = await service.as(account.key, sent);
    expect(again.text).toBe(first.text);
    expect(remainingIn(again)).toBe(remainingIn(first));
  });

  it('health and refused keys get no usage headers', async () => {
    for (const path of ['/health', '/api/v1/entries']) {
      const { headers } = await send(service.server.url, get(path));
      expect(headers.get('x-mem-ops-remaining')).toBeNull();
    }
  });

  it('a stream and a model over MCP are charged like anybody', async () => {
    const before = await remaining();
    const stream = await service.as(account.key, get('/api/v1/stream'));
    expect(remainingIn(stream)).toBe(before - 1);
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'mem_read', arguments: { entity_path: 'here', key: 'it' } },
    };
    const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };
    const answer = await service.as(account.key, { ...post('/mcp', call), headers });
    expect(answer.status).toBe(200);
    expect(remainingIn(answer)).toBe(before - 2);
    expect(await remaining()).toBe(before - 2);
    await balanced(service.app, account.account_id);
  });

  it('many at once are counted one by one', async () => {
    const { key, account_id } = await service.newAccount({ plan: 'pro' });
    const sent = Array.from({ length: 120 }, (_, i) =>
      i % 3 === 0 ? write('many', `k${i}`) : get('/api/v1/entries/many/k0'),
    );
    await Promise.all(sent.map((one) => service.as(key, one)));
    expect(await remaining(key)).toBe(50_000 - 40 * 2 - 80);
    await balanced(service.app, account_id);
    const lines = (await ledgerOf(service.app, account_id)).filter((line) => line.class === 'write');
    expect(lines.reduce((sum, { requests }) => sum + requests, 0)).toBe(40);
  });

  it('no limit is sent as unlimited', async () => {
    const { key } = await service.newAccount({ plan: 'enterprise' });
    const { headers } = await service.as(key, get('/api/v1/stats'));
    expect(headers.get('x-mem-ops-remaining')).toBe('unlimited');
    expect(headers.get('x-mem-ops-limit')).toBe('unlimited');
    expect(headers.get('x-mem-usage-warning')).toBeNull();
  });

  it('another plan counts at once', async () => {
    const { key, account_id } = await service.newAccount();
    expect(remainingIn(await service.as(key, get('/api/v1/stats')))).toBe(999);
    await service.control(patch(`/api/v1/internal/accounts/${account_id}`, { plan: 'starter' }));
    expect(remainingIn(await service.as(key, get('/api/v1/stats')))).toBe(24_998);
    const refused = await service.control(patch(`/api/v1/internal/accounts/${account_id}`, { plan: 'golden' }));
    expect(refused).toMatchObject({ status: 422, json: { errors: [{ path: 'plan' }] } });
  });

  it('what is leased and not spent goes back after a minute', async () => {
    const { key, account_id } = await service.newAccount();
    await service.as(key, get('/api/v1/stats'));
    expect((await balanced(service.app, account_id))['2026-01']).toBeGreaterThan(1);
    service.app.clock.advance(61_000);
    await service.app.jobs.sweep();
    expect(await balanced(service.app, account_id)).toEqual({ '2026-01': 1 });
    expect(remainingIn(await service.as(key, get('/api/v1/stats')))).toBe(998);
  });

  it('a new month begins at nothing, and the old one keeps what was spent in it', async () => {
    const { key, account_id } = await service.newAccount();
    await service.as(key, write('months', 'a'));
    await service.as(key, get('/api/v1/entries/months/a'));
    const now = service.app.clock.now();
    service.app.clock.advance(Date.parse('2026-02-01T00:00:00Z') - now - 1);
    expect(remainingIn(await service.as(key, get('/api/v1/entries/months/a')))).toBe(996);
    service.app.clock.advance(1);
    expect(remainingIn(await service.as(key, get('/api/v1/entries/months/a')))).toBe(999);
    await service.app.jobs.sweep();
    const sums = await balanced(service.app, account_id);
    expect(sums['2026-01']).toBe(4);
    const { json } = await service.as(key, get(ME));
    expect(json.usage).toMatchObject({
      period: '2026-02',
      period_start: '2026-02-01T00:00:00.000Z',
      period_end: '2026-03-01T00:00:00.000Z',
      ops_used: 1,
    });
  });
});

describe.each(backends)('leases that go back on %s', (backend) => {
  /** Two accounts that have a lease, in this order, and what goes wrong in the background. */
  async function open(wrapDatabase?: TestOptions['wrapDatabase']) {
    const errors: unknown[] = [];
    const onError = (error: unknown) => void errors.push(error);
    const service = await openHosted(backend, { app: { onError, ...(wrapDatabase ? { wrapDatabase } : {}) } });
    onTestFinished(() => service.close());
    const accounts = [await service.newAccount({ name: 'First' }), await service.newAccount({ name: 'Second' })];
    for (const { key } of accounts) await service.as(key, get('/api/v1/stats'));
    service.app.clock.advance(61_000);
    const [first, second] = accounts as [NewAccount, NewAccount];
    return { service, errors, first: first.account_id, second: second.account_id };
  }

  it('pass over an account that is deleted', async () => {
    const { service, errors, first, second } = await open();
    const { status } = await service.control(remove(`/api/v1/internal/accounts/${first}?force=true&name=First`));
    expect(status).toBe(200);
    for (let n = 0; n < 2; n++) {
      await service.app.jobs.sweep();
      expect(errors).toEqual([]);
      expect(await balanced(service.app, second)).toEqual({ '2026-01': 1 });
    }
  });

  it('are tried again for an account that could not be charged, and go back for the others meanwhile', async () => {
    const failing = new Error('the disk failed');
    let fails = false;
    const { service, errors, first, second } = await open((database) =>
      watchDatabase(database, ({ text }) => {
        if (!fails || !text.startsWith('INSERT INTO usage_ledger')) return;
        fails = false;
        throw failing;
      }),
    );
    fails = true;
    await service.app.jobs.sweep();
    expect(errors).toEqual([failing]);
    expect((await balanced(service.app, first))['2026-01']).toBeGreaterThan(1);
    expect(await balanced(service.app, second)).toEqual({ '2026-01': 1 });
    await service.app.jobs.sweep();
    expect(errors).toEqual([failing]);
    expect(await balanced(service.app, first)).toEqual({ '2026-01': 1 });
  });
});

describe.each(backends)('the end of a server on %s', (backend) => {
  it('gives back what it has leased, and the next goes on from there', async () => {
    const first = await openHosted(backend);
    const { key, account_id } = await first.newAccount();
    for (let i = 0; i < 7; i++) await first.as(key, get('/api/v1/stats'));
    await first.server.close();
    const { place, clock } = first.app;
    await first.app.jobs.close();
    await first.app.kernel.close();
    expect(await balanced(first.app, account_id)).toEqual({ '2026-01': 7 });
    const second = await openHosted(backend, { app: { place, clock } });
    expect(remainingIn(await second.as(key, get('/api/v1/stats')))).toBe(992);
    await second.close();
    await first.app.close();
  });
});

describe('warnings', () => {
  it('come at 80, 95 and 100 percent', async () => {
    const plans = { small: { ops_per_month: 200 }, none: { ops_per_month: 0 } };
    const service = await openHosted('sqlite', { app: { settings: { plans } as never } });
    const { key, account_id } = await service.newAccount({ plan: 'small' });
    const levels: (string | null)[] = [];
    for (const [ops, level] of [
      [159, null],
      [1, '80'],
      [29, '80'],
      [1, '95'],
      [9, '95'],
      [1, '100'],
    ] as const) {
      await service.control(post('/api/v1/internal/usage/record', { account_id, ops }));
      const { headers, json } = await service.as(key, get(ME));
      levels.push(level);
      expect(headers.get('x-mem-usage-warning'), `${ops}`).toBe(level);
      expect(json.usage).toMatchObject({ warning_level: level === null ? null : Number(level) });
      expect((json.warnings as string[]).length).toBe(level === null ? 0 : 1);
    }
    // Calls beyond the limit are served and counted unless the operator enforces quotas.
    const over = await service.as(key, get('/api/v1/stats'));
    expect(over.status).toBe(200);
    expect(remainingIn(over)).toBe(0);
    expect((await service.as(key, get(ME))).json.usage).toMatchObject({ ops_used: 201, ops_remaining: 0 });
    const { key: none } = await service.newAccount({ plan: 'none' });
    expect((await service.as(none, get(ME))).headers.get('x-mem-usage-warning')).toBe('100');
    await service.close();
  });
});

describe('a self-hosted service', () => {
  it('meters nothing, and reports that there is no limit', async () => {
    const app = await openTestApp('sqlite');
    const me = await app.call('me.read', {});
    expect(me).toMatchObject({
      account: { account_id: '00000000-0000-0000-0000-000000000001', plan: null, status: 'active' },
      key: null,
      usage: { ops_used: 0, ops_limit: null, ops_remaining: null, warning_level: null },
      warnings: [],
    });
    const record = app.call('usage.record', { account_id: me.account.account_id, ops: 1 }, { control: true });
    await expect(record).rejects.toMatchObject({ code: 'module_not_installed' });
    await app.call('entries.write', { entity_path: 'a', key: 'b', value: 1 });
    expect(await ledgerOf(app, me.account.account_id)).toEqual([]);
    await app.close();
  });
});
