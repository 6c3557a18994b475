import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, type SharedServer, useServer } from '../support/app.ts';
import { get, type Hosted, openHosted, post } from '../support/hosted.ts';

const EVENTS = '/api/v1/events';
const CLOUD = 'application/cloudevents+json';
const BATCH = 'application/cloudevents-batch+json';

let count = 0;
const cloudEvent = (more: object = {}) => ({
  specversion: '1.0',
  id: `ce-${++count}`,
  source: '/ci/builds',
  type: 'build.failed',
  subject: 'checkout/builds/nightly',
  time: '2026-01-31T12:00:00Z',
  data: { number: 12 },
  ...more,
});

type SentBody = { type?: string | false; headers?: Record<string, string>; path?: string };

async function sendTo(url: string, body: string | Buffer, { type = 'application/json', headers, path }: SentBody = {}) {
  const response = await fetch(url + (path ?? EVENTS), {
    method: 'POST',
    body: new Uint8Array(Buffer.from(body)),
    headers: { ...(type === false ? {} : { 'content-type': type }), ...headers },
  });
  const text = await response.text();
  return { status: response.status, text, json: JSON.parse(text) };
}

describe.each(backends)('events on %s', (backend) => {
  const shared: SharedServer = useServer(backend);
  const send = (body: unknown, sent?: SentBody) => sendTo(shared.url, JSON.stringify(body), sent);
  const read = (entity_path: string, key: string) => shared.app.call('entries.read', { entity_path, key });

  it('an event is sent in the form of the service', async () => {
    const event = { source: 'ci', entity_path: 'own/builds', key: 'last', value: 1, event_type: 'build', id: 'own-1' };
    expect(await send(event)).toMatchObject({ status: 201, json: { duplicate: false, sender: 'external/ci' } });
    expect(await send(event)).toMatchObject({ status: 200, json: { duplicate: true } });
  });

  it('many are sent to the same address, each accepted or refused by itself', async () => {
    const event = (key: string) => ({ source: 'ci', entity_path: 'many/builds', key, value: 1 });
    const { status, json } = await send({ events: [event('one'), { source: 'ci' }, event('two')] });
    expect(status).toBe(200);
    expect(json).toMatchObject({ accepted: 2, rejected: 1, results: [{}, { index: 1, error: { status: 422 } }, {}] });
  });

  it('a CloudEvent in structured mode is mapped', async () => {
    const event = cloudEvent();
    const { status, json } = await send(event, { type: `${CLOUD}; charset=utf-8` });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      ...{ duplicate: false, event_type: 'build.failed', sender: 'external/ci/builds' },
      id: expect.stringMatching(new RegExp(`^${event.id}@[0-9a-f]{16}$`)),
      ...{ entity_path: 'checkout/builds', key: 'nightly', occurred_at: '2026-01-31T12:00:00.000Z' },
    });
    expect((await read('checkout/builds', 'nightly')).value).toEqual({ number: 12 });
    expect(await send(event, { type: CLOUD })).toMatchObject({ status: 200, json: { duplicate: true } });
  });

  it('sources of one name count their events apart', async () => {
    const sources = ['apart/ci', '/apart/ci', 'https://apart/ci', 'apart//ci', 'apart/./ci'];
    for (const source of sources) {
      const event = cloudEvent({ id: 'same', source, subject: 'apart/builds/last' });
      expect(await send(event, { type: CLOUD })).toMatchObject({ status: 201, json: { sender: 'external/apart/ci' } });
      expect(await send(event, { type: CLOUD })).toMatchObject({ status: 200, json: { duplicate: true } });
    }
  });

  it('data keeps its exact numbers', async () => {
    const text = JSON.stringify(cloudEvent({ subject: 'exact/a', data: 'DATA' }));
    await sendTo(shared.url, text.replace('"DATA"', '{"n":12345678901234567890,"m":1.0}'), { type: CLOUD });
    const response = await fetch(`${shared.url}/api/v1/entries/exact/a`);
    expect(await response.text()).toContain('{"n":12345678901234567890,"m":1.0}');
  });

  it('a CloudEvent in binary mode is mapped, with data of any type', async () => {
    const headers = {
      ...{ 'ce-specversion': '1.0', 'ce-id': 'bin-1', 'ce-source': '/ci', 'ce-type': 'log' },
      ...{ 'ce-subject': 'binary/l%C3%B6g', 'ce-time': '2026-01-31T12:00:00.123+01:00' },
    };
    const sent = await sendTo(shared.url, 'a line', { type: 'text/plain', headers });
    expect(sent).toMatchObject({ status: 201, json: { key: 'lög', occurred_at: '2026-01-31T11:00:00.123Z' } });
    expect((await read('binary', 'lög')).value).toBe('a line');
    const more = { ...headers, 'ce-id': 'bin-2', 'ce-subject': 'binary/json' };
    expect((await sendTo(shared.url, '{"a":1}', { headers: more })).status).toBe(201);
    expect((await read('binary', 'json')).value).toEqual({ a: 1 });
    const bytes = { ...headers, 'ce-id': 'bin-3', 'ce-subject': 'binary/bytes' };
    expect((await sendTo(shared.url, Buffer.from([0, 255]), { type: 'image/png', headers: bytes })).status).toBe(201);
    expect((await read('binary', 'bytes')).value).toEqual({ content_type: 'image/png', data_base64: 'AP8=' });
    const none = { ...headers, 'ce-id': 'bin-4', 'ce-subject': 'binary/none' };
    expect((await sendTo(shared.url, '', { type: false, headers: none })).status).toBe(201);
    expect((await read('binary', 'none')).value).toBe(null);
  });

  it('CloudEvents in a batch are each accepted or refused by themselves', async () => {
    const twice = cloudEvent({ subject: 'batch/a' });
    const wrong = cloudEvent({ specversion: '0.3' });
    const both = cloudEvent({ subject: 'batch/b', data_base64: 'AA==' });
    const events = [twice, wrong, both, cloudEvent({ subject: 'batch/c', data: undefined, data_base64: 'AP8=' }), 7];
    const { status, json } = await send(events, { type: BATCH });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      ...{ accepted: 2, duplicates: 0, rejected: 3 },
      results: [
        { index: 0, status: 'written', key: 'a' },
        { index: 1, error: { status: 422, detail: expect.stringContaining('specversion') } },
        { index: 2, error: { status: 422, detail: expect.stringContaining('data_base64') } },
        { index: 3, status: 'written', key: 'c' },
        { index: 4, error: { status: 422 } },
      ],
    });
    expect((await send(events, { type: BATCH })).json).toMatchObject({ duplicates: 2, rejected: 3 });
  });

  it('an Idempotency-Key makes a retry count once', async () => {
    const headers = { 'idempotency-key': 'retry-1' };
    const event = { source: 'ci', entity_path: 'retried/builds', key: 'last', value: 1 };
    const first = await send(event, { headers });
    expect(await send(event, { headers })).toEqual(first);
  });

  it('mutated bodies are refused or stored, and nothing else', async () => {
    const events = async () => (await shared.app.call('events.list', { limit: 1000 })).events.length;
    const text = Buffer.from(JSON.stringify(cloudEvent({ id: 'fuzz', data: { ü: [1.5, null] } })));
    const body = fc.oneof(
      fc.nat(text.length).map((at) => text.subarray(0, at)),
      fc
        .tuple(fc.nat(text.length - 1), fc.nat(255))
        .map(([at, byte]) => Buffer.concat([text.subarray(0, at), Buffer.from([byte]), text.subarray(at + 1)])),
      fc.json().map((json) => Buffer.from(json)),
    );
    const type = fc.constantFrom(CLOUD, BATCH, 'application/json');
    await fc.assert(
      fc.asyncProperty(body, type, async (bytes, type) => {
        const before = await events();
        const { status } = await sendTo(shared.url, bytes, { type });
        expect([200, 201, 400, 422]).toContain(status);
        expect((await events()) - before).toBe(status === 201 ? 1 : 0);
      }),
      { numRuns: 60 },
    );
  });
});

