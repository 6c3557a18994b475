import { setTimeout as sleep } from 'node:timers/promises';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Database, type Sql, StorageError } from '../../packages/server/src/db/index.ts';
import { until } from '../faults/support/mem-process.ts';
import { open } from '../mcp/support.ts';
import { openStream } from '../stream/support.ts';
import { backends, listen, openTestApp } from '../support/app.ts';
import {
  type Hosted,
  INTERNAL_KEY,
  type NewAccount,
  openHosted,
  patch,
  post,
  remove,
  write,
} from '../support/hosted.ts';
import { send } from '../support/wire.ts';

const KEYS = '/api/v1/admin/api-keys';
const at = ({ account_id }: NewAccount) => `/api/v1/internal/accounts/${account_id}`;
const follow = (url: string, key: string) => openStream(url, { headers: { 'x-mem-api-key': key } });
const suspend = (service: Hosted, account: NewAccount) => service.control(patch(at(account), { status: 'suspended' }));
const destroy = (service: Hosted, account: NewAccount) =>
  service.control({ ...remove(at(account)), body: JSON.stringify({ force: true, name: 'Example' }) });

describe.each(backends)('an open stream on %s', (backend) => {
  let service: Hosted;
  beforeAll(async () => {
    service = await openHosted(backend);
  });
  afterAll(() => service.close());
  const tuneIn = (key: string) => follow(service.server.url, key);

  it('ends when its key is revoked, and no other with it', async () => {
    const { key: admin } = await service.newAccount();
    const { key, key_id } = await service.newKey(admin);
    const [first, second, other] = [await tuneIn(key), await tuneIn(key), await tuneIn(admin)];
    await service.as(admin, write('before'));
    await first.has(1);
    await service.as(admin, remove(`${KEYS}/${key_id}`));
    await Promise.all([first.over, second.over]);
    await service.as(admin, write('after'));
    await other.has(2);
    expect(first.events.map(({ data }) => data.entity_path)).toEqual(['before']);
    expect((await tuneIn(key)).status).toBe(401);
  });

  it('ends when its key has expired, and gets no events from that moment on', async () => {
    const { key: admin } = await service.newAccount();
    const { key, key_id } = await service.newKey(admin);
    const [listener, other] = [await tuneIn(key), await tuneIn(admin)];
    await service.as(admin, post(`${KEYS}/${key_id}/rotate`, { overlap_seconds: 60 }));
    await service.as(admin, write('within/the/overlap'));
    await listener.has(1);
    service.app.clock.advance(61_000);
    await service.as(admin, write('after/it'));
    await other.has(2);
    await listener.over;
    expect(listener.events).toHaveLength(1);
  });

  it('ends by itself when its key has expired and nothing happens', async () => {
    const { key: admin } = await service.newAccount();
    const expires_at = new Date(service.app.clock.now() + 60_000).toISOString();
    const listener = await tuneIn((await service.newKey(admin, { expires_at })).key);
    service.app.clock.advance(61_000);
    await listener.over;
  });

  it.each([
    ['suspended', suspend],
    ['deleted', destroy],
  ])('ends when its account is %s', async (_, change) => {
    const account = await service.newAccount();
    const listener = await tuneIn(account.key);
    const neighbour = await service.newAccount();
    const other = await tuneIn(neighbour.key);
    expect((await change(service, account)).status).toBe(200);
    await listener.over;
    await service.as(neighbour.key, write('still/here'));
    await other.has(1);
    expect((await tuneIn(account.key)).status).not.toBe(200);
  });

  it('goes on when its account is renamed, and comes back when it is active again', async () => {
    const account = await service.newAccount();
    const listener = await tuneIn(account.key);
    await service.control(patch(at(account), { name: 'Renamed', plan: 'pro' }));
    await service.as(account.key, write('a'));
    await listener.has(1);
    expect(listener.isOver()).toBe(false);
    await suspend(service, account);
    await listener.over;
    await service.control(patch(at(account), { status: 'active' }));
    const again = await openStream(service.server.url, {
      lastId: listener.lastId(),
      headers: { 'x-mem-api-key': account.key },
    });
    await service.as(account.key, write('b'));
    await again.has(1);
    expect(again.events[0]?.data).toMatchObject({ entity_path: 'b' });
  });

  it('of all branches has those that its key may read, as grants come and go', async () => {
    const { key: admin } = await service.newAccount();
    const { key, key_id } = await service.newKey(admin);
    const { key: foreign } = await service.newAccount();
    const as = (one: string) => ({ query: 'all_branches=true', headers: { 'x-mem-api-key': one } });
    const [reader, whole, neighbour] = [
      await openStream(service.server.url, as(key)),
      await openStream(service.server.url, as(admin)),
      await openStream(service.server.url, as(foreign)),
    ];
    const put = async (branch: string, entity_path: string) => {
      const body = { entity_path, key: 'k', value: 1, branch };
      expect((await service.as(admin, post('/api/v1/entries', body))).status).toBe(201);
    };
    for (const name of ['open', 'closed']) await service.as(admin, post('/api/v1/branches', { name }));
    const GRANTS = '/api/v1/branches/open/access';
    const pathsOf = ({ events }: typeof reader) =>
      events.flatMap(({ data }) => (data.event_type === 'write' ? [`${data.branch}: ${data.entity_path}`] : []));
    // An event is for those that may read the branch when it is handed on.
    const handedOn = (one: typeof reader, path: string) =>
      until(() => pathsOf(one).includes(path), { what: `the write to ${path}` });
    await put('open', 'before/the-grant');
    await handedOn(whole, 'open: before/the-grant');
    await service.as(admin, post(GRANTS, { grantee_type: 'api_key', grantee_id: key_id }));
    await put('open', 'with/the-grant');
    await put('closed', 'never/granted');
    await put('main', 'on/main');
    for (const one of [reader, whole]) await handedOn(one, 'main: on/main');
    await service.as(admin, remove(`${GRANTS}/api_key/${key_id}`));
    await put('open', 'after/the-grant');
    await put('main', 'at-last');
    for (const one of [reader, whole]) await handedOn(one, 'main: at-last');
    expect(pathsOf(reader)).toEqual(['open: with/the-grant', 'main: on/main', 'main: at-last']);
    expect(pathsOf(whole)).toHaveLength(6);
    expect(reader.raw()).not.toContain('closed');
    expect(neighbour.events).toEqual([]);
    const again = await openStream(service.server.url, { ...as(key), after: 0 });
    await handedOn(again, 'main: at-last');
    expect(pathsOf(again)).toEqual(['main: on/main', 'main: at-last']);
  });

  it('ends for a client of MCP that listens', async () => {
    const account = await service.newAccount();
    const transport = new StreamableHTTPClientTransport(new URL(`${service.server.url}/mcp`), {
      requestInit: { headers: { 'x-mem-api-key': account.key } },
    });
    const mcp = await open('watcher', transport, true);
    const following = service.app.kernel.following;
    await mcp.client.listen({ resourceSubscriptions: ['mem://entries'] });
    expect(service.app.kernel.following).toBe(following + 1);
    await suspend(service, account);
    await until(() => service.app.kernel.following === following, { what: 'its end' });
    await expect(mcp.call('mem_whoami')).rejects.toThrow();
  });
});

