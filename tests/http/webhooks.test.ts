import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { hostOf } from '../support/connectors.ts';
import { deliver, SECRET, type SentDelivery, signatureOf, testConnector } from '../support/deliveries.ts';
import { readRaw, sendRaw } from '../support/wire.ts';

const BUILD = { id: 'd-1', event_type: 'build', name: 'nightly', state: 'failed' };
let count = 0;
const newBuild = (more: object = {}) => JSON.stringify({ ...BUILD, id: `n-${++count}`, ...more });

const connectors = () =>
  hostOf(
    testConnector(),
    testConnector({ manifest: { name: 'rotating' }, secrets: ['the new secret', 'the old secret'] }),
    testConnector({ manifest: { name: 'bare' }, secrets: [] }),
    testConnector({ manifest: { name: 'open' }, secrets: [], unsigned: true }),
    testConnector({ manifest: { name: 'asking' }, missing_variables: ['MEM_CONNECTOR_ASKING_REGION'] }),
    testConnector({ manifest: { name: 'small' }, webhook: { max_payload_bytes: 200 } }),
    testConnector({
      manifest: { name: 'failing' },
      connector: {
        identify: () => {
          throw new Error('a fault of its author');
        },
      },
    }),
    testConnector({
      manifest: { name: 'timed' },
      connector: { validate_signature: () => 'X-Timed-At is older than 5 minutes' },
    }),
  );

describe.each(backends)('webhooks on %s', (backend) => {
  let app: TestApp;
  let server: TestServer;
  beforeAll(async () => {
    app = await openTestApp(backend, { connectors: connectors() });
    server = await listen(app);
  });
  afterAll(async () => {
    await server.close();
    await app.close();
  });

  const eventsOf = async () => (await app.call('events.list', { limit: 1000 })).events.length;

  it('a signed delivery is stored, and its retry is a duplicate', async () => {
    const body = JSON.stringify(BUILD);
    const first = await deliver(server.url, body);
    expect(first.status).toBe(202);
    expect(first.json).toMatchObject({
      ...{ duplicate: false, id: 'd-1', event_type: 'build' },
      results: [{ operation: 'write', entity_path: 'example/builds', key: 'nightly', version: 1, status: 'written' }],
    });
    const again = await deliver(server.url, body);
    expect(again.status).toBe(200);
    expect(again.json).toMatchObject({ duplicate: true, id: 'd-1' });
    const entry = await app.call('entries.read', { entity_path: 'example/builds', key: 'nightly' });
    expect(entry).toMatchObject({ value: { state: 'failed' }, version: 1 });
    expect(entry.provenance.agent_id).toBe('webhook/example');
  });

  it('a type of event without a transform, or one that fails, is kept as it came', async () => {
    expect((await deliver(server.url, newBuild({ event_type: 'other' }))).json).toMatchObject({
      results: [{ status: 'raw' }],
    });
    expect((await deliver(server.url, newBuild({ state: 'odd' }))).json).toMatchObject({
      results: [{ status: 'raw' }],
      reason: expect.stringContaining('this state is odd'),
    });
  });

  it('a question of the sender is answered and not stored', async () => {
    const before = await eventsOf();
    const { status, json } = await deliver(server.url, JSON.stringify({ challenge: 'c' }));
    expect({ status, json }).toEqual({ status: 200, json: { challenge: 'c' } });
    expect(await eventsOf()).toBe(before);
  });

  it('bodies of senders are read, whatever valid JSON they hold', async () => {
    const before = await eventsOf();
    const odd = [
      newBuild({ state: '\ud800' }),
      newBuild({ state: '\u0000' }),
      newBuild({ id: '\u0000' }),
      newBuild({ id: 'x'.repeat(20_000) }),
      newBuild({ event_type: '\u0007' }),
      newBuild({ name: '' }),
      newBuild().replace('{', '{"n":12345678901234567890,"m":1e400,"n":1,'),
      `[${newBuild()}]`,
      newBuild({ __proto__x: 1 }).replace('__proto__x', '__proto__'),
    ];
    for (const body of odd) expect((await deliver(server.url, body)).status).toBe(202);
    expect(await eventsOf()).toBe(before + odd.length);
  });

  it('form fields are read as GitHub and Slack send them', async () => {
    const type = 'application/x-www-form-urlencoded; charset=utf-8';
    const form = new URLSearchParams({ payload: newBuild({ name: 'by form' }) }).toString();
    expect((await deliver(server.url, form, { type })).json).toMatchObject({ results: [{ key: 'by form' }] });
    const fields = new URLSearchParams({ event_type: 'build', id: 'f-1', name: 'by fields', state: 'ok' }).toString();
    expect((await deliver(server.url, fields, { type })).json).toMatchObject({ results: [{ key: 'by fields' }] });
  });

  it('mutated bodies with a right signature are refused or stored, and nothing else', async () => {
    const text = Buffer.from(newBuild({ state: 'ünïcode', list: [1, { a: null }] }));
    const mutated = fc.oneof(
      fc.nat(text.length).map((at) => text.subarray(0, at)),
      fc
        .tuple(fc.nat(text.length - 1), fc.nat(255))
        .map(([at, byte]) => Buffer.concat([text.subarray(0, at), Buffer.from([byte]), text.subarray(at + 1)])),
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      fc.json().map((json) => Buffer.from(json)),
    );
    const type = fc.constantFrom('application/json', 'application/x-www-form-urlencoded', 'text/plain', false as const);
    await fc.assert(
      fc.asyncProperty(mutated, type, async (body, type) => {
        const before = await eventsOf();
        const { status } = await deliver(server.url, body, { type });
        expect([200, 202, 400, 415, 422]).toContain(status);
        expect(await eventsOf()).toBe(before + (status === 202 ? 1 : 0));
      }),
      { numRuns: 60 },
    );
  });
});