describe('what is no event', () => {
  const shared = useServer('sqlite');
  afterAll(async () => expect((await shared.app.call('events.list', {})).events).toEqual([]));
  const one = JSON.stringify(cloudEvent());
  const deep = `{"data":${'['.repeat(10_000)}${']'.repeat(10_000)}}`;

  it.each([
    ['nothing', '', CLOUD, 400],
    ['half of it', one.slice(0, 30), CLOUD, 400],
    ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), CLOUD, 400],
    ['an object as a batch', one, BATCH, 422],
    ['a batch of 1,001', `[${`${one},`.repeat(1000)}${one}]`, BATCH, 422],
    ['a source of 2,049 characters', one.replace('/ci', 'x'.repeat(2049)), CLOUD, 422],
    ['an array as an event', `[${one}]`, CLOUD, 422],
    ['an array in no form', `[${one}]`, 'application/json', 422],
    ['deep nesting', deep, CLOUD, 422],
    ['another version', one.replace('1.0', '2.0'), CLOUD, 422],
    ['a time that is none', one.replace('2026-01-31T', '2026-13-31T'), CLOUD, 422],
    ['no type', one, false, 415],
    ['text', one, 'text/plain', 415],
    ['XML', one, 'application/cloudevents+xml', 415],
    ['a batch of another format', one, 'application/cloudevents-batch+avro', 415],
  ] as const)('%s', async (_, ...row) => {
    const [body, type, status] = row as unknown as [string | Buffer, string | false, number];
    const answer = await sendTo(shared.url, body, { type });
    expect(answer.status).toBe(status);
    if (status === 415) for (const known of [CLOUD, BATCH, 'ce-']) expect(answer.json.detail).toContain(known);
  });

  it.each([
    ['one', one, CLOUD],
    ['a batch', `[${one}]`, BATCH],
  ])('%s as plain JSON: the answer names its type', async (_, body, type) => {
    const { status, json } = await sendTo(shared.url, body);
    expect(status).toBe(422);
    expect(json.detail).toContain(`send it with Content-Type: ${type}`);
  });

  it.each([
    ['[]', BATCH],
    ['{"events":[]}', 'application/json'],
  ])('an empty batch %s: nothing is done', async (body, type) => {
    const { status, json } = await sendTo(shared.url, body, { type });
    expect(status).toBe(200);
    expect(json).toMatchObject({ accepted: 0, duplicates: 0, rejected: 0, results: [] });
  });

  it('gzip', async () => {
    const headers = { 'content-encoding': 'gzip' };
    expect((await sendTo(shared.url, gzipSync(one), { type: CLOUD, headers })).status).toBe(415);
  });

  it('attributes in headers that are missing or cannot be read', async () => {
    const by = async (headers: Record<string, string>) => (await sendTo(shared.url, '{}', { headers })).json.detail;
    expect(await by({ 'ce-specversion': '1.0' })).toContain('id: is required');
    expect(await by({ 'ce-specversion': '0.3', 'ce-id': '1' })).toContain('specversion: must be "1.0"');
    expect(await by({ 'ce-specversion': '1.0', 'ce-id': '%FF' })).toContain('header ce-id');
  });

  it('more than the service takes', async () => {
    expect((await sendTo(shared.url, 'x'.repeat(9 * 1024 * 1024), { type: CLOUD })).status).toBe(413);
  });
});

