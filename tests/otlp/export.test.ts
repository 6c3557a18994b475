import { execFile } from 'node:child_process';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../packages/server/src/config.ts';
import { decodeMessage, encodeMessage, exportRequest } from '../../packages/server/src/otlp/index.ts';
import { serve } from '../../packages/server/src/serve.ts';
import { readTelemetry, Telemetry } from '../../packages/server/src/telemetry/index.ts';
import { listen, openTestApp, type TestApp } from '../support/app.ts';
import { send } from '../support/wire.ts';
import { chat, exportOf, otelSpan } from './support.ts';

const run = promisify(execFile);

type Received = { headers: IncomingHttpHeaders; body: Buffer };
type Collector = { url: string; received: Received[]; answers: number[] };
type ExportedSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status: { code?: number };
  attributes: Record<string, unknown>;
};

/** Takes what is sent to it, and answers with the statuses given, one after the other, and then 200. */
async function openCollector(...answers: number[]): Promise<Collector> {
  const received: Received[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks) });
      response.writeHead(answers.shift() ?? 200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, answers };
}

async function start(env: Record<string, string>): Promise<{ app: TestApp; url: string; flush(): Promise<void> }> {
  const { settings } = readTelemetry(env, '9.9.9');
  const warnings: object[] = [];
  const telemetry = settings && new Telemetry(settings, (about) => warnings.push(about));
  const app = await openTestApp('sqlite');
  const server = await listen(app, { telemetry, apiKeys: ['key-of-the-test'] });
  onTestFinished(async () => {
    await server.close();
    await app.close();
  });
  return {
    app,
    url: server.url,
    async flush() {
      // A span ends when the answer has been sent on its connection.
      await new Promise((resolve) => setTimeout(resolve, 20));
      await telemetry?.close();
    },
  };
}

const key = { 'x-mem-api-key': 'key-of-the-test' };

function decode({ headers, body }: Received) {
  const bytes = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
  const isJson = headers['content-type'] === 'application/json';
  const request = isJson ? JSON.parse(bytes.toString('utf8')) : decodeMessage(exportRequest, bytes);
  type AttributePair = { key: string; value: Record<string, unknown> };
  const plain = (pairs: AttributePair[]) =>
    Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));
  const [one] = request.resourceSpans;
  const spans: ExportedSpan[] = one.scopeSpans[0].spans.map((span: ExportedSpan & { attributes: AttributePair[] }) => ({
    ...span,
    attributes: plain(span.attributes),
  }));
  return { resource: plain(one.resource.attributes), spans };
}

const spansIn = ({ received }: Collector): ExportedSpan[] => received.flatMap((one) => decode(one).spans);

