import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from '../../packages/server/src/logger.ts';
import { markedInput } from '../contract/table.ts';
import { backends } from '../support/app.ts';
import { hostOf } from '../support/connectors.ts';
import { deliver, testConnector } from '../support/deliveries.ts';
import { get, type Hosted, openHosted, post, remove } from '../support/hosted.ts';
import { allAddresses, labelled, requestFor, send } from '../support/wire.ts';

const KEYS = '/api/v1/admin/api-keys';
type WebhookKey = { key_id: string; key: string; address: string };

let count = 0;
const build = (more: object = {}) =>
  JSON.stringify({ event_type: 'build', id: `d-${++count}`, name: 'nightly', state: 'ok', ...more });

const lines: string[] = [];
const stream = new Writable({
  write(chunk, _, done) {
    lines.push(String(chunk));
    done();
  },
});

describe.each(backends)('addresses for senders on %s', (backend) => {
  let service: Hosted;
  let admin: string;
  let account_id: string;
  beforeAll(async () => {
    const connectors = hostOf(testConnector(), testConnector({ manifest: { name: 'other' } }));
    service = await openHosted(backend, {
      app: { connectors },
      http: { log: createLogger('trace', stream), logRequests: true },
    });
    ({ key: admin, account_id } = await service.newAccount({ plan: 'enterprise' }));
  });
  afterAll(() => service.close());

  const newAddress = async (input: object = {}, by = admin): Promise<WebhookKey> =>
    (await service.newKey(by, { key_type: 'webhook', connector: 'example', ...input })) as WebhookKey;
  const to = (token: string, body = build(), connector = 'example') =>
    deliver(service.server.url, body, { token, connector });

  it('an address takes deliveries for its account', async () => {
    const { key, address } = await newAddress();
    expect(address).toBe(`/api/v1/webhooks/example/${key}`);
    expect((await to(key, build({ name: 'mine' }))).status).toBe(202);
    expect((await service.as(admin, get('/api/v1/entries/example/builds/mine'))).status).toBe(200);
    const other = await service.newAccount({ name: 'Other' });
    expect((await service.as(other.key, get('/api/v1/entries/example/builds/mine'))).status).toBe(404);
  });

  it('the same delivery to two accounts is stored in both', async () => {
    const other = await service.newAccount({ name: 'Other', plan: 'enterprise' });
    const body = build();
    const [one, two] = [await newAddress(), await newAddress({}, other.key)];
    expect((await to(one.key, body)).status).toBe(202);
    expect((await to(two.key, body)).status).toBe(202);
    expect((await to(two.key, body)).json).toMatchObject({ duplicate: true });
  });

  it('a delivery without a key or an address is refused, and one with a key in a header is not', async () => {
    const { status, json } = await deliver(service.server.url, build());
    expect({ status, code: json.code }).toEqual({ status: 401, code: 'unauthenticated' });
    const { key } = await service.newKey(admin);
    const headers = { 'x-mem-api-key': key };
    expect((await deliver(service.server.url, build(), { headers })).status).toBe(202);
  });

  it('the signature is checked beside the key', async () => {
    const { key: token } = await newAddress();
    const { status, json } = await deliver(service.server.url, build(), { token, secret: 'wrong' });
    expect({ status, code: json.code }).toEqual({ status: 401, code: 'invalid_signature' });
  });

  it('an address is for its connector alone', async () => {
    const { key } = await newAddress();
    const { status, json } = await to(key, build(), 'other');
    expect({ status, code: json.code }).toEqual({ status: 404, code: 'connector_not_found' });
  });

  it('an address is refused once it is revoked, has expired, or its account is suspended', async () => {
    const { key, key_id } = await newAddress();
    expect((await to(key)).status).toBe(202);
    await service.as(admin, remove(`${KEYS}/${key_id}`));
    expect((await to(key)).json).toMatchObject({ status: 401, detail: 'the API key was revoked' });
    const expires_at = new Date(service.app.clock.now() + 60_000).toISOString();
    const short = await newAddress({ expires_at });
    expect((await to(short.key)).status).toBe(202);
    service.app.clock.advance(61_000);
    expect((await to(short.key)).json).toMatchObject({ status: 401, detail: 'the API key has expired' });
    const other = await service.newAccount({ name: 'Other' });
    const theirs = await newAddress({}, other.key);
    const path = `/api/v1/internal/accounts/${other.account_id}`;
    await service.control({ method: 'PATCH', path, body: '{"status":"suspended"}' });
    expect((await to(theirs.key)).json).toMatchObject({ code: 'account_suspended' });
  });

  it('an address is rotated as a key is, and listed without it', async () => {
    const { key, key_id } = await newAddress();
    const { json } = await service.as(admin, post(`${KEYS}/${key_id}/rotate`, { overlap_seconds: 60 }));
    const next = json as WebhookKey;
    expect(json).toMatchObject({ key_type: 'webhook', connector: 'example' });
    expect(next.address).toBe(`/api/v1/webhooks/example/${next.key}`);
    expect((await to(key)).status).toBe(202);
    expect((await to(next.key)).status).toBe(202);
    const { text } = await service.as(admin, get(`${KEYS}?limit=1000`));
    expect(text).toContain('"connector":"example"');
    for (const secret of [key, next.key]) expect(text).not.toContain(secret.slice(12));
  });

  it('a retry of the creation shows neither the key nor the address again', async () => {
    const body = { name: 'retried', key_type: 'webhook', connector: 'example' };
    const sent = { ...post(KEYS, body), headers: { 'idempotency-key': 'address-1' } };
    const first = await service.as(admin, sent);
    expect((await service.as(admin, sent)).json).toEqual({ ...first.json, key: null, address: null });
  });

  it.each([
    ['no connector', {}, /connector: is required .* there are example, other/],
    ['an unknown connector', { connector: 'nobody' }, /connector: is not a connector .* example, other/],
    ['no WRITE', { connector: 'example', scopes: [{ pattern: '*', permission: 'READ' }] }, /scopes: must give WRITE/],
    ['agents', { connector: 'example', agent_ids: ['a'] }, /agent_ids: must be empty/],
    ['another type', { connector: 'example', key_type: 'agent' }, /connector: is only for a key of the type webhook/],
  ])('with %s none is made', async (_, input, detail) => {
    const { status, json } = await service.as(admin, post(KEYS, { name: 'n', key_type: 'webhook', ...input }));
    expect({ status, detail: json.detail }).toEqual({ status: 422, detail: expect.stringMatching(detail) });
  });

  it('a scope that does not cover the path refuses the delivery, and nothing is stored', async () => {
    const { key } = await newAddress({ scopes: [{ pattern: 'elsewhere/**', permission: 'WRITE' }] });
    const { status, json } = await to(key, build({ name: 'out of scope' }));
    expect({ status, code: json.code }).toEqual({ status: 403, code: 'forbidden' });
    expect((await service.as(admin, get('/api/v1/entries/example/builds/out of scope'))).status).toBe(404);
  });

  it('a delivery is metered and limited like any write of a key', async () => {
    const used = async () => {
      const { json } = await service.as(admin, get('/api/v1/me'));
      return (json as { usage: { ops_used: number } }).usage.ops_used;
    };
    const { key } = await newAddress();
    const before = await used();
    const body = build();
    await to(key, body);
    const after = await used();
    expect(after - before).toBe(2);
  });

  it.each([
    ['a key of another type', 'agent'],
    ['an admin key', 'admin'],
  ])('%s is no address', async (_, key_type) => {
    const { key } = await service.newKey(admin, { key_type });
    const { status, json } = await to(key);
    expect({ status, detail: json.detail }).toEqual({
      status: 401,
      detail: expect.stringContaining('not of the type'),
    });
  });

  it.each(['mem_sk_', 'mem_sk_0000000000000000000000000000000000000000000000000', 'x', '%20', '%00'])(
    '%j is no key of an address',
    async (token) => {
      expect((await to(token)).status).toBe(401);
    },
  );

  it.each(labelled(allAddresses))('the key of an address does nothing at %s', async (_, address) => {
    const { key } = await newAddress();
    const sent = requestFor(address, markedInput(address.name, 'webhook-keys'));
    for (const headers of [{ 'x-mem-api-key': key }, { authorization: `Bearer ${key}` }]) {
      const { status, text } = await send(service.server.url, { ...sent, headers: headers as never });
      if (address.name !== 'health.read') expect(status).toBe(401);
      expect(text).not.toContain(key);
    }
  });

  it('nor does it over MCP, in /metrics and at addresses that do not exist', async () => {
    const { key } = await newAddress();
    for (const path of ['/mcp', '/metrics', '/api/v1/nothing'])
      expect((await service.as(key, get(path))).status).toBe(401);
  });

  it('no key of an address is in the log, in an audit line, or in an error', async () => {
    const { key } = await newAddress();
    const answers = [
      await to(key),
      await to(key, '{'),
      await to(key, build(), 'other'),
      await to(`${key}x`),
      await to(`${key}/more`),
      await service.as(admin, get(`/api/v1/webhooks/example/${key}`)),
      await service.as(admin, get('/api/v1/audit?limit=100')),
    ];
    const metrics = await fetch(`${service.server.url}/metrics`, {
      headers: { authorization: 'Bearer internal-key-of-the-tests' },
    });
    const seen = [...answers.map(({ text }) => text), await metrics.text(), ...lines].join('\n');
    expect(seen).toContain('webhooks.receive');
    expect(seen).not.toContain(key);
    expect(seen).not.toContain(key.slice(12));
    expect(account_id).not.toBe('');
  });
});