it.each(backends)('streams of another server on the same %s end within five seconds', async (backend) => {
  const first = await openHosted(backend);
  const second = await openTestApp(backend, { place: first.app.place, hosted: true, rateLimits: false });
  const server = await listen(second, { hosted: true, internalKey: INTERNAL_KEY });
  onTestFinished(async () => {
    await server.close();
    await second.close();
    await first.close();
  });
  const changes = {
    revoked: ({ key, key_id }: NewAccount) => first.as(key, remove(`${KEYS}/${key_id}`)),
    suspended: (account: NewAccount) => suspend(first, account),
    deleted: (account: NewAccount) => destroy(first, account),
  };
  const ends = Object.entries(changes).map(async ([name, change]) => {
    const account = await first.newAccount();
    const { over } = await follow(server.url, account.key);
    expect((await change(account)).status).toBe(200);
    return Promise.race([over.then(() => `${name}: over`), sleep(5_500, `${name}: open`, { ref: false })]);
  });
  expect(await Promise.all(ends)).toEqual(['revoked: over', 'suspended: over', 'deleted: over']);
});

it('a stream ends without sending more when the store has not answered for long', async () => {
  let isAway = false;
  const breakLooks = (database: Database): Database => {
    const { read } = database;
    const all = (statement: Sql) => {
      if (isAway && statement.text.includes('api_keys')) throw new StorageError('unavailable', new Error('away'));
      return read.all(statement);
    };
    return new Proxy(database, {
      get: (target, name) => {
        const member = target[name as keyof Database];
        if (name === 'read') return { all, get: (statement: Sql) => read.get(statement) };
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  };
  const service = await openHosted('sqlite', { app: { wrapDatabase: breakLooks } });
  onTestFinished(() => service.close());
  const { key, account_id } = await service.newAccount();
  const listener = await follow(service.server.url, key);
  const report = (entity_path: string) =>
    service.app.call('entries.write', { entity_path, key: 'k', value: 1 }, { account_id });
  isAway = true;
  await report('soon/after');
  await listener.has(1);
  const now = performance.now.bind(performance);
  const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 5_000);
  onTestFinished(() => later.mockRestore());
  await report('long/after');
  await listener.over;
  expect(listener.events).toHaveLength(1);
});

it.each(backends)(
  'a stream of a service of one account, on %s, ends with the key that an admin made',
  async (backend) => {
    const app = await openTestApp(backend);
    const server = await listen(app, { apiKeys: ['a-key-of-the-configuration'] });
    onTestFinished(() => server.close().then(() => app.close()));
    const as = (sent: Parameters<typeof send>[1]) =>
      send(server.url, { ...sent, headers: { 'x-mem-api-key': 'a-key-of-the-configuration' } });
    const { json } = await as(post(KEYS, { name: 'reader' }));
    const listener = await follow(server.url, json.key as string);
    const own = await follow(server.url, 'a-key-of-the-configuration');
    await as(remove(`${KEYS}/${json.key_id}`));
    await listener.over;
    await as(write('a'));
    await own.has(1);
  },
);