describe('the service that exports its own spans', () => {
  it.each([
    ['http/protobuf', 'none'],
    ['http/json', 'none'],
    ['http/protobuf', 'gzip'],
  ])('sends one for each request, as %s and %s', async (protocol, compression) => {
    const collector = await openCollector();
    const { url, flush } = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      OTEL_EXPORTER_OTLP_COMPRESSION: compression,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=blue,authorization=Bearer%20t0ken',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,service.name=other',
      OTEL_SERVICE_NAME: 'memory',
    });
    const body = JSON.stringify({ entity_path: 'private/path', key: 'private-key', value: 'private-value' });
    const traceId = 'ab'.repeat(16);
    const traceparent = `00-${traceId}-${'cd'.repeat(8)}-01`;
    await send(url, { method: 'POST', path: '/api/v1/entries', body, headers: { ...key, traceparent } });
    await send(url, { method: 'GET', path: '/api/v1/entries/private/path/nothing', headers: key });
    await flush();

    expect(collector.received.length).toBe(1);
    const [first] = collector.received as [Received];
    expect(first.headers).toMatchObject({ 'x-tenant': 'blue', authorization: 'Bearer t0ken' });
    const { resource, spans } = decode(first);
    expect(resource).toEqual({
      'service.name': 'memory',
      'service.version': '9.9.9',
      'deployment.environment.name': 'test',
    });
    expect(spans.map(({ name }) => name)).toEqual(['mem entries.write', 'mem entries.read']);
    const [write, read] = spans as [ExportedSpan, ExportedSpan];
    expect(write).toMatchObject({
      traceId,
      parentSpanId: 'cd'.repeat(8),
      kind: 2,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/api/v1/entries',
        'http.response.status_code': '201',
        'mem.operation': 'entries.write',
        'mem.effect': 'write',
      },
    });
    expect(BigInt(write.endTimeUnixNano)).toBeGreaterThan(BigInt(write.startTimeUnixNano));
    expect(read.traceId).not.toBe(traceId);
    expect(read).not.toHaveProperty('parentSpanId');
    expect(read.attributes).toMatchObject({ 'http.response.status_code': '404', 'error.type': 'not_found' });
    expect(read.status).toEqual({});
    expect(JSON.stringify(decode(first))).not.toMatch(/private|key-of-the-test/);
  });

  it('writes protobuf as the real library does, byte for byte', async () => {
    const collector = await openCollector();
    const program = join(import.meta.dirname, 'instrumented-app.mjs');
    await run(process.execPath, [program, '@opentelemetry/instrumentation-openai', collector.url], { timeout: 25_000 });
    const bodies = collector.received.filter(({ headers }) => headers['content-type'] === 'application/x-protobuf');
    expect(bodies.length).toBeGreaterThan(0);
    for (const { body } of bodies)
      expect(encodeMessage(exportRequest, decodeMessage(exportRequest, body)).toString('hex')).toBe(
        body.toString('hex'),
      );
    // The fields we decode from protobuf have the names of its JSON form.
    const json = collector.received.find(({ headers }) => headers['content-type'] === 'application/json');
    const namesIn = (text: string) => [...new Set(text.match(/"[a-zA-Z]+":/g))].sort();
    const read = JSON.stringify(decodeMessage(exportRequest, bodies[0]?.body as Buffer));
    expect(namesIn(json?.body.toString('utf8') as string)).toEqual(expect.arrayContaining(namesIn(read)));
  });

  it('exports the operation of an MCP request as a child of its span', async () => {
    const collector = await openCollector();
    const { url, flush } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers: key } }));
    await client.callTool({ name: 'mem_stats', arguments: {} });
    await client.close();
    await flush();
    const spans = spansIn(collector);
    const inner = spans.find(({ name }) => name === 'mem stats.read');
    const outer = spans.find(({ spanId }) => spanId === inner?.parentSpanId);
    expect(outer).toMatchObject({ name: 'mem POST /mcp', kind: 2 });
    expect(inner).toMatchObject({ kind: 1, traceId: outer?.traceId, attributes: { 'mem.effect': 'read' } });
  });

  it('exports no spans for incoming spans, so that a service may be its own collector', async () => {
    const { app, url } = await start({});
    const settings = readTelemetry(
      { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_HEADERS: 'x-mem-api-key=key-of-the-test' },
      '1',
    );
    const telemetry = new Telemetry(settings.settings as never, () => {});
    const looped = await listen(app, { telemetry, apiKeys: [] });
    onTestFinished(() => looped.close());
    const traceId = 'ef'.repeat(16);
    const spans = exportOf([otelSpan({ traceId, attributes: chat({ 'session.id': 'mine', 'mem.agent_id': 'me' }) })]);
    await send(looped.url, { method: 'POST', path: '/v1/traces', body: JSON.stringify(spans) });
    const traceparent = `00-${traceId}-${'cd'.repeat(8)}-01`;
    await send(looped.url, { method: 'GET', path: '/api/v1/stats', headers: { traceparent } });
    await new Promise((resolve) => setTimeout(resolve, 20));
    await telemetry.close();
    const { spans: kept } = await app.call('sessions.explain', {}, { agent_id: 'me', session_id: 'mine' });
    expect(kept.map(({ name, kind }) => [name, kind])).toEqual([
      ['work', 'llm'],
      ['mem stats.read', 'memory_read'],
    ]);
  });

  it.each([
    { sampler: 'always_off', flags: '01', exported: 0 },
    { sampler: 'always_on', flags: '00', exported: 1 },
    { sampler: 'parentbased_always_on', flags: '00', exported: 0 },
    { sampler: 'parentbased_always_off', flags: '01', exported: 1 },
    { sampler: 'traceidratio', argument: '0', flags: '01', exported: 0 },
    { sampler: 'parentbased_traceidratio', argument: '0', flags: '01', exported: 1 },
    { sampler: 'traceidratio', argument: '1', flags: '00', exported: 1 },
  ])('samples by $sampler $argument a trace whose flags are $flags', async ({ sampler, argument, flags, exported }) => {
    const collector = await openCollector();
    const { url, flush } = await start({
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/somewhere`,
      OTEL_TRACES_SAMPLER: sampler,
      ...(argument === undefined ? {} : { OTEL_TRACES_SAMPLER_ARG: argument }),
    });
    const traceparent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-${flags}`;
    await send(url, { method: 'GET', path: '/api/v1/stats', headers: { ...key, traceparent } });
    await flush();
    expect(spansIn(collector).length).toBe(exported);
  });

  it.each([
    'garbage',
    `00-${'0'.repeat(32)}-${'cd'.repeat(8)}-01`,
    `ff-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`,
    `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01-more`,
  ])('begins a trace of its own where the header is %s', async (traceparent) => {
    const collector = await openCollector();
    const { url, flush } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    await send(url, { method: 'GET', path: '/health', headers: { traceparent } });
    await flush();
    const [span] = spansIn(collector);
    expect(span?.traceId).toMatch(/^(?!abab)[0-9a-f]{32}$/);
    expect(span).not.toHaveProperty('parentSpanId');
  });

  it('tries again while the collector is busy, and sends nothing twice after that', async () => {
    const collector = await openCollector(503);
    const { url, flush } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    await send(url, { method: 'GET', path: '/health' });
    await flush();
    expect(collector.received.length).toBe(2);
    expect(collector.received[0]?.body.equals(collector.received[1]?.body as Buffer)).toBe(true);
  });

  it('answers as ever while the collector is away or refuses, and keeps a bounded number of spans', async () => {
    const settings = readTelemetry({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }, '1').settings;
    const warnings: { dropped: number }[] = [];
    const telemetry = new Telemetry(settings as never, (about) => warnings.push(about as { dropped: number }));
    const app = await openTestApp('sqlite');
    const server = await listen(app, { telemetry });
    expect((await send(server.url, { method: 'GET', path: '/health' })).status).toBe(200);
    for (let i = 0; i < 5000; i++)
      telemetry.end(telemetry.begin(undefined), { name: 'x', kind: 'internal', attributes: {} });
    await server.close();
    await telemetry.close();
    await app.close();
    expect(warnings.length).toBe(1);
  });
});

