import { afterEach, describe, expect, it } from 'vitest';
import { backends, listen, openTestApp } from '../support/app.ts';
import { get, type Hosted, type HostedOptions, INTERNAL_KEY, openHosted, post } from '../support/hosted.ts';
import { send } from '../support/wire.ts';

const STATS = get('/api/v1/stats');
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function open(backend: 'sqlite' | 'postgres', options: HostedOptions = {}): Promise<Hosted> {
  const service = await openHosted(backend, { app: { rateLimits: true, ...options.app } });
  closing.push(() => service.close());
  return service;
}

async function keyOf(service: Hosted, rate_limit_rpm: number): Promise<string> {
  const { key: admin } = await service.newAccount();
  return (await service.newKey(admin, { rate_limit_rpm })).key;
}

describe.each(backends)('requests of a key on %s', (backend) => {
  it('are let in up to its limit, and again when the minute has slid on', async () => {
    const service = await open(backend);
    const key = await keyOf(service, 3);
    const remaining = [];
    for (let i = 0; i < 3; i++) {
      const { status, headers } = await service.as(key, STATS);
      expect(headers.get('ratelimit-policy')).toBe('"key";q=3;w=60');
      remaining.push([status, headers.get('ratelimit')]);
    }
    expect(remaining).toEqual([
      [200, '"key";r=2;t=60'],
      [200, '"key";r=1;t=60'],
      [200, '"key";r=0;t=60'],
    ]);
    const { status, headers, json } = await service.as(key, STATS);
    expect(status).toBe(429);
    expect(json).toMatchObject({ code: 'rate_limited', detail: expect.stringContaining('3 requests a minute') });
    expect(headers.get('retry-after')).toBe('60');
    expect(headers.get('ratelimit')).toBe('"key";r=0;t=60');
    service.app.clock.advance(59_999);
    expect((await service.as(key, STATS)).status).toBe(429);
    service.app.clock.advance(1);
    expect((await service.as(key, STATS)).status).toBe(200);
    // Two of the three before still count, for another while.
    expect((await service.as(key, STATS)).headers.get('retry-after')).toBe('20');
    service.app.clock.advance(20_000);
    expect((await service.as(key, STATS)).status).toBe(200);
  });

  it('that are refused do not count, and show what is left', async () => {
    const service = await open(backend);
    const key = await keyOf(service, 1);
    const before = (await service.as(key, STATS)).headers.get('x-mem-ops-remaining');
    const { status, headers } = await service.as(key, STATS);
    expect([status, headers.get('x-mem-ops-remaining')]).toEqual([429, before]);
  });

  it('are refused before their body is read, whatever they ask for', async () => {
    const service = await open(backend);
    const key = await keyOf(service, 1);
    await service.as(key, STATS);
    const tries = [
      post('/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' }),
      get('/api/v1/no/such/path'),
      get('/openapi.json'),
      { ...post('/api/v1/entries', {}), body: 'no json' },
    ];
    for (const sent of tries) expect((await service.as(key, sent)).status).toBe(429);
    expect((await send(service.server.url, get('/health'))).status).toBe(200);
  });

  it('are counted one by one where they arrive as a batch over MCP', async () => {
    const service = await open(backend);
    const key = await keyOf(service, 5);
    const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-03-26' };
    const call = (id: number) => {
      const args = { entity_path: 'batch', key: `k${id}`, value: id };
      return { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'mem_write', arguments: args } };
    };
    const reading = { jsonrpc: '2.0', id: 9, method: 'resources/read', params: { uri: 'mem://stats' } };
    const batch = [...Array.from({ length: 8 }, (_, i) => call(i)), reading];
    const { status, text } = await service.as(key, { ...post('/mcp', batch), headers });
    expect(status).toBe(200);
    expect(text.match(/rate_limited/g)).toHaveLength(4);
    expect((await service.as(key, STATS)).status).toBe(429);
    service.app.clock.advance(120_000);
    const written = await service.as(key, get('/api/v1/entries?entity_path=batch'));
    expect(written.json.entries).toHaveLength(5);
  });

  it('are told apart by key', async () => {
    const service = await open(backend);
    const first = await keyOf(service, 1);
    const second = await keyOf(service, 2);
    await service.as(first, STATS);
    expect((await service.as(first, STATS)).status).toBe(429);
    expect((await service.as(second, STATS)).status).toBe(200);
  });
});