describe('a delivery that is refused', () => {
  let app: TestApp;
  let server: TestServer;
  beforeAll(async () => {
    app = await openTestApp('sqlite', { connectors: connectors() });
    server = await listen(app);
  });
  afterAll(async () => {
    expect((await app.call('events.list', {})).events).toEqual([]);
    await server.close();
    await app.close();
  });

  const deep = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;

  it.each([
    ['an unknown connector', newBuild(), { connector: 'nobody' }, 404, 'connector_not_found'],
    ['a connector with a name that is none', newBuild(), { connector: '%00__proto__' }, 404, 'connector_not_found'],
    ['a connector without a secret', newBuild(), { connector: 'bare' }, 503, 'connector_not_configured'],
    ['a connector without its variables', newBuild(), { connector: 'asking' }, 503, 'connector_not_configured'],
    ['another secret', newBuild(), { secret: 'wrong' }, 401, 'invalid_signature'],
    ['no signature', newBuild(), { headers: { 'x-example-signature': '' } }, 401, 'invalid_signature'],
    [
      'a signature that is none',
      newBuild(),
      { headers: { 'x-example-signature': 'sha256=zz' } },
      401,
      'invalid_signature',
    ],
    ['an old time', newBuild(), { connector: 'timed' }, 401, 'invalid_signature'],
    ['a connector that fails', newBuild(), { connector: 'failing' }, 503, 'unavailable'],
    ['two megabytes', 'x'.repeat(2_000_000), {}, 413, 'body_too_large'],
    ['more than its connector takes', 'x'.repeat(201), { connector: 'small' }, 413, 'body_too_large'],
    ['nothing', '', {}, 400, 'invalid_json'],
    ['half of it', newBuild().slice(0, 20), {}, 400, 'invalid_json'],
    ['no JSON', 'hello', {}, 400, 'invalid_json'],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), {}, 400, 'invalid_json'],
    ['a NUL', '{"a":"\u0000"}', {}, 400, 'invalid_json'],
    ['a number', '1', {}, 422, 'invalid_input'],
    ['null', 'null', {}, 422, 'invalid_input'],
    ['deep nesting', deep(10_000), {}, 422, 'invalid_input'],
    ['deep nesting of a large body', deep(200_000), {}, 422, 'invalid_input'],
    ['too many members', `{${'"a":1,'.repeat(60_000)}"b":2}`, {}, 413, 'body_too_large'],
    ['gzip', gzipSync(newBuild()), { headers: { 'content-encoding': 'gzip' } }, 415, 'unsupported_media_type'],
    ['gzip that is not declared', gzipSync(newBuild()), {}, 400, 'invalid_json'],
    ['no type', newBuild(), { type: false }, 415, 'unsupported_media_type'],
    ['another type', newBuild(), { type: 'text/plain' }, 415, 'unsupported_media_type'],
    ['an empty form', '', { type: 'application/x-www-form-urlencoded' }, 422, 'invalid_input'],
    ['a form of many fields', 'a=&'.repeat(2000), { type: 'application/x-www-form-urlencoded' }, 422, 'invalid_input'],
    ['a form with a broken payload', 'payload=%7B', { type: 'application/x-www-form-urlencoded' }, 400, 'invalid_json'],
  ] as const)('for %s', async (_, ...row) => {
    const [body, sent, status, code] = row as unknown as [string | Buffer, SentDelivery, number, string];
    const answer = await deliver(server.url, body, sent);
    expect({ status: answer.status, code: answer.json.code }).toEqual({ status, code });
  });

  it('names what is wrong', async () => {
    const detail = async (body: string, sent: object) => (await deliver(server.url, body, sent)).json.detail;
    expect(await detail('{}', { connector: 'bare' })).toContain('MEM_CONNECTOR_BARE_SECRET');
    expect(await detail('{}', { connector: 'asking' })).toContain('MEM_CONNECTOR_ASKING_REGION');
    expect(await detail('{}', { connector: 'timed' })).toBe('X-Timed-At is older than 5 minutes');
    expect(await detail('{}', { secret: 'x' })).toBe('X-Example-Signature does not fit the body and the secret');
    expect(await detail('{}', { type: 'text/plain' })).toContain(
      'application/json or application/x-www-form-urlencoded',
    );
    expect(await detail('x'.repeat(300), { connector: 'small' })).toContain('200 bytes');
  });

  it('is refused for its size before its signature, and for its signature before its type', async () => {
    const wrong = { secret: 'wrong', type: 'text/plain' };
    expect((await deliver(server.url, 'x'.repeat(300), { ...wrong, connector: 'small' })).status).toBe(413);
    expect((await deliver(server.url, 'x', wrong)).status).toBe(401);
    expect((await deliver(server.url, 'x'.repeat(300), { ...wrong, connector: 'bare' })).status).toBe(503);
  });

  it('is counted while it is read, also in chunks', async () => {
    const chunk = `64\r\n${'x'.repeat(100)}\r\n`;
    const head =
      'POST /api/v1/webhooks/small HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n';
    const { status, body } = readRaw(await sendRaw(server.url, `${head}${chunk.repeat(50)}0\r\n\r\n`));
    expect(status).toBe(413);
    expect(JSON.parse(body)).toMatchObject({ code: 'body_too_large', max_payload_bytes: 200 });
  });

  it('may break off in the middle, without harm to others', async () => {
    const head = 'POST /api/v1/webhooks/example HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"a"';
    const { hostname, port } = new URL(server.url);
    const { connect } = await import('node:net');
    const socket = connect(Number(port), hostname, () => socket.write(head, () => socket.destroy()));
    await new Promise((resolve) => socket.on('close', resolve));
    expect((await deliver(server.url, '1')).status).toBe(422);
  });

  it.each(['GET', 'PUT', 'PATCH', 'DELETE'])('%s is not taken, and its answer has no key in it', async (method) => {
    const token = `mem_sk_${randomBytes(30).toString('hex')}`;
    for (const path of [`example/${token}`, `example/${token}/`, `example/${token}/more`]) {
      const response = await fetch(`${server.url}/api/v1/webhooks/${path}`, { method });
      expect([404, 405]).toContain(response.status);
      expect(await response.text()).not.toContain(token);
    }
  });
});

