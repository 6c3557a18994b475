import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { readRaw, send, sendRaw } from '../support/wire.ts';

describe('what is not a request', () => {
  let app: TestApp;
  let server: TestServer;
  beforeAll(async () => {
    app = await openTestApp('sqlite');
    const timeouts = { headersMs: 150, requestMs: 300, keepAliveMs: 72_000, checkEveryMs: 25 };
    server = await listen(app, { timeouts, maxBodyBytes: 1000 });
  });
  afterAll(async () => {
    await server.close();
    await app.close();
  });

  async function expectProblem(bytes: string | Buffer, status: number, code: string): Promise<void> {
    const answer = readRaw(await sendRaw(server.url, bytes));
    expect({ status: answer.status, type: answer.headers['content-type'] }).toEqual({
      status,
      type: 'application/problem+json; charset=utf-8',
    });
    expect(JSON.parse(answer.body)).toMatchObject({ status, code, type: `urn:mem:error:${code}` });
    expect(Number(answer.headers['content-length'])).toBe(Buffer.byteLength(answer.body));
    expect(answer.headers.connection).toBe('close');
  }

  it.each([
    ['noise', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0xff])],
    ['text that is no HTTP', 'hello there\r\n\r\n'],
    ['a method nobody knows', 'FETCH / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a version nobody knows', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['a header without a colon', 'GET /health HTTP/1.1\r\nHost: x\r\nbroken\r\n\r\n'],
    ['a length that is no number', 'POST /api/v1/entries HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['no host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['a control character in a header', 'GET / HTTP/1.1\r\nHost: x\r\nX-A: a\u0001b\r\n\r\n'],
  ])('%s is told so', async (_, bytes) => {
    await expectProblem(bytes, 400, 'invalid_request');
  });

  it('headers that are too large are answered with an error', async () => {
    const big = `GET /health HTTP/1.1\r\nHost: x\r\nX-Big: ${'x'.repeat(40_000)}\r\n\r\n`;
    await expectProblem(big, 431, 'headers_too_large');
    await expectProblem(`GET /${'a'.repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431, 'headers_too_large');
  });

  it('a client that does not finish its headers gets an error and is disconnected', async () => {
    await expectProblem('GET /health HTTP/1.1\r\nHost: x\r\n', 408, 'request_timeout');
  });

  it('a client that does not finish its body gets an error and is disconnected', async () => {
    const head =
      'POST /api/v1/entries HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{';
    await expectProblem(head, 408, 'request_timeout');
  });

  it('a client that never hangs up does not keep its connection', async () => {
    const { hostname, port } = new URL(server.url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.on('error', () => {});
    socket.resume();
    // The server has answered long before the client notices that its data is not read.
    const talking = setInterval(() => socket.write('nonsense\r\n\r\n'), 50);
    await closed;
    clearInterval(talking);
    expect(socket.destroyed).toBe(true);
  });

  it('a truncated body or invalid chunks do not affect other clients', async () => {
    const chunks =
      'POST /api/v1/entries HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n';
    expect(readRaw(await sendRaw(server.url, chunks)).status).toBe(400);
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write(
      'POST /api/v1/entries HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"a"',
    );
    await sleep(20);
    socket.destroy();
    expect((await send(server.url, { method: 'GET', path: '/health' })).status).toBe(200);
  });

  it('requests in one breath are answered in order', async () => {
    const one = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n';
    const last = 'GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const text = await sendRaw(server.url, one + one + last);
    expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => match[1])).toEqual(['200', '200', '404']);
  });
});
