import { Fault } from '@mem-service/contract';
import { createClient } from '@mem-service/sdk';
import { afterEach, describe, expect, it } from 'vitest';
import { hangUp, json, neverAnswer, type StandIn, type StandInAnswer, standIn } from './stand-in.ts';

const busy = json(503, {
  type: 'urn:mem:error:unavailable',
  title: 'The service cannot answer right now',
  status: 503,
  detail: 'try again',
  code: 'unavailable',
});
const healthy = json(200, { status: 'ok', version: '1', schema: 1, backend: 'sqlite' });
const write = { entityPath: 'a', key: 'k', value: 1 };

describe('a client whose service is in trouble', () => {
  let server: StandIn;
  const start = async (...answers: [StandInAnswer, ...StandInAnswer[]]) => {
    server = await standIn(...answers);
    return createClient({ url: server.url });
  };
  afterEach(() => server.close());

  it.each([
    ['503', busy],
    ['429', json(429, {})],
    ['a proxy that gives up', ((response) => response.writeHead(502).end('<html>')) as StandInAnswer],
    ['a connection that breaks', hangUp],
  ])('tries again after %s', async (_, trouble) => {
    const client = await start(trouble, trouble, healthy);
    expect(await client.health.read()).toMatchObject({ status: 'ok' });
    expect(server.seen).toHaveLength(3);
  });

  it('keeps the idempotency key of a write over its retries, and takes a new one for the next call', async () => {
    const client = await start(busy, hangUp, json(201, {}));
    await client.entries.write(write);
    await client.entries.write(write);
    await client.stats.read();
    const keys = server.seen.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys.slice(0, 3)).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys[3]).not.toBe(keys[0]);
    expect(keys[4]).toBeUndefined();
    expect(new Set(server.seen.slice(0, 3).map(({ body }) => body))).toEqual(
      new Set(['{"entity_path":"a","key":"k","value":1}']),
    );
  });

  it('reads Retry-After, and does not try again where that is too long', async () => {
    const soon = json(429, {}, { 'retry-after': new Date().toUTCString() });
    const client = await start(soon, healthy, json(429, {}, { 'retry-after': '3600' }));
    await client.health.read();
    await expect(client.health.read()).rejects.toMatchObject({ code: 'rate_limited', status: 429, retryAfter: 3600 });
    expect(server.seen).toHaveLength(3);
  });

  it('gives up after its retries and says what is wrong', async () => {
    await start(busy);
    const client = createClient({ url: server.url, retries: 1 });
    await expect(client.health.read()).rejects.toMatchObject({
      code: 'unavailable',
      status: 503,
      message: 'try again',
    });
    expect(server.seen).toHaveLength(2);
  });

  it('does not try again what would fail again', async () => {
    const client = await start((response) => response.writeHead(500).end());
    await expect(client.health.read()).rejects.toMatchObject({ code: 'internal', status: 500 });
    expect(server.seen).toHaveLength(1);
  });

  it('reports a service that cannot be reached as unavailable, with status 0', async () => {
    const client = await start(healthy);
    await server.close();
    const once = createClient({ url: server.url, retries: 0 });
    await expect(once.health.read()).rejects.toMatchObject({ name: 'MemError', code: 'unavailable', status: 0 });
    await expect(client.health.read()).rejects.toThrow(`cannot reach ${server.url}`);
  });

  it('gives up an attempt after its time', async () => {
    await start(neverAnswer, healthy);
    const client = createClient({ url: server.url, timeoutMs: 50 });
    expect(await client.health.read()).toMatchObject({ status: 'ok' });
  });

  it('takes its patience from the call where that has its own', async () => {
    const client = await start(busy, neverAnswer, healthy, busy);
    expect(await client.health.read({}, { timeoutMs: 50 })).toMatchObject({ status: 'ok' });
    await expect(client.health.read({}, { retries: 0 })).rejects.toMatchObject({ status: 503 });
    expect(server.seen).toHaveLength(4);
  });

  it('stops at once when the caller aborts, while asking and while waiting', async () => {
    const client = await start(neverAnswer, busy);
    for (const _ of ['asking', 'waiting']) {
      const controller = new AbortController();
      const call = client.health.read({}, { signal: controller.signal });
      setTimeout(() => controller.abort(new Error('enough')), 30);
      await expect(call).rejects.toThrow('enough');
    }
    const calls = server.seen.length;
    await expect(client.health.read({}, { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
    expect(server.seen).toHaveLength(calls);
  });

  it('does not follow a redirect, which could take the key elsewhere', async () => {
    await start((response) => response.writeHead(307, { location: '/elsewhere' }).end(), healthy);
    const client = createClient({ url: server.url, apiKey: 'secret', retries: 0 });
    await expect(client.health.read()).rejects.toMatchObject({
      code: 'unavailable',
      status: 0,
      message: expect.stringContaining('it redirects to /elsewhere'),
    });
    expect(server.seen).toHaveLength(1);
  });

  it('shows why a server that only reads refuses a write with a body', async () => {
    const problem = new Fault('read_only', 'this server only reads').toProblem();
    const client = await start(json(problem.status, problem));
    await expect(client.entries.write(write)).rejects.toMatchObject({ code: 'read_only', status: 421 });
  });

  it('says so when something else answers at the address', async () => {
    const client = await start((response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'));
    await expect(client.health.read()).rejects.toThrow('did not answer with JSON');
  });

  it('keeps the path of its address, and refuses an address it cannot use', async () => {
    await start(healthy);
    await createClient({ url: `${server.url}/below/this/` }).health.read();
    expect(server.seen[0]?.url).toBe('/below/this/health');
    expect(() => createClient({ url: 'localhost:8080' })).toThrow('url must be');
    expect(() => createClient({ url: 'http://user:pass@localhost' })).toThrow('user or password');
  });
});