describe('the variables of OpenTelemetry', () => {
  const read = (env: Record<string, string>) => readTelemetry(env, '1');
  const at = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

  it('turn nothing on without an address, or where it is turned off', () => {
    for (const env of [
      {},
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      { ...at, OTEL_SDK_DISABLED: 'true' },
      { ...at, OTEL_TRACES_EXPORTER: 'none' },
    ])
      expect(read(env as Record<string, string>)).toEqual({ settings: undefined, problems: [], warnings: [] });
  });

  it('name what must be put right', () => {
    expect(read({ ...at, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toMatchObject({
      settings: undefined,
      problems: ['OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json, not grpc'],
    });
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }).problems).toEqual([
      'OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https address',
    ]);
    expect(read({ ...at, OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: 'zstd' }).problems).toEqual([
      'OTEL_EXPORTER_OTLP_TRACES_COMPRESSION must be gzip or none, not zstd',
    ]);
  });

  it('that are wrong stop the start', async () => {
    const config = readConfig({ ...at, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' });
    await expect(serve(config)).rejects.toThrow(/OTEL_EXPORTER_OTLP_PROTOCOL must be/);
  });

  it('are warned of where a default does instead', () => {
    const { settings, warnings } = read({
      ...at,
      OTEL_TRACES_SAMPLER: 'jaeger_remote',
      OTEL_EXPORTER_OTLP_TIMEOUT: 'soon',
    });
    expect(settings).toMatchObject({ sampler: { ratio: 1, followsParent: true }, timeoutMs: 10_000 });
    expect(warnings.length).toBe(2);
  });

  it('that are for traces win over those for everything', () => {
    const { settings } = read({
      ...at,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example/in',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_HEADERS: 'a=1',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'b=2',
    });
    expect(settings).toMatchObject({ url: 'https://traces.example/in', protocol: 'http/json', headers: { b: '2' } });
  });
});