describe('secrets', () => {
  let app: TestApp;
  let server: TestServer;
  beforeAll(async () => {
    app = await openTestApp('sqlite', { connectors: connectors() });
    server = await listen(app, { trustedProxies: ['127.0.0.1'], apiKeys: ['a key of the tests'] });
  });
  afterAll(async () => {
    await server.close();
    await app.close();
  });

  it('may be two while one replaces the other', async () => {
    const by = async (secret: string) =>
      (await deliver(server.url, newBuild(), { connector: 'rotating', secret })).status;
    expect(await by('the new secret')).toBe(202);
    expect(await by('the old secret')).toBe(202);
    expect(await by(SECRET)).toBe(401);
  });

  it('a signature stands for a key, but a key that is sent must be right', async () => {
    expect((await deliver(server.url, newBuild())).status).toBe(202);
    expect((await deliver(server.url, newBuild(), { headers: { 'x-mem-api-key': 'wrong' } })).status).toBe(401);
    const headers = { authorization: 'Bearer a key of the tests' };
    expect((await deliver(server.url, newBuild(), { headers: { 'x-mem-api-key': 'a key of the tests' } })).status).toBe(
      202,
    );
    expect((await deliver(server.url, newBuild(), { headers })).status).toBe(401);
  });

  it('the name of a header may be in any case', async () => {
    const body = newBuild();
    const head = [
      'POST /api/v1/webhooks/example HTTP/1.1',
      'Host: x',
      'Connection: close',
      'CONTENT-TYPE: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-EXAMPLE-SIGNATURE: ${signatureOf(body)}`,
    ];
    expect(readRaw(await sendRaw(server.url, `${head.join('\r\n')}\r\n\r\n${body}`)).status).toBe(202);
  });

  it('a connector without one takes deliveries of this machine, if that is asked for', async () => {
    const unsigned = { connector: 'open', headers: { 'x-example-signature': '' } };
    expect((await deliver(server.url, newBuild(), unsigned)).status).toBe(202);
  });

  it.each([
    ['x-forwarded-for', '127.0.0.1'],
    ['x-forwarded-host', 'mem.example'],
    ['forwarded', 'for=127.0.0.1'],
    ['x-real-ip', '127.0.0.1'],
    ['via', '1.1 proxy'],
    ['cf-connecting-ip', '127.0.0.1'],
    ['origin', 'https://example.com'],
    ['sec-fetch-site', 'cross-site'],
  ])('a proxy or a browser of this machine (%s) is not this machine', async (name, value) => {
    const { status, json } = await deliver(server.url, newBuild(), { connector: 'open', headers: { [name]: value } });
    expect({ status, code: json.code }).toEqual({ status: 503, code: 'connector_not_configured' });
  });
});
