import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, fakeClock, listen, openTestApp } from '../support/app.ts';
import { get, type Hosted, INTERNAL_KEY, openHosted, post, write } from '../support/hosted.ts';
import { send } from '../support/wire.ts';

const USAGE = '/api/v1/admin/usage';
const DAY_MS = 86_400_000;
const start = Date.parse('2026-03-10T12:00:00Z');

type Point = { day: string; name: string | null; requests: number; peak_rpm: number | null };

describe.each(backends)('how much an account is used, on %s', (backend) => {
  let service: Hosted;
  let admin: string;
  const clock = fakeClock(start);
  const as = (agent: string, path: string) => ({ ...get(path), headers: { 'x-mem-agent-id': agent } });
  const ask = async (query = '') => (await service.as(admin, get(`${USAGE}${query}`))).json;

  beforeAll(async () => {
    service = await openHosted(backend, { app: { clock } });
    ({ key: admin } = await service.newAccount());
    // Two on the first day, in two minutes; five on the next, three of them within one.
    await service.as(admin, write('shop/cart'));
    clock.advance(60_000);
    await service.as(admin, as('agent/a', '/api/v1/entries/shop/cart/k'));
    clock.advance(DAY_MS);
    for (let i = 0; i < 3; i++) await service.as(admin, as('agent/a', '/api/v1/entries/shop/cart/k'));
    clock.advance(60_000);
    await service.as(admin, as('agent/b', '/api/v1/entries/shop/none/k'));
    await service.as(
      admin,
      post('/api/v1/commits', {
        message: 'two',
        agent_id: 'agent/b',
        writes: ['shop/cart', 'shop/bill'].map((entity_path) => ({ entity_path, key: 'c', value: 1 })),
      }),
    );
  });
  afterAll(() => service.close());

  it('requests, ops, errors, and the busiest minute', async () => {
    expect(await ask()).toMatchObject({
      from: '2026-03-01',
      to: '2026-03-11',
      requests_today: 5,
      requests_this_month: 7,
      requests: 7,
      reads: 5,
      writes: 2,
      errors: 1,
      ops_this_month: 2 + 1 + 3 + 2,
      peak_rpm: 3,
    });
  });

  it('how long answers took', async () => {
    const { latency_ms } = (await ask()) as { latency_ms: { p50: number; p95: number; p99: number } };
    expect(latency_ms.p50).toBeGreaterThan(0);
    expect(latency_ms.p95).toBeGreaterThanOrEqual(latency_ms.p50);
    expect(latency_ms.p99).toBeGreaterThanOrEqual(latency_ms.p95);
  });

  it('who asks most, and for what; nothing of what was refused', async () => {
    const { top_agents, top_paths } = await ask('?to=2026-03-11&limit=1');
    expect(top_agents).toEqual([expect.objectContaining({ agent_id: 'agent/a', requests: 4, reads: 4, writes: 0 })]);
    expect(top_paths).toEqual([
      expect.objectContaining({ entity_path: 'shop/cart', requests: 6, reads: 4, writes: 2 }),
    ]);
    expect(JSON.stringify(await ask())).not.toContain('shop/none');
  });

  it('real numbers against quotas', async () => {
    const { quotas } = await ask();
    expect(quotas).toEqual(
      expect.arrayContaining([
        { name: 'entries', current: 3, limit: null },
        { name: 'api_keys', current: 1, limit: null },
        { name: 'traces', current: 0, limit: null },
      ]),
    );
  });

  it('a series by day, by agent and by path', async () => {
    const days = (await ask('?from=2026-03-10&to=2026-03-10')).series as Point[];
    expect(days).toEqual([expect.objectContaining({ day: '2026-03-10', name: null, requests: 2, peak_rpm: 1 })]);
    const agents = (await ask('?group_by=agent&from=2026-03-10&to=2026-03-10')).series as Point[];
    expect(agents.find(({ name }) => name === 'agent/a')).toMatchObject({ requests: 1 });
    const paths = (await ask('?group_by=path&limit=1')).series as Point[];
    expect(paths.map(({ day, name, requests }) => [day, name, requests])).toEqual([
      ['2026-03-10', 'shop/cart', 2],
      ['2026-03-11', null, 1],
      ['2026-03-11', 'shop/cart', 4],
    ]);
  });

  it('days that make no sense are refused', async () => {
    for (const query of ['?from=2026-03-02&to=2026-03-01', '?from=2020-01-01', '?from=2027-01-01', '?from=yesterday'])
      expect((await service.as(admin, get(`${USAGE}${query}`))).status, query).toBe(422);
  });

  it('is for admins of the whole account', async () => {
    const agent = await service.newKey(admin);
    const narrow = await service.newKey(admin, { key_type: 'admin', entity_paths: ['shop/**'] });
    for (const { key } of [agent, narrow]) expect((await service.as(key, get(USAGE))).status).toBe(403);
  });

  it('nothing of one account is counted for another', async () => {
    const other = await service.newAccount({ name: 'Other' });
    expect((await service.as(other.key, get(USAGE))).json).toMatchObject({
      requests: 0,
      top_paths: [],
      top_agents: [],
    });
  });

  it('an erased path is not named any more', async () => {
    await service.as(admin, write('people/4711'));
    await service.as(admin, get('/api/v1/entries?entity_path=people/*'));
    expect(JSON.stringify(await ask('?limit=100'))).toContain('people/4711');
    await service.as(admin, post('/api/v1/erase', { entity_path: 'people/4711' }));
    expect(JSON.stringify(await ask('?limit=100'))).not.toContain('people');
  });
});

describe('two servers on one database', () => {
  it('add up', async () => {
    const first = await openHosted('postgres');
    const second = await openTestApp('postgres', { place: first.app.place });
    const server = await listen(second, { hosted: true, internalKey: INTERNAL_KEY });
    const { key } = await first.newAccount();
    const headers = { 'x-mem-api-key': key };
    for (let i = 0; i < 3; i++) await first.as(key, get('/api/v1/stats'));
    for (let i = 0; i < 4; i++) await send(server.url, { ...get('/api/v1/stats'), headers });
    await second.kernel.services.activity.flushAll();
    expect((await first.as(key, get(USAGE))).json).toMatchObject({ requests_today: 7, peak_rpm: 7 });
    await server.close();
    await second.close();
    await first.close();
  });
});

describe('a service without keys', () => {
  it('counts as well, and what was counted outlives it', async () => {
    const { place, ...app } = await openTestApp('sqlite');
    await app.call('entries.write', { entity_path: 'a', key: 'k', value: 1 });
    await app.kernel.close();
    const again = await openTestApp('sqlite', { place });
    expect(await again.call('usage.read', {})).toMatchObject({ requests: 1, writes: 1 });
    await again.close();
    await app.close();
    await place.remove();
  });
});
