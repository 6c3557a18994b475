import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@mem-service/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { readRaw, sendRaw } from '../support/wire.ts';

const run = promisify(execFile);
const MAX_BODY = 100_000;
/** Far more than the buffers of both sides of a connection hold. */
const BYTES = 20_000_000;
const PROBLEM = { status: 413, code: 'body_too_large' };

const URLLIB = `
import json, sys, urllib.error, urllib.request
body = b'{"value": "' + b"x" * int(sys.argv[2]) + b'"}'
request = urllib.request.Request(sys.argv[1], data=body, headers={"Content-Type": "application/json"})
try:
    urllib.request.urlopen(request)
except urllib.error.HTTPError as error:
    print(json.dumps({"status": error.code, **json.load(error)}))
`;

describe('a body over the limit', () => {
  let app: TestApp;
  let server: TestServer;
  let folder: string;
  const address = () => `${server.url}/api/v1/entries`;
  beforeAll(async () => {
    app = await openTestApp('sqlite');
    server = await listen(app, { maxBodyBytes: MAX_BODY, unreadLimits: { maxBytes: 2 * BYTES, maxMs: 10_000 } });
    folder = mkdtempSync(join(tmpdir(), 'mem-large-'));
  });
  afterAll(async () => {
    await server.close();
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is refused in words that fetch reads', async () => {
    const headers = { 'content-type': 'application/json' };
    const sent = { method: 'POST', headers, body: 'x'.repeat(BYTES) };
    for (let time = 0; time < 5; time++) {
      const answer = await fetch(address(), sent);
      expect(await answer.json()).toMatchObject(PROBLEM);
    }
  });

  it('is refused in words that our SDK reads, on the first attempt', async () => {
    const client = createClient({ url: server.url, retries: 0 });
    const written = client.entries.write({ entityPath: 'a', key: 'k', value: 'x'.repeat(BYTES) });
    await expect(written).rejects.toMatchObject(PROBLEM);
  });

  it('is refused in words that urllib reads, which sends everything first', async () => {
    for (let time = 0; time < 5; time++) {
      const { stdout } = await run('python3', ['-c', URLLIB, address(), String(BYTES)]);
      expect(JSON.parse(stdout)).toMatchObject(PROBLEM);
    }
  });

  it.each([['Expect:'], ['Transfer-Encoding: chunked']])('is refused in words that curl reads (%s)', async (header) => {
    const file = join(folder, 'body');
    writeFileSync(file, 'x'.repeat(BYTES));
    const args = [
      '-sS',
      '-X',
      'POST',
      '-H',
      header,
      '-H',
      'Content-Type: application/json',
      '--data-binary',
      `@${file}`,
    ];
    const { stdout } = await run('curl', [...args, address()]);
    expect(JSON.parse(stdout)).toMatchObject(PROBLEM);
  });

  it('is also read to its end where the route or its type is refused', async () => {
    const headers = (type: string) =>
      `Host: x\r\nConnection: close\r\nContent-Type: ${type}\r\nContent-Length: ${BYTES}`;
    const ask = async (url: string, path: string, type = 'application/json') =>
      readRaw(await sendRaw(url, `POST ${path} HTTP/1.1\r\n${headers(type)}\r\n\r\n${'x'.repeat(BYTES)}`)).status;
    expect(await ask(server.url, '/nowhere')).toBe(404);
    expect(await ask(server.url, '/api/v1/entries', 'text/plain')).toBe(415);
    expect(await ask(server.url, '/mcp')).toBe(413);
  });

  /** Sends the head of a request, then bytes as long as the server takes any. Returns what it answered. */
  async function sendForever(url: string, pause: number): Promise<{ answer: string; sent: number }> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    let answer = '';
    let sent = 0;
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', () => {});
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.write(
      'POST /api/v1/entries HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9000000000\r\n\r\n',
    );
    const chunk = Buffer.alloc(64 * 1024, 120);
    const more = () => {
      if (socket.destroyed) return;
      sent += chunk.length;
      socket.write(chunk, () => setTimeout(more, pause));
    };
    more();
    await closed;
    return { answer, sent };
  }

  it('is dropped up to a limit of bytes, and then the connection is closed', async () => {
    const short = await listen(app, { maxBodyBytes: MAX_BODY, unreadLimits: { maxBytes: 1_000_000, maxMs: 60_000 } });
    const { answer, sent } = await sendForever(short.url, 0);
    expect(readRaw(answer).status).toBe(413);
    expect(sent).toBeLessThan(50_000_000);
    await short.close();
  });

  it('is dropped for a limit of time, and then the connection is closed', async () => {
    const short = await listen(app, { maxBodyBytes: MAX_BODY, unreadLimits: { maxBytes: 1e9, maxMs: 200 } });
    const { answer } = await sendForever(short.url, 50);
    expect(readRaw(answer).status).toBe(413);
    await short.close();
  });

  it('is dropped up to a few megabytes and two seconds for a caller without a valid key', async () => {
    const keyed = await listen(app, { apiKeys: ['a-key-for-the-tests'], maxBodyBytes: MAX_BODY });
    try {
      const { answer, sent } = await sendForever(keyed.url, 0);
      expect(readRaw(answer).status).toBe(401);
      expect(answer).toMatch(/^connection: close\r$/im);
      expect(sent).toBeLessThan(50_000_000);
      const head = 'Host: x\r\nContent-Type: application/json\r\nContent-Length: 1000000';
      const short = await sendRaw(
        keyed.url,
        `POST /api/v1/entries HTTP/1.1\r\n${head}\r\n\r\n${'x'.repeat(1_000_000)}`,
      );
      expect(readRaw(short).status).toBe(401);
    } finally {
      await keyed.close();
    }
  });
});
