import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toSecret } from '../../packages/server/src/modules/keys/rules/secret.ts';
import { backends, listen, openTestApp } from '../support/app.ts';
import { get, type Hosted, INTERNAL_KEY, openHosted, patch, post, remove, write } from '../support/hosted.ts';
import { controlAddresses, type HttpRequest, labelled, requestFor, send } from '../support/wire.ts';

const KEYS = '/api/v1/admin/api-keys';

describe.each(backends)('keys of accounts on %s', (backend) => {
  let service: Hosted;
  let admin: string;
  let account_id: string;
  beforeAll(async () => {
    service = await openHosted(backend);
    ({ key: admin, account_id } = await service.newAccount());
  });
  afterAll(() => service.close());

  it('a key is shown once and kept nowhere', async () => {
    const { key, key_id } = await service.newKey(admin, { name: 'shown once' });
    expect(key).toMatch(/^mem_sk_[0-9A-Za-z]{49}$/);
    const { text } = await service.as(admin, get(KEYS));
    expect(text).toContain(key_id);
    expect(text).not.toContain(key.slice(12));
  });

  it('a retry of a creation makes no second key and shows the first no more', async () => {
    const headers = { 'idempotency-key': 'create-1' };
    const sent = { ...post(KEYS, { name: 'retried' }), headers };
    const first = await service.as(admin, sent);
    const again = await service.as(admin, sent);
    expect(again.json).toEqual({ ...first.json, key: null });
  });

  it('each key reaches its own account alone', async () => {
    const other = await service.newAccount({ name: 'Other' });
    await service.as(admin, write('mine/only', 'secret', 'of the first'));
    expect((await service.as(other.key, get('/api/v1/entries/mine/only/secret'))).status).toBe(404);
    expect((await service.as(admin, get('/api/v1/entries/mine/only/secret'))).json).toMatchObject({
      value: 'of the first',
    });
  });

  it.each([
    ['none', undefined, /X-MEM-API-Key/],
    ['one of another form', 'some-key', /starts with mem_sk_/],
    ['one that is cut off', 'mem_sk_abc', /cut off/],
    ['one that nobody made', toSecret(new Uint8Array(32).fill(7)), /not known/],
  ])('%s is refused', async (_, key, detail) => {
    const headers: Record<string, string> = key === undefined ? {} : { 'x-mem-api-key': key };
    const { status, json } = await send(service.server.url, { ...get('/api/v1/entries'), headers });
    expect(status).toBe(401);
    expect(json).toMatchObject({ code: 'unauthenticated', detail: expect.stringMatching(detail) });
  });

  it('a typo is told from a key that is not known', async () => {
    const typo = `${admin.slice(0, -1)}${admin.endsWith('A') ? 'B' : 'A'}`;
    expect((await service.as(typo, get('/api/v1/entries'))).json).toMatchObject({
      detail: expect.stringContaining('typo'),
    });
  });

  it('a revoked key is refused at once, and stays revoked', async () => {
    const { key, key_id } = await service.newKey(admin);
    expect((await service.as(key, get('/api/v1/entries'))).status).toBe(200);
    const revoked = await service.as(admin, remove(`${KEYS}/${key_id}`));
    expect(revoked.json).toMatchObject({ key_id, active: false });
    expect((await service.as(key, get('/api/v1/entries'))).json).toMatchObject({ detail: 'the API key was revoked' });
    const again = await service.as(admin, remove(`${KEYS}/${key_id}`));
    expect(again.json).toMatchObject({ revoked_at: revoked.json.revoked_at });
  });

  it('a key that has expired is refused', async () => {
    const expires_at = new Date(service.app.clock.now() + 60_000).toISOString();
    const { key } = await service.newKey(admin, { expires_at });
    expect((await service.as(key, get('/api/v1/entries'))).status).toBe(200);
    service.app.clock.advance(61_000);
    expect((await service.as(key, get('/api/v1/entries'))).json).toMatchObject({ detail: 'the API key has expired' });
  });

  it('a rotated key goes on for the overlap, beside the new one', async () => {
    const { key, key_id } = await service.newKey(admin, {
      name: 'rotated',
      scopes: [{ pattern: 'a/**', permission: 'read' }],
    });
    const { json } = await service.as(admin, post(`${KEYS}/${key_id}/rotate`, { overlap_seconds: 60 }));
    expect(json).toMatchObject({
      name: 'rotated',
      rotated_from: key_id,
      scopes: [{ pattern: 'a/**', permission: 'READ' }],
    });
    expect((await service.as(key, get('/api/v1/stats'))).status).toBe(200);
    service.app.clock.advance(61_000);
    expect((await service.as(key, get('/api/v1/stats'))).status).toBe(401);
    expect((await service.as(json.key as string, get('/api/v1/stats'))).status).toBe(200);
    expect((await service.as(admin, post(`${KEYS}/${key_id}/rotate`, {}))).status).toBe(409);
  });

  it('only an admin key manages keys', async () => {
    const { key, key_id } = await service.newKey(admin, { key_type: 'service' });
    for (const sent of [get(KEYS), post(KEYS, { name: 'more' }), remove(`${KEYS}/${key_id}`)]) {
      const { status, json } = await service.as(key, sent);
      expect(status).toBe(403);
      expect(json).toMatchObject({
        code: 'forbidden',
        detail: expect.stringContaining('needs a key of the type admin'),
      });
    }
  });

  it('a key gives away no more than it has', async () => {
    const narrow = await service.newKey(admin, {
      key_type: 'admin',
      scopes: [{ pattern: 'team/**', permission: 'READ_WRITE' }],
    });
    const tries = [
      [{ pattern: '*', permission: 'READ' }, 403],
      [{ pattern: 'other', permission: 'READ' }, 403],
      [{ pattern: 'team/a/*', permission: 'WRITE' }, 201],
    ] as const;
    for (const [scope, status] of tries)
      expect((await service.as(narrow.key, post(KEYS, { name: 'x', scopes: [scope] }))).status).toBe(status);
  });

  it('a key of another account is not there', async () => {
    const other = await service.newAccount({ name: 'Other' });
    const { key_id } = await service.newKey(admin);
    expect((await service.as(other.key, remove(`${KEYS}/${key_id}`))).status).toBe(404);
  });

  it('when a key was last used is noted now and then', async () => {
    const { key, key_id } = await service.newKey(admin);
    await service.as(key, get('/api/v1/stats'));
    await service.app.jobs.sweep();
    const { json } = await service.as(admin, get(KEYS));
    const found = (json.keys as { key_id: string; last_used_at: string }[]).find((one) => one.key_id === key_id);
    expect(found?.last_used_at).toBe(new Date(service.app.clock.now()).toISOString());
  });

  it('a suspended account is refused with its data kept', async () => {
    const { account_id: id, key } = await service.newAccount({ name: 'Late payer' });
    await service.as(key, write('kept/here'));
    const account = `/api/v1/internal/accounts/${id}`;
    expect((await service.control(patch(account, { status: 'suspended' }))).json).toMatchObject({
      status: 'suspended',
    });
    expect(await service.as(key, get('/api/v1/entries/kept/here/k'))).toMatchObject({
      status: 403,
      json: { code: 'account_suspended' },
    });
    await service.control(patch(account, { status: 'active' }));
    expect((await service.as(key, get('/api/v1/entries/kept/here/k'))).status).toBe(200);
  });

  it('accounts are listed, read and given a new admin key by the control plane', async () => {
    const { json: listed } = await service.control(get('/api/v1/internal/accounts?limit=1000'));
    expect(listed.accounts).toContainEqual(expect.objectContaining({ account_id, name: 'Example', plan: 'free' }));
    const { status, json } = await service.control(post(`/api/v1/internal/accounts/${account_id}/api-keys`, {}));
    expect(status).toBe(201);
    expect((await service.as(json.key as string, get(KEYS))).status).toBe(200);
    expect((await service.control(post('/api/v1/internal/accounts', { name: 'Again', account_id }))).status).toBe(409);
  });

  it.each(labelled(controlAddresses))('%s is for the control plane alone', async (_, address) => {
    const input = { account_id, name: 'x', ops: 1 };
    const sent = requestFor(address, input);
    const tries: Record<string, string>[] = [
      {},
      { 'x-mem-api-key': admin },
      { 'x-mem-internal-key': `${INTERNAL_KEY}x` },
    ];
    for (const headers of tries) {
      const { status, json } = await send(service.server.url, { ...sent, headers });
      expect(status).toBe(401);
      expect(json).toMatchObject({ code: 'unauthenticated' });
    }
  });
});

