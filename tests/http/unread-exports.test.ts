import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { operations } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database, Snapshot } from '../../packages/server/src/db/index.ts';
import { SELF_HOSTED_ACCOUNT as account_id } from '../../packages/server/src/kernel/index.ts';
import { fieldsOf } from '../contract/table.ts';
import { backends, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { watchDatabase } from '../support/statements.ts';
import { allAddresses, requestFor, send } from '../support/wire.ts';

const MB = 1024 * 1024;
/** More than the buffers of both ends of a connection hold. */
const VALUES = 10;
const KEY = 'an internal key of a test';
const inLines = allAddresses
  // The lines of an investigation are few, and fit into the buffers.
  .filter(({ name }) => operations[name].lines && name !== 'investigations.run')
  .map((address) => requestFor(address, 'account_id' in fieldsOf(address.name) ? { account_id } : {}).path);

/** As many bytes in examples for training. */
async function sealSessions(app: TestApp): Promise<void> {
  const entry = { entity_path: 'known', key: 'k' };
  await app.call('entries.write', { ...entry, value: 'x'.repeat(MB / 2) });
  for (let i = 0; i < 2 * VALUES; i++) {
    const as = { agent_id: 'agent/a', session_id: `session-${i}` };
    await app.call('entries.read', entry, as);
    const ended = { outcome_ref: `o${i}`, outcome_type: 'success', task_input: 'task', response_text: 'done' } as const;
    await app.call('outcomes.commit', ended, as);
  }
}

const bound = (target: Snapshot, name: string | symbol) => {
  const value: unknown = Reflect.get(target, name);
  return typeof value === 'function' ? value.bind(target) : value;
};

describe.each(backends)('answers in lines that nobody reads, on %s', (backend) => {
  let app: TestApp;
  let server: TestServer;
  const sockets: Socket[] = [];
  let openSnapshots = 0;
  const countSnapshots = (database: Database): Database => ({
    ...watchDatabase(database, () => {}),
    async snapshot(account) {
      const snapshot = await database.snapshot(account);
      openSnapshots++;
      const close = async () => {
        await snapshot.close();
        openSnapshots--;
      };
      return new Proxy(snapshot, { get: (target, name) => (name === 'close' ? close : bound(target, name)) });
    },
  });
  beforeAll(async () => {
    // With one connection for all requests, one that an export kept would be the last.
    app = await openTestApp(backend, { postgresPool: 1, wrapDatabase: countSnapshots });
    for (let i = 0; i < VALUES; i++)
      await app.call('entries.write', { entity_path: 'large', key: `k${i}`, value: 'x'.repeat(MB - 2) });
    await sealSessions(app);
    server = await listen(app, { internalKey: KEY, timeouts: { stallMs: 2000 } });
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await server.close();
    await app.close();
  });

  /** Asks, and takes nothing of the answer but its beginning. */
  async function askAndTakeNothing(path: string): Promise<Socket> {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    socket.on('error', () => {});
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-MEM-Internal-Key: ${KEY}\r\n\r\n`);
    await once(socket, 'readable');
    return socket;
  }

  const ask = (path: string) => send(server.url, { method: 'GET', path, headers: { 'x-mem-internal-key': KEY } });

  it.each(inLines)('are two at once, and keep no other request from the store: %s', async (path) => {
    const unread = await Promise.all([askAndTakeNothing(path), askAndTakeNothing(path)]);
    const refused = await ask(path);
    expect(refused).toMatchObject({ status: 503, json: { code: 'unavailable' } });
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(refused.json.detail).toMatch(/exports of this account are under way/);
    expect((await ask('/api/v1/entries?limit=1&fields=meta')).status).toBe(200);
    for (const socket of unread) socket.destroy();
    await expect.poll(async () => (await ask(path)).status).toBe(200);
    await expect.poll(() => openSnapshots).toBe(0);
  });

  it('end with the connection once nothing was taken for as long as a reader may take nothing', async () => {
    const socket = await askAndTakeNothing('/api/v1/export');
    const began = performance.now();
    expect(openSnapshots).toBe(1);
    await expect.poll(() => openSnapshots).toBe(0);
    const seconds = (performance.now() - began) / 1000;
    expect(seconds).toBeGreaterThan(1.9);
    expect(seconds).toBeLessThan(4);
    let bytes = 0;
    socket.on('data', (chunk) => {
      bytes += chunk.length;
    });
    if (!socket.destroyed) await once(socket, 'close');
    expect(bytes).toBeLessThan(VALUES * MB);
  });
});
