import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../faults/support/mem-process.ts';
import { listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { readRaw, send, sendRaw } from '../support/wire.ts';
import { openStream } from './support.ts';

const KEY = 'mem_sk_key-of-the-stream';
const headers = { 'x-mem-api-key': KEY };

describe('the address of the stream', () => {
  let app: TestApp;
  let server: TestServer;
  beforeAll(async () => {
    app = await openTestApp('sqlite');
    server = await listen(app, { apiKeys: [KEY] });
    await app.call('entries.write', { entity_path: 'a', key: 'k', value: 1 });
  });
  afterAll(async () => {
    await server.close();
    await app.close();
  });

  it.each([
    ['after=-1', 422, 'invalid_input', 'after'],
    ['after=x', 422, 'invalid_input', 'after'],
    ['after=1.5', 422, 'invalid_input', 'after'],
    ['after=99999999999999999999', 422, 'invalid_input', 'after'],
    ['entity_path=a*', 422, 'invalid_input', 'entity_path'],
    ['types=write,nonsense', 422, 'invalid_input', 'types'],
    ['types=', 422, 'invalid_input', 'types'],
    ['agent_id=', 422, 'invalid_input', 'agent_id'],
    ['colour=red', 422, 'invalid_input', 'colour'],
    ['after=1&after=2', 422, 'invalid_input', 'after'],
    ['branch=experiment/x', 404, 'branch_not_found', undefined],
    ['after=2', 409, 'log_rewound', undefined],
    ['after=999999&types=outcome', 409, 'log_rewound', undefined],
  ])('refuses ?%s before the stream begins', async (...[query, status, code, field]) => {
    const answer = await send(server.url, { method: 'GET', path: `/api/v1/stream?${query}`, headers });
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(answer.json).toMatchObject({ status, code });
    expect(answer.status).toBe(status);
    if (field !== undefined) expect(answer.json.errors).toMatchObject([{ path: field }]);
  });

  it.each(['x', '-1', '1.5', '1e3', '99999999999999999999'])('refuses the Last-Event-ID %s', async (id) => {
    const sent = { method: 'GET', path: '/api/v1/stream', headers: { ...headers, 'last-event-id': id } };
    const { status, json } = await send(server.url, sent);
    expect(status).toBe(422);
    expect(json.errors).toMatchObject([{ path: 'header last-event-id' }]);
  });

  it('says where the log ends to a reader that comes back from beyond it', async () => {
    const sent = { method: 'GET', path: '/api/v1/stream?after=0', headers: { ...headers, 'last-event-id': '97' } };
    const { status, json } = await send(server.url, sent);
    expect(status).toBe(409);
    expect(json).toMatchObject({ code: 'log_rewound', last_seq: 1 });
    expect(json.detail).toContain('the log ends at 1, before 97');
    expect((await openStream(server.url, { headers, lastId: 1 })).status).toBe(200);
  });

  it('takes an empty Last-Event-ID for none', async () => {
    const raw = (await openStream(server.url, { headers, lastId: '' })).raw();
    expect(raw).toMatch(/\nid: 1-[0-9a-z]+\n/);
  });

  /** A reader that disconnects is removed a moment later. */
  const expectNoFollower = () => until(() => app.kernel.following === 0, { what: 'nobody to be left' });

  it.each([{}, { 'x-mem-api-key': 'mem_sk_wrong-key' }])('asks for a key before anything else', async (wrong) => {
    await expectNoFollower();
    const {
      status,
      headers: answered,
      json,
    } = await send(server.url, {
      method: 'GET',
      path: '/api/v1/stream?types=nonsense',
      headers: wrong as Record<string, string>,
    });
    expect(status).toBe(401);
    expect(answered.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(json).toMatchObject({ code: 'unauthenticated' });
    expect(app.kernel.following).toBe(0);
  });

  it('takes GET and HEAD, and says so to other methods', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status, headers: answered } = await send(server.url, { method, path: '/api/v1/stream', headers });
      expect(status).toBe(405);
      expect(answered.get('allow')).toBe('GET, HEAD');
    }
  });

  it('answers HEAD with the headers of a stream, and with nothing to wait for', async () => {
    await expectNoFollower();
    const head = (path: string) =>
      sendRaw(server.url, `HEAD ${path} HTTP/1.1\r\nHost: x\r\nX-MEM-API-Key: ${KEY}\r\n\r\n`).then(readRaw);
    const { status, headers: answered, body } = await head('/api/v1/stream?after=0');
    expect({ status, body }).toEqual({ status: 200, body: '' });
    expect(answered['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(answered['content-length']).toBeUndefined();
    expect(app.kernel.following).toBe(0);
    const refused = await send(server.url, { method: 'HEAD', path: '/api/v1/stream?after=x', headers });
    expect(refused.status).toBe(422);
  });

  it('lets pages of other origins read it', async () => {
    const listener = await openStream(server.url, { headers: { ...headers, origin: 'https://app.example' } });
    expect(listener.headers['access-control-allow-origin']).toBe('*');
  });
});
