import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { HttpClient } from './support/client.ts';
import { listenTo, openKernel } from './support/open-kernel.ts';

const timeouts = { headersMs: 300, requestMs: 600, keepAliveMs: 72_000, checkEveryMs: 50 };

async function dial(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Sends a byte at a time until it is disconnected, and returns the answer. */
async function trickle(socket: Socket, text: string): Promise<string> {
  let received = '';
  let open = true;
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.on('close', () => {
    open = false;
  });
  const deadline = performance.now() + 20_000;
  for (let at = 0; open && performance.now() < deadline; at++) {
    if (socket.writable) socket.write(text[at % text.length] as string);
    await sleep(25);
  }
  expect(open, 'the connection was cut off').toBe(false);
  return received;
}

it('a client that sends its request a byte at a time is disconnected, and delays no other client', async () => {
  const { kernel } = await openKernel('sqlite');
  const url = await listenTo(kernel, { timeouts });
  const client = new HttpClient(url);
  const slowHeaders = trickle(await dial(url), `GET /health HTTP/1.1\r\nHost: x\r\n${'X-Slow: yes\r\n'.repeat(1000)}`);
  const slowBody = dial(url).then((socket) => {
    socket.write(
      'POST /api/v1/entries HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n',
    );
    return trickle(socket, '{"entity_path": "slow", "key": "k", "value": "');
  });
  let slow = true;
  const both = Promise.all([slowHeaders, slowBody]).finally(() => {
    slow = false;
  });
  for (let i = 0; slow && i < 1000; i++) {
    expect((await client.write('quick', `k${i % 10}`, i)).status).toBe(201);
    await sleep(10);
  }
  for (const received of await both) {
    expect(received).toMatch(/^HTTP\/1\.1 408 /);
    expect(received).toContain('"code":"request_timeout"');
  }
  expect((await client.get('/api/v1/entry?entity_path=slow&key=k')).status).toBe(404);
});

it('five hundred connections that say nothing do not hurt', async () => {
  const { kernel } = await openKernel('sqlite');
  const url = await listenTo(kernel, { timeouts: { ...timeouts, headersMs: 1500, requestMs: 3000 } });
  const idle = await Promise.all(Array.from({ length: 500 }, () => dial(url)));
  const client = new HttpClient(url);
  const replies = await Promise.all(Array.from({ length: 50 }, (_, i) => client.write('among', `k${i}`, i)));
  expect(replies.every(({ status }) => status === 201)).toBe(true);
  // They are not kept for ever either.
  await Promise.all(idle.map((socket) => socket.resume().closed || once(socket, 'close')));
  expect((await client.get('/health')).status).toBe(200);
});
