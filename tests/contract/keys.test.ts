import { operations } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listen, openTestApp, type TestApp, type TestServer, useServer } from '../support/app.ts';
import { addresses, type HttpRequest, labelled, requestFor, send } from '../support/wire.ts';
import { markedInput } from './table.ts';

const KEY = 'mem_sk_right-key-of-the-test';
/** Where there is one account, the signature of a delivery stands for a key. */
const closed = labelled(addresses.filter(({ name }) => !operations[name].open && !operations[name].http.webhook));
const open = labelled(addresses.filter(({ name }) => operations[name].open));

describe('where keys are configured', () => {
  let app: TestApp;
  let server: TestServer;
  beforeAll(async () => {
    app = await openTestApp('sqlite');
    server = await listen(app, { apiKeys: ['another-key-of-the-test', KEY] });
  });
  afterAll(async () => {
    await server.close();
    await app.close();
  });

  async function expectRefusal(sent: HttpRequest): Promise<void> {
    const { status, headers, json } = await send(server.url, sent);
    expect(status).toBe(401);
    expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(headers.get('www-authenticate')).toBe('Bearer');
    expect(json).toMatchObject({ status: 401, code: 'unauthenticated', type: 'urn:mem:error:unauthenticated' });
  }

  it.each(closed)('%s is refused without a key, and with a wrong one', async (_, address) => {
    const sent = requestFor(address, markedInput(address.name, 'keys'));
    await expectRefusal(sent);
    await expectRefusal({ ...sent, headers: { 'x-mem-api-key': 'mem_sk_wrong' } });
    await expectRefusal({ ...sent, headers: { 'x-mem-api-key': '' } });
    await expectRefusal({ ...sent, headers: { authorization: `Bearer ${KEY}x` } });
    await expectRefusal({ ...sent, headers: { authorization: `Basic ${KEY}` } });
    await expectRefusal({ ...sent, headers: { 'x-mem-api-key': `${KEY}, ${KEY}` } });
  });

  it.each(closed)('%s is answered with a key in either header', async (_, address) => {
    const sent = requestFor(address, markedInput(address.name, 'keys'));
    for (const headers of [
      { 'x-mem-api-key': KEY },
      { authorization: `Bearer ${KEY}` },
      { authorization: `bearer ${KEY}` },
    ])
      expect((await send(server.url, { ...sent, headers: headers as never })).status).not.toBe(401);
  });

  it('a request without a key is refused before anything else about it is judged', async () => {
    await expectRefusal({
      method: 'POST',
      path: '/api/v1/entries',
      body: '{',
      headers: { 'content-type': 'text/plain' },
    });
    await expectRefusal({ method: 'POST', path: '/api/v1/entries', body: 'x'.repeat(9 * 1024 * 1024) });
    await expectRefusal({ method: 'PUT', path: '/api/v1/entries' });
    await expectRefusal({ method: 'GET', path: '/api/v1/entries/%FF/x' });
    await expectRefusal({ method: 'GET', path: '/api/v1/entries/only-a-path' });
  });

  it.each(['/openapi.json', '/metrics', '/nowhere', '/api/v1', '/api/v2/entries', '/doc', '/healthz'])(
    '%s needs a key, whether it is there or not',
    async (path) => {
      await expectRefusal({ method: 'GET', path });
      await expectRefusal({ method: 'HEAD', path }).catch(async () => {
        expect((await send(server.url, { method: 'HEAD', path })).status).toBe(401);
      });
      expect((await send(server.url, { method: 'GET', path, headers: { 'x-mem-api-key': KEY } })).status).not.toBe(401);
    },
  );

  it.each(open)('%s answers without a key', async (_, address) => {
    const { status } = await send(server.url, requestFor(address, markedInput(address.name, 'keys')));
    expect(status).toBe(200);
  });

  it.each(['/', '/docs', '/docs/start.js', '/docs/openapi.json', '/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js'])(
    '%s is shown without a key',
    async (path) => {
      expect((await send(server.url, { method: 'GET', path })).status).toBe(200);
    },
  );

  it('a browser may ask what is allowed without a key', async () => {
    const { status } = await send(server.url, {
      method: 'OPTIONS',
      path: '/api/v1/entries',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
    });
    expect(status).toBe(204);
  });
});

describe('where no keys are configured', () => {
  const server = useServer('sqlite');

  it.each(closed)('%s is answered without one', async (_, address) => {
    const { status } = await send(server.url, requestFor(address, markedInput(address.name, 'keys')));
    expect(status).not.toBe(401);
  });
});
