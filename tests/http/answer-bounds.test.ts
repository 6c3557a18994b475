import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { markedInput } from '../contract/table.ts';
import { listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { allAddresses, labelled, readRaw, requestFor, send, sendRaw } from '../support/wire.ts';

const MB = 1024 * 1024;
/** More than the buffers of both ends of a connection hold. */
const VALUE_BYTES = 16 * MB;
const ENTRY = '/api/v1/entries/large/value';
const MCP_READ = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'mem_read', arguments: { entity_path: 'large', key: 'value' } },
});

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp('sqlite', { maxValueBytes: 20 * MB });
  await app.call('entries.write', { entity_path: 'large', key: 'value', value: 'x'.repeat(VALUE_BYTES) });
  await app.call('entries.write', { entity_path: 'small', key: 'value', value: 1 });
});
afterAll(() => app.close());

async function open(options: Parameters<typeof listen>[1]): Promise<TestServer> {
  const server = await listen(app, options);
  onTestFinished(() => server.close());
  return server;
}

/** Asks for something large, and takes nothing of the answer but its beginning. */
async function askAndTakeNothing({ url }: TestServer, request: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  socket.write(request);
  await once(socket, 'readable');
  return socket;
}

const getRequest = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const mcpRequest = [
  'POST /mcp HTTP/1.1',
  'Host: x',
  'Content-Type: application/json',
  'Accept: application/json, text/event-stream',
  `Content-Length: ${MCP_READ.length}`,
  '',
  MCP_READ,
].join('\r\n');

/** What arrives until the server disconnects. */
async function restOf(socket: Socket): Promise<number> {
  let bytes = 0;
  socket.on('data', (chunk) => {
    bytes += chunk.length;
  });
  if (!socket.destroyed) await once(socket, 'close');
  return bytes;
}

describe('answers that nobody reads', () => {
  it('are bounded: the next is refused before any work is done, and welcome once they are gone', async () => {
    const server = await open({ answerLimits: { perAccount: 28 * MB, inAll: 40 * MB } });
    const socket = await askAndTakeNothing(server, getRequest(ENTRY));
    const refused = await send(server.url, { method: 'GET', path: '/api/v1/entries' });
    expect(refused).toMatchObject({ status: 503, json: { code: 'unavailable' } });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.json.detail).toMatch(/not read yet/);
    const body = JSON.stringify({ entity_path: 'small', key: 'other', value: 2 });
    expect((await send(server.url, { method: 'POST', path: '/api/v1/entries', body })).status).toBe(201);
    const overMcp = await fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: MCP_READ,
    });
    expect(overMcp.status).toBe(503);
    await overMcp.text();
    socket.destroy();
    await expect
      .poll(async () => (await send(server.url, { method: 'GET', path: '/api/v1/entries?limit=1&fields=meta' })).status)
      .toBe(200);
  });

  it.each([
    ['a read', getRequest(ENTRY)],
    ['a list', getRequest('/api/v1/entries')],
    ['a call over MCP', mcpRequest],
  ])('end with the connection: %s', async (_, request) => {
    const stallMs = 2000;
    const server = await open({ timeouts: { stallMs }, answerLimits: { perAccount: 28 * MB, inAll: 40 * MB } });
    const socket = await askAndTakeNothing(server, request);
    const began = performance.now();
    // There is no room for another answer as long as the connection lasts.
    const other = async () => (await send(server.url, { method: 'GET', path: '/api/v1/entries/small/value' })).status;
    expect(await other()).toBe(503);
    await expect.poll(other).toBe(200);
    expect(performance.now() - began).toBeLessThan(1.75 * stallMs);
    expect(await restOf(socket)).toBeLessThan(VALUE_BYTES);
  });

  it('are not confused with work that takes long, or with a reader that takes its time', async () => {
    const server = await open({ timeouts: { stallMs: 1500 } });
    const socket = await askAndTakeNothing(server, getRequest(ENTRY));
    let bytes = 0;
    while (bytes <= VALUE_BYTES) {
      const chunk: Buffer | null = socket.read();
      bytes += chunk?.length ?? 0;
      if (bytes <= VALUE_BYTES) await once(socket, 'readable');
      await sleep(5);
    }
  });
});

describe('no answer is sniffed', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await listen(app, { internalKey: 'an internal key of a test' });
  });
  afterAll(() => server.close());

  it.each(labelled(allAddresses))('%s', async (_, address) => {
    const { headers } = await send(server.url, requestFor(address, markedInput(address.name, 'sniffed')));
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it.each([
    '/',
    '/docs',
    '/docs/',
    '/docs/openapi.json',
    '/openapi.json',
    '/metrics',
    '/health',
    '/nowhere',
    '/%zz',
    '/mcp',
  ])('GET and HEAD %s', async (path) => {
    for (const method of ['GET', 'HEAD']) {
      const { headers } = await send(server.url, { method, path });
      expect(headers.get('x-content-type-options'), method).toBe('nosniff');
    }
  });

  it.each([
    ['broken HTTP', 'nonsense\r\n\r\n'],
    ['a request without a host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['an expectation', 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: wonders\r\n\r\n'],
    [
      'a body of the wrong type',
      'POST /api/v1/entries HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: a/b\r\nContent-Length: 1\r\n\r\n1',
    ],
  ])('%s', async (_, bytes) => {
    expect(readRaw(await sendRaw(server.url, bytes)).headers['x-content-type-options']).toBe('nosniff');
  });
});