describe('limits that are lifted', () => {
  it('refuse no request and send no headers', async () => {
    const service = await open('sqlite', { app: { rateLimits: false } });
    const key = await keyOf(service, 1);
    await service.as(key, STATS);
    const { status, headers } = await service.as(key, STATS);
    expect(status).toBe(200);
    expect(headers.get('ratelimit')).toBeNull();
    expect(headers.get('x-mem-ops-remaining')).not.toBeNull();
  });
});

describe('two servers on one database', () => {
  async function openTwo(options: HostedOptions = {}) {
    const first = await open('postgres', options);
    return { first, second: await openAnother(first, options) };
  }

  async function openAnother({ app: { place, clock } }: Hosted, options: HostedOptions = {}) {
    const app = await openTestApp('postgres', { hosted: true, rateLimits: true, ...options.app, place, clock });
    const server = await listen(app, { hosted: true, internalKey: INTERNAL_KEY });
    closing.push(async () => {
      await server.close();
      await app.close();
    });
    return (key: string, sent = STATS) =>
      send(server.url, { ...sent, headers: { 'x-mem-api-key': key, ...sent.headers } });
  }

  it('learn within about a second what a key did at the other, in this minute and the one before', async () => {
    const { first, second } = await openTwo();
    const key = await keyOf(first, 100);
    for (let i = 0; i < 100; i++) expect((await first.as(key, STATS)).status).toBe(200);
    let admitted = 0;
    const isRefused = async () => {
      const { status } = await second(key);
      if (status === 200) admitted++;
      return status === 429;
    };
    // It accepts only the requests that arrive before it reads the shared count.
    await expectSoon(isRefused);
    expect(admitted).toBeLessThan(100);
    const third = await openAnother(first);
    first.app.clock.advance(60_000);
    admitted = 0;
    const isRefusedThere = async () => {
      const { status } = await third(key);
      if (status === 200) admitted++;
      return status === 429;
    };
    await expectSoon(isRefusedThere);
    expect(admitted).toBeLessThan(100);
  });

  it('share one quota, which neither oversteps', async () => {
    const settings = { plans: { two: { ops_per_month: 200 } }, quota_enforcement: 'block' } as never;
    const { first, second } = await openTwo({ app: { settings, rateLimits: false } });
    const { key } = await first.newAccount({ plan: 'two' });
    const ask = (i: number) => (i % 2 === 0 ? first.as(key, STATS) : second(key));
    const statuses: number[] = [];
    for (let round = 0; round < 6; round++) {
      const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => ask(i)));
      statuses.push(...answers.map(({ status }) => status));
    }
    const done = statuses.filter((status) => status === 200).length;
    expect(statuses.every((status) => status === 200 || status === 402)).toBe(true);
    expect(done).toBe(200);
    const { json } = await second(key, get('/api/v1/me'));
    expect(json.usage).toMatchObject({ ops_used: 200, ops_remaining: 0 });
  });

  it('see in their headers what the other has charged', async () => {
    const { first, second } = await openTwo();
    const { key } = await first.newAccount({ plan: 'pro' });
    const write = (i: number) => post('/api/v1/entries', { entity_path: 'a', key: `k${i}`, value: 1 });
    for (let i = 0; i < 5; i++) await first.as(key, write(i));
    await second(key, get('/api/v1/me'));
    for (let i = 5; i < 10; i++) await first.as(key, write(i));
    const remaining = async () => (await second(key, get('/api/v1/me'))).headers.get('x-mem-ops-remaining');
    await expectSoon(async () => (await remaining()) === '49980');
  });
});

async function expectSoon(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error('not within 10 s');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
