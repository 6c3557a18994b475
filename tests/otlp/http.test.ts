import { deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StorageError } from '../../packages/server/src/db/index.ts';
import {
  decodeMessage,
  encodeMessage,
  exportRequest,
  exportResponse,
  rpcStatus,
} from '../../packages/server/src/otlp/index.ts';
import { listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { watchDatabase } from '../support/statements.ts';
import { chat, exportOf, type JsonObject, otelSpan } from './support.ts';

const KEY = 'mem_sk_of-the-exporter';
const MAX_BODY = 256 * 1024;
const PROTOBUF = 'application/x-protobuf';
const JSON_TYPE = 'application/json';

describe('POST /v1/traces', () => {
  let app: TestApp;
  let server: TestServer;
  let isBroken = false;
  beforeAll(async () => {
    app = await openTestApp('sqlite', {
      wrapDatabase: (database) =>
        watchDatabase(database, () => {
          if (isBroken) throw new StorageError('unavailable', new Error('away'));
        }),
    });
    server = await listen(app, { apiKeys: [KEY], maxBodyBytes: MAX_BODY });
  });
  afterAll(async () => {
    await server.close();
    await app.close();
  });

  const post = async (body: string | Uint8Array, headers: Record<string, string>) => {
    const response = await fetch(`${server.url}/v1/traces`, {
      method: 'POST',
      headers: { 'x-mem-api-key': KEY, ...headers },
      body,
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    return { status: response.status, headers: response.headers, bytes };
  };
  const spans = (...attributes: JsonObject[]) => exportOf(attributes.map((one) => otelSpan({ attributes: chat(one) })));
  const sessionOf = async (session_id: string) =>
    app.call('sessions.explain', {}, { agent_id: 'exporter', session_id });

  const forms: [type: string, write: (request: JsonObject) => Uint8Array, read: (bytes: Buffer) => JsonObject][] = [
    [JSON_TYPE, (request) => Buffer.from(JSON.stringify(request)), (bytes) => JSON.parse(bytes.toString('utf8'))],
    [PROTOBUF, (request) => encodeMessage(exportRequest, request), (bytes) => decodeMessage(exportResponse, bytes)],
  ];

  describe.each(forms)('as %s', (type, write, read) => {
    const headers = { 'content-type': type, 'x-mem-agent-id': 'exporter' };

    it.each([
      ['as it is', (bytes: Uint8Array) => bytes, {}],
      ['in gzip', (bytes: Uint8Array) => gzipSync(bytes), { 'content-encoding': 'gzip' }],
      ['by its own name', (bytes: Uint8Array) => bytes, { 'content-encoding': 'identity' }],
    ])('is taken %s, and answered in the same form', async (how, pack, more) => {
      const session = `${type} ${how}`;
      const answer = await post(pack(write(spans({ 'session.id': session }))), { ...headers, ...more });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toMatch(type);
      expect(read(answer.bytes)).not.toHaveProperty('partialSuccess');
      expect((await sessionOf(session)).llm_calls).toMatchObject([{ model: 'gpt-4o', input_tokens: 1000 }]);
    });

    it('reports rejected spans in the format of the request', async () => {
      const broken = { ...otelSpan({ attributes: chat() }), spanId: 'ab' };
      const { status, bytes } = await post(write(exportOf([broken])), headers);
      expect(status).toBe(200);
      expect(read(bytes)).toMatchObject({
        partialSuccess: { rejectedSpans: '1', errorMessage: expect.stringContaining('spanId') },
      });
    });

    it('takes a request of nothing', async () => {
      expect((await post(write({}), headers)).status).toBe(200);
      expect((await post(write({ resourceSpans: [] }), headers)).status).toBe(200);
    });

    it('is refused in a compression that is not known, or broken, or too large once unpacked', async () => {
      const bytes = write(spans({}));
      const packed = (encoding: string) => ({ ...headers, 'content-encoding': encoding });
      expect((await post(deflateSync(bytes), packed('deflate'))).status).toBe(415);
      expect((await post(bytes, packed('gzip'))).status).toBe(400);
      expect((await post(gzipSync(Buffer.alloc(MAX_BODY / 2 + 1, 32)), packed('gzip'))).status).toBe(413);
      expect((await post(Buffer.alloc(MAX_BODY + 1, 32), headers)).status).toBe(413);
    });

    it('is refused without a key, and taken with one as a bearer', async () => {
      const bytes = write(spans({}));
      expect((await post(bytes, { ...headers, 'x-mem-api-key': 'mem_sk_wrong' })).status).toBe(401);
      const bearer = await fetch(`${server.url}/v1/traces`, {
        method: 'POST',
        headers: { ...headers, authorization: `Bearer ${KEY}` },
        body: bytes,
      });
      expect(bearer.status).toBe(200);
    });

    it('is to be tried again, and when, while the database is away', async () => {
      isBroken = true;
      try {
        const { status, headers: answered } = await post(write(spans({})), headers);
        expect(status).toBe(503);
        expect(answered.get('retry-after')).toBe('1');
        expect(answered.get('content-type')).toMatch(type === PROTOBUF ? PROTOBUF : 'application/problem+json');
      } finally {
        isBroken = false;
      }
    });

    it('gets the stored answer for the same idempotency key', async () => {
      const bytes = write(spans({ 'session.id': `stored ${type}` }));
      const keyed = { ...headers, 'idempotency-key': `export-${type}` };
      const first = await post(bytes, keyed);
      expect((await post(bytes, keyed)).bytes.toString('hex')).toBe(first.bytes.toString('hex'));
    });
  });

  it('refuses bodies in other forms', async () => {
    for (const type of ['text/plain', 'application/xml', 'application/grpc'])
      expect((await post('x', { 'content-type': type })).status).toBe(415);
  });

  it('answers a refused protobuf request with a status message', async () => {
    const { status, bytes, headers } = await post(Buffer.from('0a05', 'hex'), { 'content-type': PROTOBUF });
    expect(status).toBe(400);
    expect(headers.get('content-type')).toBe(PROTOBUF);
    expect(decodeMessage(rpcStatus, bytes)).toEqual({ code: 3, message: expect.stringContaining('ends too early') });
    const unknown = await post(Buffer.alloc(0), { 'content-type': PROTOBUF, 'x-mem-api-key': 'mem_sk_wrong' });
    expect(decodeMessage(rpcStatus, unknown.bytes)).toMatchObject({ code: 16 });
  });

  it('passes over members that a later version of the protocol may bring', async () => {
    const later = { ...spans({ 'session.id': 'later' }), laterField: 1 };
    const { status, bytes } = await post(JSON.stringify(later), { 'content-type': JSON_TYPE });
    expect([status, JSON.parse(bytes.toString('utf8')).recorded.length]).toEqual([200, 1]);
  });

  it('takes agent and session of spans that name none from the headers, or the address', async () => {
    const headers = { 'content-type': JSON_TYPE, 'x-mem-agent-id': 'exporter', 'x-mem-session-id': 'from-header' };
    const { bytes } = await post(JSON.stringify(spans({})), headers);
    expect(JSON.parse(bytes.toString('utf8')).recorded).toMatchObject([
      { agent_id: 'exporter', session_id: 'from-header' },
    ]);
    const response = await fetch(`${server.url}/v1/traces?agent_id=a&session_id=b`, {
      method: 'POST',
      headers: { 'content-type': JSON_TYPE, 'x-mem-api-key': KEY },
      body: JSON.stringify(spans({})),
    });
    expect(((await response.json()) as JsonObject).recorded).toMatchObject([{ agent_id: 'a', session_id: 'b' }]);
  });

  it('other addresses take no protobuf and nothing compressed', async () => {
    const answer = async (headers: Record<string, string>) => {
      const body = gzipSync('{"entity_path":"a","key":"k","value":1}');
      const sent = { method: 'POST', headers: { 'x-mem-api-key': KEY, ...headers }, body };
      return (await fetch(`${server.url}/api/v1/entries`, sent)).status;
    };
    expect(await answer({ 'content-type': PROTOBUF })).toBe(415);
    expect(await answer({ 'content-type': JSON_TYPE, 'content-encoding': 'gzip' })).toBe(415);
  });

  it('whatever comes is taken or refused, never more than that', async () => {
    const noise = fc.oneof(
      fc.uint8Array({ maxLength: 64 }).map((bytes) => [PROTOBUF, bytes] as const),
      fc.jsonValue({ maxDepth: 6 }).map((value) => [JSON_TYPE, Buffer.from(JSON.stringify(value))] as const),
      fc
        .jsonValue({ maxDepth: 4 })
        .map((value) => [JSON_TYPE, Buffer.from(JSON.stringify({ resourceSpans: [value] }))] as const),
      fc
        .jsonValue({ maxDepth: 4 })
        .map((value) => ({ ...otelSpan({ attributes: chat() }), attributes: value, events: [value], status: value }))
        .map((span) => [JSON_TYPE, Buffer.from(JSON.stringify(exportOf([span])))] as const),
    );
    await fc.assert(
      fc.asyncProperty(noise, async ([type, body]) => {
        const { status } = await post(body, { 'content-type': type });
        expect([200, 400, 422]).toContain(status);
      }),
      { numRuns: 150 },
    );
  });
});
