import { request as rawRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeAdmission, localOnly } from '../../packages/server/src/admitted.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import { listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { useBrowser } from '../support/browser.ts';

let app: TestApp;
let local: TestServer;
let usual: TestServer;
beforeAll(async () => {
  app = await openTestApp('sqlite');
  local = await listen(app, { localOnly: true, corsOrigins: ['http://dashboard.example'] });
  usual = await listen(app, { corsOrigins: ['*'] });
});
afterAll(async () => {
  await local.close();
  await usual.close();
  await app.close();
});

/** fetch sets `Host` itself. */
const ask = (path: string, headers: Record<string, string>, method = 'GET') =>
  new Promise<number>((resolve, reject) => {
    const sent = rawRequest(`${local.url}${path}`, { method, headers }, (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    sent.on('error', reject).end();
  });

describe('a server for this machine only', () => {
  const PATHS = ['/health', '/api/v1/entries', '/api/v1/stream', '/mcp', '/docs', '/metrics', '/nowhere'];

  it.each([
    [{ host: 'evil.example' }],
    [{ host: 'evil.example:8080' }],
    [{ host: 'localhost.evil.example' }],
    [{ host: '10.0.0.1' }],
    [{ origin: 'https://evil.example' }],
    [{ origin: 'null' }],
    [{ origin: 'http://localhost:3000' }],
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
    [{ 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' }],
  ])('refuses %j on every route, the stream and MCP', async (headers) => {
    for (const path of PATHS) expect(await ask(path, headers as never), path).toBe(403);
    expect(await ask('/api/v1/entries', headers as never, 'POST')).toBe(403);
    expect(await ask('/api/v1/entries', headers as never, 'OPTIONS')).toBe(403);
  });

  it.each([
    [{ origin: 'https://evil.example' }, 'origin_not_allowed'],
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }, 'origin_not_allowed'],
    [{ host: 'evil.example' }, 'host_not_allowed'],
  ])('says what it refuses of %j, and speaks of no key', async (headers, code) => {
    const text = await new Promise<string>((resolve, reject) => {
      const sent = rawRequest(`${local.url}/health`, { headers: headers as never }, async (response) =>
        resolve(Buffer.concat(await response.toArray()).toString()),
      );
      sent.on('error', reject).end();
    });
    expect(JSON.parse(text)).toMatchObject({ code, status: 403, title: expect.not.stringContaining('key') });
  });

  it('admits programs, its own pages, listed origins and links', async () => {
    const { host } = new URL(local.url);
    for (const headers of [
      {},
      { host: 'localhost:8080' },
      { host: '[::1]:8080' },
      { origin: `http://${host}` },
      { origin: 'http://dashboard.example' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
      { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' },
    ])
      expect(await ask('/health', headers as never), JSON.stringify(headers)).toBe(200);
  });

  it('mem serve --local listens on loopback and admits no page, whatever the variables say of addresses and *', () => {
    expect(localOnly(readConfig({})).http).toMatchObject({ host: '127.0.0.1', corsOrigins: [], localOnly: true });
    const given = readConfig({ MEM_HTTP_HOST: '10.1.2.3', MEM_CORS_ORIGINS: '*,http://a.example' });
    expect(localOnly(given).http).toMatchObject({ host: '127.0.0.1', corsOrigins: ['http://a.example'] });
    expect(localOnly(readConfig({ MEM_HTTP_HOST: '::1' })).http.host).toBe('::1');
    expect(readConfig({}).http).toMatchObject({ host: '0.0.0.0', corsOrigins: ['*'], localOnly: false });
  });

  it('who can use a server is said in one plain line', () => {
    const lines = [
      { loopback: false, needsKey: false, origins: ['*'] },
      { loopback: true, needsKey: false, origins: ['*'] },
      { loopback: true, needsKey: false, origins: [] },
      { loopback: false, needsKey: true, origins: ['https://app.example'] },
    ].map(describeAdmission);
    expect(lines).toEqual([
      'every machine that can reach this one and every web page in a browser here, without a key. Only this machine: mem serve --local',
      'every program on this machine and every web page in a browser here, without a key. Only this machine: mem serve --local',
      'every program on this machine; no web page of another origin',
      'every machine that can reach this one and web pages of https://app.example, with a key',
    ]);
  });
});

describe('a page of another origin in a browser', () => {
  const newPage = useBrowser();

  /** A page of one server that uses another one, as a script on it would. */
  async function attack(target: string): Promise<{ read: boolean; written: boolean; streamed: boolean }> {
    const { page } = await newPage();
    // A page without a policy of its own.
    await page.goto(`${usual.url}/health`);
    const result = await page.evaluate(async (url: string) => {
      const read = await fetch(`${url}/api/v1/entries`).then(
        (answer) => answer.ok,
        () => false,
      );
      const body = JSON.stringify({ entity_path: 'attack', key: new URL(url).port, value: 'written by a page' });
      const headers = { 'content-type': 'application/json' };
      await fetch(`${url}/api/v1/entries`, { method: 'POST', headers, body }).catch(() => {});
      await fetch(`${url}/api/v1/entries`, { method: 'POST', mode: 'no-cors', body }).catch(() => {});
      const streamed = await new Promise<boolean>((resolve) => {
        const source = new (
          globalThis as never as { EventSource: new (at: string) => { onopen: unknown; onerror: unknown } }
        ).EventSource(`${url}/api/v1/stream`);
        source.onopen = () => resolve(true);
        source.onerror = () => resolve(false);
      });
      return { read, streamed };
    }, target);
    await page.close();
    const key = new URL(target).port;
    const { entries } = await app.call('entries.list', { entity_path: 'attack' });
    return { ...result, written: entries.some((entry) => entry.key === key) };
  }

  it('reads and writes on the defaults, and does neither with --local', async () => {
    const other = await listen(app, { corsOrigins: ['*'] });
    expect(await attack(other.url)).toEqual({ read: true, written: true, streamed: true });
    await other.close();
    expect(await attack(local.url)).toEqual({ read: false, written: false, streamed: false });
  });
});