describe('guessing keys', () => {
  it('is slowed down by address, and does not delay known keys', async () => {
    const service = await openHosted('sqlite');
    const { key } = await service.newAccount();
    await service.as(key, get('/api/v1/stats'));
    const guess = (i: number) => service.as(toSecret(new Uint8Array(32).fill(i)), get('/api/v1/stats'));
    const statuses = [];
    for (let i = 0; i < 32; i++) statuses.push((await guess(i)).status);
    expect(statuses.slice(0, 30)).toEqual(Array(30).fill(401));
    const { status, headers } = await guess(99);
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await service.as(key, get('/api/v1/stats'))).status).toBe(200);
    await service.close();
  });
});

describe('two servers on one database', () => {
  it('what one revokes the other refuses within five seconds', { timeout: 15_000 }, async () => {
    const first = await openHosted('postgres');
    const second = await openTestApp('postgres', { place: first.app.place });
    const server = await listen(second, { hosted: true, internalKey: INTERNAL_KEY });
    const { key: admin } = await first.newAccount();
    const { key, key_id } = await first.newKey(admin);
    const ask = () => send(server.url, { ...get('/api/v1/stats'), headers: { 'x-mem-api-key': key } });
    expect((await ask()).status).toBe(200);
    await first.as(admin, remove(`${KEYS}/${key_id}`));
    const deadline = performance.now() + 5_500;
    let status = 200;
    while (status === 200 && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      ({ status } = await ask());
    }
    expect(status).toBe(401);
    await server.close();
    await second.close();
    await first.close();
  });
});

describe.each(backends)('a service of one account, on %s', (backend) => {
  it('takes keys that its admins made beside those of its configuration, with their scopes', async () => {
    const app = await openTestApp(backend);
    const server = await listen(app, { apiKeys: ['a-key-of-the-configuration'] });
    const as = (key: string, sent: HttpRequest) => send(server.url, { ...sent, headers: { 'x-mem-api-key': key } });
    const scopes = [{ pattern: 'team/**', permission: 'READ' }];
    const { json } = await as('a-key-of-the-configuration', post(KEYS, { name: 'reader', scopes }));
    const key = json.key as string;
    await as('a-key-of-the-configuration', write('team/a'));
    expect((await as(key, get('/api/v1/entries/team/a/k'))).status).toBe(200);
    expect((await as(key, write('team/a'))).status).toBe(403);
    expect((await as(key, get('/api/v1/entries/other/a/k'))).status).toBe(403);
    await as('a-key-of-the-configuration', remove(`${KEYS}/${json.key_id}`));
    expect((await as(key, get('/api/v1/entries/team/a/k'))).status).toBe(401);
    expect((await as('a-wrong-key', get('/api/v1/entries'))).status).toBe(401);
    await server.close();
    await app.close();
  });
});
