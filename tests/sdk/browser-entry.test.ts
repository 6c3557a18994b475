import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, createClient as createWholeClient } from '@mem-service/sdk';
import { createClient, isMemError, type Methods } from '@mem-service/sdk/browser';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { type Backend, backends } from '../support/app.ts';
import { type Hosted, type NewAccount, openHosted } from '../support/hosted.ts';

describe.each(backends)('the entry of the SDK for browsers, on %s', (backend: Backend) => {
  let service: Hosted;
  let account: NewAccount;
  let key: string | undefined;
  let mem: Methods;
  beforeAll(async () => {
    service = await openHosted(backend);
    account = await service.newAccount();
    mem = createClient({ url: service.server.url, apiKey: () => key, agentId: 'agent/page', retries: 0 });
  });
  afterAll(() => service.close());

  it('has the methods of the whole client, with the same types', () => {
    const whole = createWholeClient({ url: service.server.url });
    const { session: _, ...rest } = whole;
    const namesOf = (client: object) =>
      Object.entries(client).flatMap(([name, group]) => [name, ...Object.keys(group)]);
    expect(namesOf(mem)).toEqual(namesOf(rest));
    expectTypeOf<Client>().toExtend<Methods>();
    expectTypeOf(mem.entries.read).toEqualTypeOf<Client['entries']['read']>();
  });

  it('asks for the key before each request, so that a user can sign in and out', async () => {
    key = undefined;
    const refused = await mem.entries.list().catch((error: unknown) => error);
    expect(isMemError(refused, 'unauthenticated')).toBe(true);
    key = account.key;
    expect((await mem.entries.list()).entries).toEqual([]);
    key = 'with\ncontrol';
    expect(await mem.entries.list().catch(({ code }) => code)).toBe('invalid_input');
    key = undefined;
    expect(await mem.entries.list().catch(({ status }) => status)).toBe(401);
  });

  it('writes, reads, names errors and goes through all pages', async () => {
    key = account.key;
    for (let i = 0; i < 5; i++) await mem.entries.write({ entityPath: 'page/a', key: `k${i}`, value: { user_key: i } });
    const conflict = await mem.entries
      .write({ entityPath: 'page/a', key: 'k0', value: 1, ifVersion: 7 })
      .catch((error: unknown) => error);
    expect(isMemError(conflict, 'version_conflict') && conflict.details.currentVersion).toBe(1);
    const found: unknown[] = [];
    for await (const { key: name, value } of mem.entries.list.all({ entityPath: 'page/a', limit: 2 }))
      found.push([name, value]);
    expect(found).toEqual([0, 1, 2, 3, 4].map((i) => [`k${i}`, { user_key: i }]));
    const merged = await mem.entries.write(
      { entityPath: 'page/a', key: 'k1', value: { mine: 1 } as object },
      { conflict: (mine, theirs) => ({ ...theirs, ...mine }) },
    );
    expect(merged.version).toBe(2);
    expect((await mem.entries.read({ entityPath: 'page/a', key: 'k1' })).value).toEqual({ user_key: 1, mine: 1 });
  });

  it('follows the stream over a broken connection, without gaps, with the key of the time', async () => {
    key = account.key;
    const { origin, cut, keys, close } = await breakable(service.server.url);
    const own = createClient({ url: origin, apiKey: () => key, agentId: 'agent/page' });
    const seen: string[] = [];
    const { key: second } = await service.newKey(account.key);
    for await (const event of own.stream({ after: 0, types: ['write'] })) {
      seen.push(String(event.key));
      if (seen.length === 6) {
        key = second;
        cut();
        await mem.entries.write({ entityPath: 'page/a', key: 'k5', value: 1 });
      }
      if (seen.length === 7) break;
    }
    close();
    expect(seen).toEqual(['k0', 'k1', 'k2', 'k3', 'k4', 'k1', 'k5']);
    expect(keys).toEqual([account.key, second]);
  });
});

/** A way to the service whose connections can be cut; it notes the keys that came. */
async function breakable(target: string) {
  const keys: unknown[] = [];
  const server = createServer((incoming, outgoing) => {
    keys.push(incoming.headers['x-mem-api-key']);
    const passed = request(target + incoming.url, { headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    outgoing.on('close', () => passed.destroy());
    passed.on('error', () => outgoing.destroy()).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const cut = () => server.closeAllConnections();
  return { origin: `http://127.0.0.1:${port}`, keys, cut, close: () => server.close().closeAllConnections() };
}
