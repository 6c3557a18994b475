import { operations } from '@mem-service/contract';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modules as proModules } from '../../packages/pro/src/index.ts';
import { type App, openApp } from '../../packages/server/src/app.ts';
import { listen, type TestServer } from '../support/app.ts';
import { INTERNAL_KEY } from '../support/hosted.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import {
  addresses,
  controlAddresses,
  type HttpAnswer,
  type HttpRequest,
  type OperationAddress,
  requestFor,
  send,
} from '../support/wire.ts';
import { until } from './support/mem-process.ts';

const CONTROL = { 'x-mem-internal-key': INTERNAL_KEY };
const toolCall = (name: string, input: object) => ({
  method: 'POST',
  path: '/mcp',
  headers: { accept: 'application/json, text/event-stream' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } }),
});

describe('a hosted service while PostgreSQL is away', () => {
  let postgres: PostgresServer;
  let app: App;
  let server: TestServer;
  /** Used a moment ago, and never used. */
  let known: string;
  let cold: string;
  const as = (key: string, sent: HttpRequest) =>
    send(server.url, { ...sent, headers: { 'x-mem-api-key': key, ...sent.headers } });
  const example = (address: OperationAddress) =>
    requestFor(address, operations[address.name].example(0) as Record<string, unknown>);

  beforeAll(async () => {
    postgres = await startPostgres();
    const log = pino({ level: 'silent' });
    const settings = { hosted: true, rowSecurity: 'on', rateLimits: false } as const;
    app = await openApp({ modules: proModules, dataDir: '', postgresDsn: postgres.dsn, ...settings });
    server = await listen(app, { hosted: true, internalKey: INTERNAL_KEY, log });
    const body = JSON.stringify({ name: 'One', plan: 'enterprise' });
    const made = await send(server.url, { method: 'POST', path: '/api/v1/internal/accounts', body, headers: CONTROL });
    cold = String(made.json.key);
    const one = JSON.stringify({ name: 'two', key_type: 'admin', rate_limit_rpm: 100_000 });
    const keyed = await as(cold, { method: 'POST', path: '/api/v1/admin/api-keys', body: one });
    known = cold;
    cold = String(keyed.json.key);
    await postgres.stop();
  });
  afterAll(async () => {
    await server.close();
    await app.close();
    await postgres.close();
  });

  function expectAway(answer: HttpAnswer, what: string): void {
    expect({ what, status: answer.status, retry: answer.headers.get('retry-after') }).toEqual({
      what,
      status: 503,
      retry: '1',
    });
  }

  it('answers 503 on every route that needs it, to a key that it saw a moment ago', async () => {
    // There is no connector here, which is found out without the database.
    for (const address of addresses.filter(({ name }) => !operations[name].open && name !== 'webhooks.receive')) {
      const sent = example(address);
      expectAway(await as(known, sent), `${sent.method} ${sent.path}`);
    }
  });

  it('answers 503 on every route to a key that it has not seen yet', async () => {
    const others = ['/openapi.json', '/nowhere', '/api/v1/nowhere', '/api/v1/branches'].map((path) => ({
      method: 'GET',
      path,
    }));
    const asked = addresses.filter(({ name }) => !operations[name].open).map(example);
    for (const sent of [...asked, ...others]) expectAway(await as(cold, sent), `${sent.method} ${sent.path}`);
  });

  it('answers 503 to the control plane, and still shows its metrics', async () => {
    for (const sent of controlAddresses.map(example))
      expectAway(await send(server.url, { ...sent, headers: CONTROL }), `${sent.method} ${sent.path}`);
    const { status, text } = await send(server.url, { method: 'GET', path: '/metrics', headers: CONTROL });
    expect(status).toBe(200);
    expect(text).toMatch(/mem_operations_total\{.*result="unavailable"\} \d+/);
  });

  it('answers 503 at /mcp, to either key', async () => {
    for (const key of [known, cold]) {
      const answer = await as(key, toolCall('mem_read', { entity_path: 'a', key: 'k' }));
      expectAway(answer, 'tools/call');
      expect(answer.text).toContain('the database cannot be reached; try again');
    }
  });

  it('answers again as soon as PostgreSQL is back', async () => {
    expect((await as(cold, { method: 'GET', path: '/health' })).status).toBe(200);
    await postgres.restart();
    await until(async () => (await as(cold, { method: 'GET', path: '/api/v1/me' })).status === 200, { seconds: 10 });
    const found = await as(cold, toolCall('mem_search', { query: 'word' }));
    expect(found.status).toBe(200);
  });
});
