import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { readRaw, send, sendRaw } from '../support/wire.ts';

const KEY = 'a-key-of-the-test';
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('the page at the address of the service', () => {
  let app: TestApp;
  let open: TestServer;
  let locked: TestServer;
  beforeAll(async () => {
    app = await openTestApp('sqlite');
    [open, locked] = await Promise.all([listen(app), listen(app, { apiKeys: [KEY] })]);
    await app.call('entries.write', { entity_path: 'very/secret', key: 'plan', value: 'hidden' });
  });
  afterAll(async () => {
    await Promise.all([open.close(), locked.close()]);
    await app.close();
  });
  const get = (server: TestServer, headers: Record<string, string> = BROWSER) =>
    send(server.url, { method: 'GET', path: '/', headers });

  it('tells people what this is, and leads them on', async () => {
    const { status, headers, text } = await get(open);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    const linked = [...text.matchAll(/href="\.(\/[^"]*)"/g)].map((match) => match[1] as string);
    expect(linked).toEqual(['/docs', '/health']);
    for (const path of linked) expect((await send(open.url, { method: 'GET', path })).status).toBe(200);
    for (const part of ['Memory for software agents', `${open.url}/mcp`, 'npx @mem-service/cli init', 'wants no key'])
      expect(text).toContain(part);
  });

  it('shows requests that work as they are', async () => {
    const { text } = await get(open);
    const shown = (/<pre><code>([\s\S]*)<\/code>/.exec(text)?.[1] ?? '').replaceAll('&quot;', '"');
    const [, write = '', body = '', read = ''] = /curl (\S+)[\s\S]*-d '(.*)'\ncurl (\S+)/.exec(shown) ?? [];
    const written = await send('', { method: 'POST', path: write, body });
    expect(written.status).toBe(201);
    expect((await send('', { method: 'GET', path: read })).json.value).toBe('three attempts');
  });

  it('names the modules that are installed, so that nobody has to try', async () => {
    const bare = await openTestApp('sqlite', { modules: [] });
    const small = await listen(bare);
    const [all, fewer] = await Promise.all([open, small].map((one) => get(one, { accept: 'application/json' })));
    expect(all?.json.modules).toEqual(expect.arrayContaining(['entries', 'traces', 'branches', 'trace-navigation']));
    expect(fewer?.json.modules).toEqual(expect.arrayContaining(['entries', 'traces']));
    expect(fewer?.json.modules).not.toContain('branches');
    await small.close();
    await bare.close();
  });

  it('gives programs the same as JSON', async () => {
    for (const accept of ['application/json', '*/*']) {
      const { headers, json } = await get(open, { accept });
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(headers.get('vary')).toContain('Accept');
      expect(json).toMatchObject({ name: 'mem', docs: `${open.url}/docs`, mcp: `${open.url}/mcp`, needs_key: false });
    }
  });

  it('needs no key where keys are configured, and tells nothing of what is stored', async () => {
    for (const accept of [BROWSER.accept, 'application/json']) {
      const { status, text } = await get(locked, { accept });
      expect(status).toBe(200);
      expect(text).not.toMatch(/secret|hidden|plan/);
      expect(text).not.toContain(KEY);
    }
    const { text } = await get(locked);
    expect(text).toContain('X-MEM-API-Key: $MEM_API_KEY');
    expect(text).toContain('wants an API key');
  });

  it('loads nothing, runs no script, and may not be framed', async () => {
    const { headers, text } = await get(open);
    expect(text).not.toMatch(/<script|src=|url\(|@import/);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('repeats no address that is none', async () => {
    const request = `GET / HTTP/1.1\r\nHost: x"><b>y\r\nAccept: text/html\r\nConnection: close\r\n\r\n`;
    const { body } = readRaw(await sendRaw(open.url, request));
    expect(body).not.toContain('<b>');
  });
});