describe.each(backends)('events of a hosted service on %s', (backend) => {
  let service: Hosted;
  let admin: string;
  beforeAll(async () => {
    service = await openHosted(backend);
    ({ key: admin } = await service.newAccount({ plan: 'enterprise' }));
  });
  afterAll(() => service.close());

  it('need a key, and its scope covers the path', async () => {
    const sent = { type: CLOUD, headers: {} as Record<string, string> };
    const body = () => JSON.stringify(cloudEvent({ subject: 'shop/builds/nightly' }));
    expect((await sendTo(service.server.url, body(), sent)).status).toBe(401);
    const scopes = (pattern: string) => ({ scopes: [{ pattern, permission: 'WRITE' }] });
    const { key: other } = await service.newKey(admin, scopes('elsewhere/**'));
    const { key } = await service.newKey(admin, scopes('shop/**'));
    const as = (secret: string) => ({ ...sent, headers: { 'x-mem-api-key': secret } });
    expect((await sendTo(service.server.url, body(), as(other))).status).toBe(403);
    expect((await sendTo(service.server.url, body(), as(key))).status).toBe(201);
    const found = await service.as(admin, get('/api/v1/entries/shop/builds/nightly'));
    expect(found.json).toMatchObject({ value: { number: 12 } });
  });

  it('need a key that may act as their agent, where it is bound to agents', async () => {
    const event = { source: 'ci', entity_path: 'shop/bound', key: 'last', value: 1 };
    const { key: bound } = await service.newKey(admin, { agent_ids: ['agent/one'] });
    const refused = await service.as(bound, post(EVENTS, event));
    expect(refused).toMatchObject({ status: 403, json: { detail: expect.stringContaining('not as external/ci') } });
    expect((await service.as(bound, post(EVENTS, { events: [event] }))).status).toBe(403);
    const { key } = await service.newKey(admin, { agent_ids: ['external/ci'] });
    expect((await service.as(key, post(EVENTS, event))).status).toBe(201);
    const { json } = await service.as(key, post(EVENTS, { events: [event, { ...event, source: 'other' }] }));
    expect(json).toMatchObject({ rejected: 1, results: [{}, { error: { code: 'forbidden' } }] });
  });
});
