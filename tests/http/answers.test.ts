import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, beforeStore, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { type HttpAnswer, send } from '../support/wire.ts';

type Extra = Record<string, string>;

describe.each(backends)('answers over HTTP on %s', (backend) => {
  let app: TestApp;
  let server: TestServer;
  beforeAll(async () => {
    app = await openTestApp(backend, { maxValueBytes: 2000 });
    server = await listen(app, { maxBodyBytes: 10_000 });
  });
  afterAll(async () => {
    await server.close();
    await app.close();
  });
  const get = (path: string, headers: Extra = {}) => send(server.url, { method: 'GET', path, headers });
  const post = (path: string, input: object, headers: Extra = {}) =>
    send(server.url, { method: 'POST', path, body: JSON.stringify(input), headers });
  const write = (input: object, headers: Extra = {}) => post('/api/v1/entries', input, headers);

  function expectProblem(answer: HttpAnswer, status: number, code: string): void {
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect({ status: answer.status, code: answer.json.code }).toEqual({ status, code });
  }

  describe('a write', () => {
    it('that makes a version is 201 with its Location, one that changes nothing 200 without', async () => {
      const input = { entity_path: 'svc/pay', key: 'retry', value: { n: 1 } };
      const made = await write(input);
      expect(made.status).toBe(201);
      expect(made.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(made.headers.get('location')).toBe('/api/v1/entries/svc/pay/retry');
      const again = await write(input);
      expect(again.status).toBe(200);
      expect(again.headers.get('location')).toBeNull();
      expect(again.json).toMatchObject({ version: 1, unchanged: true });
    });

    it('of many is 201 with a Location that gives the commit', async () => {
      const writes = [{ entity_path: 'svc/many', key: 'a', value: 1 }];
      const { status, headers, json } = await post('/api/v1/commits', { writes });
      expect(status).toBe(201);
      const read = await get(headers.get('location') as string);
      expect(read.json).toMatchObject({ commit_id: json.commit_id, entries_written: 1 });
    });

    it('that restores is 201 with a Location, or 200 when it is so already', async () => {
      const at = { entity_path: 'svc/pay', key: 'restored' };
      await write({ ...at, value: 'old' });
      await write({ ...at, value: 'new' });
      const restored = await post('/api/v1/restore', { ...at, version: 1 });
      expect(restored.status).toBe(201);
      expect((await get(restored.headers.get('location') as string)).json).toMatchObject({ value: 'old', version: 3 });
      expect((await post('/api/v1/restore', { ...at, version: 1 })).status).toBe(200);
    });

    it('names agent and session by header, and the body wins', async () => {
      const headers = { 'x-mem-agent-id': 'agent/h', 'x-mem-session-id': 'sess-h' };
      const byHeader = await write({ entity_path: 'who', key: 'a', value: 1 }, headers);
      expect(byHeader.json.provenance).toMatchObject({ agent_id: 'agent/h', session_id: 'sess-h' });
      const byBody = await write({ entity_path: 'who', key: 'b', value: 1, agent_id: 'agent/b' }, headers);
      expect(byBody.json.provenance).toMatchObject({ agent_id: 'agent/b', session_id: 'sess-h' });
      const byDefault = await write({ entity_path: 'who', key: 'c', value: 1 });
      expect(byDefault.json.provenance).toMatchObject({ agent_id: 'mem-http-server', session_id: null });
      const inUtf8 = { 'x-mem-agent-id': Buffer.from('agent/日本').toString('latin1') };
      const other = await write({ entity_path: 'who', key: 'd', value: 1 }, inUtf8);
      expect(other.json.provenance).toMatchObject({ agent_id: 'agent/日本' });
    });

    it.each([
      ['x-mem-agent-id', ''],
      ['x-mem-agent-id', 'x'.repeat(300)],
      ['x-mem-session-id', ''],
      ['idempotency-key', 'with space'],
      ['idempotency-key', 'k'.repeat(257)],
    ])('is refused with a header that cannot be right: %s', async (name, value) => {
      const answer = await write({ entity_path: 'who', key: 'e', value: 1 }, { [name]: value });
      expectProblem(answer, 422, 'invalid_input');
      expect(answer.json.errors).toEqual([expect.objectContaining({ path: `header ${name}` })]);
    });
  });

  describe('a read', () => {
    const at = '/api/v1/entries/svc/etag/k';
    it('carries an ETag, and answers 304 without a body while it holds', async () => {
      await write({ entity_path: 'svc/etag', key: 'k', value: 1 });
      const first = await get(at);
      const etag = first.headers.get('etag') as string;
      expect(etag).toMatch(/^"[^"]+"$/);
      expect(first.headers.get('cache-control')).toBe('private, no-cache');
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await get(at, { 'if-none-match': known });
        expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: '' });
        expect(again.headers.get('etag')).toBe(etag);
      }
      expect((await get(at, { 'if-none-match': '"other"' })).status).toBe(200);
      await write({ entity_path: 'svc/etag', key: 'k', value: 2 });
      const changed = await get(at, { 'if-none-match': etag });
      expect(changed.status).toBe(200);
      expect(changed.headers.get('etag')).not.toBe(etag);
    });

    it('by HEAD has the headers and no body', async () => {
      const { headers } = await get(at);
      const head = await send(server.url, { method: 'HEAD', path: at });
      expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: '' });
      for (const name of ['etag', 'content-type', 'content-length'])
        expect(head.headers.get(name)).toBe(headers.get(name));
      expect((await send(server.url, { method: 'HEAD', path: '/api/v1/entries/no/thing' })).status).toBe(404);
    });

    it('of what is not there is 404 and names it', async () => {
      const answer = await get('/api/v1/entries/no/such/thing');
      expectProblem(answer, 404, 'not_found');
      expect(answer.json).toMatchObject({ entity_path: 'no/such', key: 'thing' });
    });
  });

  describe('If-Match', () => {
    const at = { entity_path: 'svc/match', key: 'k' };
    it('lets a write through at its version and refuses it at another with the current one', async () => {
      await write({ ...at, value: 1 });
      const etag = (await get('/api/v1/entries/svc/match/k')).headers.get('etag') as string;
      expect((await write({ ...at, value: 2 }, { 'if-match': etag })).json).toMatchObject({ version: 2 });
      const stale = await write({ ...at, value: 3 }, { 'if-match': etag });
      expectProblem(stale, 409, 'version_conflict');
      expect(stale.json).toMatchObject({ current_version: 2, ...at });
      const remove = { method: 'DELETE', path: '/api/v1/entries/svc/match/k' };
      expectProblem(await send(server.url, { ...remove, headers: { 'if-match': etag } }), 409, 'version_conflict');
      expect((await send(server.url, { ...remove, headers: { 'if-match': '"2"' } })).status).toBe(200);
    });

    it('gives way to if_version, of which 0 means that nothing is there', async () => {
      const fresh = { entity_path: 'svc/match', key: 'fresh', value: 1 };
      expect((await write({ ...fresh, if_version: 0 }, { 'if-match': '"7"' })).status).toBe(201);
      const second = await write({ ...fresh, value: 2, if_version: 0 });
      expectProblem(second, 409, 'version_conflict');
      expect(second.json.current_version).toBe(1);
    });

    it.each(['"a"', '"1", "2"', 'W/"1"', ''])('that is no ETag of the service is refused: %s', async (header) => {
      expectProblem(await write({ ...at, value: 9 }, { 'if-match': header }), 422, 'invalid_input');
    });
  });

  describe('limits', () => {
    it('a body over the limit is 413, whether it says its length or not', async () => {
      const body = JSON.stringify({ entity_path: 'big', key: 'k', value: 'x'.repeat(20_000) });
      expectProblem(await send(server.url, { method: 'POST', path: '/api/v1/entries', body }), 413, 'body_too_large');
      const stream = new Blob([body]).stream();
      const init = { method: 'POST', body: stream, duplex: 'half', headers: { 'content-type': 'application/json' } };
      const chunked = await fetch(`${server.url}/api/v1/entries`, init as RequestInit);
      expect(chunked.status).toBe(413);
      expect(await chunked.json()).toMatchObject({ code: 'body_too_large' });
    });

    it('a value over the limit is 413 and says the limit', async () => {
      const answer = await write({ entity_path: 'big', key: 'k', value: 'x'.repeat(3000) });
      expectProblem(answer, 413, 'value_too_large');
      expect(answer.json).toMatchObject({ max_value_bytes: 2000, entity_path: 'big', key: 'k' });
      expectProblem(await get('/api/v1/entries/big/k'), 404, 'not_found');
    });

    it('a value is measured in bytes, to the last one', async () => {
      expect((await write({ entity_path: 'big', key: 'fits', value: 'x'.repeat(1998) })).status).toBe(201);
      expectProblem(await write({ entity_path: 'big', key: 'fits', value: 'x'.repeat(1999) }), 413, 'value_too_large');
      expectProblem(await write({ entity_path: 'big', key: 'fits', value: 'ä'.repeat(1000) }), 413, 'value_too_large');
    });
  });

  beforeStore(backend, () => {
    describe('an address that does not fit', () => {
      it.each([
        ['PUT', '/api/v1/entries', 'POST, GET, HEAD'],
        ['POST', '/api/v1/entries/a/b', 'GET, DELETE, HEAD'],
        ['POST', '/health', 'GET, HEAD'],
        ['DELETE', '/metrics', 'GET, HEAD'],
        ['PATCH', '/api/v1/erase', 'POST'],
        ['HEAD', '/api/v1/erase', 'POST'],
      ])('%s %s is 405 and says what is allowed', async (method, path, allow) => {
        const { status, headers, json } = await send(server.url, { method, path });
        expect({ status, allow: headers.get('allow') }).toEqual({ status: 405, allow });
        if (method !== 'HEAD') expect(json).toMatchObject({ code: 'method_not_allowed', allow: allow.split(', ') });
      });

      it.each(['/api', '/api/v1/', '/api/v1/entries/', '/api/v1/entries/alone', '/api/v2/entries', '/API/V1/ENTRIES'])(
        'GET %s is 404',
        async (path) => expectProblem(await get(path), 404, 'route_not_found'),
      );

      it('is told before its body is judged', async () => {
        const sent = { path: '/nowhere', body: '{', headers: { 'content-type': 'text/plain' } };
        expectProblem(await send(server.url, { ...sent, method: 'POST' }), 404, 'route_not_found');
      });
    });
  });

  it('a read says how far the log reached where it is asked for, also when it finds nothing', async () => {
    const { headers } = await write({ entity_path: 'svc/seq', key: 'k', value: 1 });
    const seq = headers.get('x-mem-seq');
    const seqOf = async (path: string, want?: string) =>
      (await get(path, want === undefined ? {} : { 'x-mem-want-seq': want })).headers.get('x-mem-seq');
    expect(await seqOf('/api/v1/entries/svc/seq/k', 'true')).toBe(seq);
    expect(await seqOf('/api/v1/entries/svc/seq/none', 'true')).toBe(seq);
    expect(await seqOf('/api/v1/entries/svc/seq/k', 'false')).toBeNull();
    expect(await seqOf('/api/v1/entries/svc/seq/k')).toBeNull();
    expectProblem(await get('/api/v1/entries/svc/seq/k', { 'x-mem-want-seq': '1' }), 422, 'invalid_input');
  });

  it.each(['/api/v1/stats', '/nowhere', '/docs', '/metrics', '/health', '/api/v1/entries/%FF/k'])(
    'GET %s has a request id of its own',
    async (path) => {
      const [one, two] = [await get(path), await get(path)];
      expect(one.headers.get('x-request-id')).toMatch(/^[0-9a-f]{16}-[0-9a-z]+$/);
      expect(two.headers.get('x-request-id')).not.toBe(one.headers.get('x-request-id'));
    },
  );
});
