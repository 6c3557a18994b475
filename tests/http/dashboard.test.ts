import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../packages/server/src/config.ts';
import { firstScreen } from '../../packages/server/src/first-screen.ts';
import { listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { builtDashboard } from '../support/dashboard.ts';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const BROWSER = 'text/html,application/xhtml+xml,*/*;q=0.8';

type Got = { status: number; headers: Record<string, string | undefined>; body: Buffer };

let folder: string;
let app: TestApp;
let server: TestServer;
beforeAll(async () => {
  [folder, app] = await Promise.all([builtDashboard(), openTestApp('sqlite')]);
  server = await listen(app, { dashboard: folder });
});
afterAll(async () => {
  await server.close();
  await app.close();
});

/** As it is on the wire: fetch would take the encoding off. */
const get = (path: string, headers: Record<string, string> = {}, { url } = server): Promise<Got> =>
  new Promise((resolve, reject) => {
    const asked = request(url + path, { headers: { accept: BROWSER, ...headers } }, async (answer) =>
      resolve({
        status: answer.statusCode ?? 0,
        headers: answer.headers as Got['headers'],
        body: Buffer.concat(await answer.toArray()),
      }),
    );
    asked.on('error', reject).end();
  });

const assets = () => readdirSync(folder).filter((name) => /-[A-Z0-9]{8}\.(js|css|svg|png)$/.test(name));
const namedIn = (html: string) => [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map((match) => match[1] as string);

describe('the dashboard', () => {
  it('is what browsers get at the address of the service', async () => {
    const { status, headers, body } = await get('/');
    expect(status).toBe(200);
    expect(body.toString()).toBe(readFileSync(join(folder, 'index.html'), 'utf8'));
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'cache-control': 'no-cache',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      vary: 'Accept, Accept-Encoding',
    });
    expect(headers).not.toHaveProperty('set-cookie');
  });

  it('has nothing inline, and names its files relative to itself', async () => {
    const html = (await get('/')).body.toString();
    expect(html).not.toMatch(/<style|style=|\son\w+=|<script(?![^>]*\ssrc=)|<base/);
    const named = namedIn(html).filter((one) => !one.startsWith('data:'));
    expect(named.length).toBeGreaterThan(1);
    for (const path of named) {
      expect(path).toMatch(/^\.\/(docs$|dashboard\/[\w-]+-[A-Z0-9]{8}\.\w+$)/);
      expect((await get(path.slice(1))).status).toBe(200);
    }
  });

  it('is asked for again by its ETag, in each encoding', async () => {
    for (const encoding of ['identity', 'gzip', 'br']) {
      const first = await get('/', { 'accept-encoding': encoding });
      const again = { 'accept-encoding': encoding, 'if-none-match': `"other", W/${first.headers.etag}` };
      expect(await get('/', again)).toMatchObject({
        status: 304,
        body: Buffer.alloc(0),
        headers: { etag: first.headers.etag },
      });
      expect((await get('/', { ...again, 'if-none-match': '"other"' })).status).toBe(200);
    }
  });

  it('has files with hashed names that browsers keep, with their types', async () => {
    expect(assets().length).toBeGreaterThan(0);
    const types: Record<string, string> = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' };
    for (const name of assets()) {
      const { status, headers, body } = await get(`/dashboard/${name}`);
      expect({ name, status }).toEqual({ name, status: 200 });
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(headers['x-content-type-options']).toBe('nosniff');
      const [end = ''] = name.split('.').slice(-1);
      if (end in types) expect(headers['content-type']).toBe(types[end]);
      expect(body).toEqual(readFileSync(join(folder, name)));
    }
  });

  it('is sent as small as the browser takes it', async () => {
    const [name = ''] = assets().filter((one) => /^main-.*\.js$/.test(one));
    const plain = readFileSync(join(folder, name));
    for (const [accepted, encoding, unpack] of [
      ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
      ['gzip;q=1.0, br;q=0', 'gzip', gunzipSync],
      ['GZIP', 'gzip', gunzipSync],
      ['deflate', undefined, (bytes: Buffer) => bytes],
      ['br; q=0.0, gzip ;q=0', undefined, (bytes: Buffer) => bytes],
    ] as const) {
      const { headers, body } = await get(`/dashboard/${name}`, { 'accept-encoding': accepted });
      expect(headers['content-encoding']).toBe(encoding);
      expect(headers.vary).toContain('Accept-Encoding');
      expect(unpack(body).equals(plain)).toBe(true);
      if (encoding) expect(body.length).toBeLessThan(plain.length / 2);
    }
  });

  it('leaves to programs what they got before, and tells them of it', async () => {
    for (const accept of ['application/json', '*/*', '']) {
      const { headers, body } = await get('/', { accept });
      expect(headers['content-type']).toBe('application/json; charset=utf-8');
      expect(JSON.parse(body.toString())).toMatchObject({
        name: 'mem',
        dashboard: `${server.url}/`,
        docs: `${server.url}/docs`,
      });
    }
  });

  it('is linked with the documentation in both directions', async () => {
    expect(namedIn((await get('/docs')).body.toString())).toContain('./');
    expect(namedIn((await get('/')).body.toString())).toContain('./docs');
  });

  it('is found by its name too, below any path', async () => {
    expect(await get('/dashboard')).toMatchObject({ status: 302, headers: { location: './' } });
    expect(await get('/dashboard/')).toMatchObject({ status: 302, headers: { location: '../' } });
  });

  it('shows no other file, and takes no other method', async () => {
    for (const path of [
      'THIRD-PARTY-LICENSES.txt',
      'index.html',
      '..%2fpackage.json',
      '%2e%2e/package.json',
      'main.js',
    ])
      expect((await get(`/dashboard/${path}`)).status, path).toBe(404);
    const [name] = assets();
    for (const path of ['/', `/dashboard/${name}`]) {
      const refused = await fetch(server.url + path, { method: 'POST' });
      expect({ path, status: refused.status, allow: refused.headers.get('allow') }).toMatchObject({ status: 405 });
    }
    const head = await fetch(`${server.url}/dashboard/${name}`, { method: 'HEAD' });
    expect({ status: head.status, text: await head.text() }).toEqual({ status: 200, text: '' });
  });

  it('needs no key where keys are required, as it holds nothing of what is stored', async () => {
    const locked = await listen(app, { dashboard: folder, apiKeys: ['a-key-of-the-test'] });
    const hosted = await listen(app, { dashboard: folder, hosted: true, internalKey: 'internal-key-of-the-tests' });
    for (const one of [locked, hosted]) {
      expect((await get('/', {}, one)).status).toBe(200);
      for (const name of assets()) expect((await get(`/dashboard/${name}`, {}, one)).status).toBe(200);
      expect((await get('/api/v1/entries', {}, one)).status).toBe(401);
      await one.close();
    }
  });

  it('is kept to this machine where the server is', async () => {
    const local = await listen(app, { dashboard: folder, localOnly: true, corsOrigins: [] });
    const [name] = assets();
    for (const path of ['/', `/dashboard/${name}`]) {
      expect((await get(path, {}, local)).status).toBe(200);
      expect((await get(path, { host: 'evil.example' }, local)).status).toBe(403);
      expect((await get(path, { origin: 'https://evil.example' }, local)).status).toBe(403);
    }
    await local.close();
  });

  it('can be turned off: browsers are led to the documentation then', async () => {
    expect([readConfig({}).dashboard, readConfig({ MEM_DASHBOARD: 'off' }).dashboard]).toEqual([true, false]);
    expect(() => readConfig({ MEM_DASHBOARD: 'no' })).toThrow('MEM_DASHBOARD must be on or off');
    const off = await listen(app);
    const { headers, body } = await get('/', {}, off);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(namedIn(body.toString())).toContain('./docs');
    expect(namedIn((await get('/docs', {}, off)).body.toString())).not.toContain('./');
    expect(JSON.parse((await get('/', { accept: '*/*' }, off)).body.toString())).not.toHaveProperty('dashboard');
    for (const name of assets()) expect((await get(`/dashboard/${name}`, {}, off)).status).toBe(404);
    await off.close();
    const screen = firstScreen(readConfig({ MEM_DASHBOARD: 'off' }), { port: 1, storedKeys: 0, elsewhere: undefined });
    expect(screen).not.toContain('dashboard');
  });
});
