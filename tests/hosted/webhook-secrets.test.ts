import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../packages/server/src/db/index.ts';
import { installedConnectors } from '../../packages/server/src/installed.ts';
import { createLogger } from '../../packages/server/src/logger.ts';
import type { SigningSecrets } from '../../packages/server/src/modules/keys/queries.ts';
import { dropSecrets } from '../../packages/server/src/modules/keys/signing.ts';
import { backends } from '../support/app.ts';
import { get, type Hosted, openHosted, post, remove } from '../support/hosted.ts';
import { bodies, type ChoosingSender, signedHeaders } from '../support/senders.ts';

const KEYS = '/api/v1/admin/api-keys';
const OPERATOR = 'the secret of the operator';
type Address = { key_id: string; key: string; secret_set: boolean };

const lines: string[] = [];
const stream = new Writable({
  write(chunk, _, done) {
    lines.push(String(chunk));
    done();
  },
});

let count = 0;

describe.each(backends)('secrets of addresses on %s', (backend) => {
  let service: Hosted;
  let admin: string;
  let account_id: string;
  beforeAll(async () => {
    // PagerDuty has no secret of the service.
    const connectorVariables = { MEM_CONNECTOR_SLACK_SECRET: OPERATOR };
    const config = { dataDir: 'none', connectorVariables, maxValueBytes: 1024 * 1024 };
    service = await openHosted(backend, {
      app: { connectors: await installedConnectors(config) },
      http: { log: createLogger('trace', stream), logRequests: true },
    });
    ({ key: admin, account_id } = await service.newAccount({ plan: 'enterprise' }));
  });
  afterAll(() => service.close());

  const newAddress = async (input: object, by = admin): Promise<Address> =>
    (await service.newKey(by, { key_type: 'webhook', ...input })) as Address;
  const rotate = (key_id: string, input: object) => service.as(admin, post(`${KEYS}/${key_id}/rotate`, input));

  async function send(name: ChoosingSender, token: string, secret: string) {
    const body = bodies[name](`sent-${++count}`);
    const signed = signedHeaders(name, body, { secret, now: service.app.clock.now() });
    const response = await fetch(`${service.server.url}/api/v1/webhooks/${name}/${token}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...signed },
    });
    const text = await response.text();
    return { status: response.status, text, code: (JSON.parse(text) as { code?: string }).code };
  }

  it('a secret is taken from the body alone', async () => {
    const query = 'secret=a-secret-in-an-address';
    const refusals = [
      await service.as(admin, post(`${KEYS}?${query}`, { name: 'q', key_type: 'webhook', connector: 'slack' })),
    ];
    const { key_id } = await newAddress({ connector: 'slack' });
    refusals.push(await service.as(admin, post(`${KEYS}/${key_id}/rotate?${query}`, {})));
    for (const { status, json } of refusals) {
      expect(status).toBe(400);
      expect(json).toMatchObject({
        code: 'invalid_request',
        detail: 'secret is a secret: send it in the body, not in the address',
        field: 'secret',
      });
    }
    const { keys } = (await service.as(admin, get(`${KEYS}?limit=1000`))).json as { keys: { name: string }[] };
    expect(keys.filter(({ name }) => name === 'q')).toEqual([]);
  });

  it.each(['pagerduty', 'slack'] as const)('two accounts use %s with a secret each', async (connector) => {
    const other = await service.newAccount({ name: 'Other', plan: 'enterprise' });
    const mine = await newAddress({ connector, secret: 'secret of the first' });
    const theirs = await newAddress({ connector, secret: 'secret of the second' }, other.key);
    expect([mine.secret_set, theirs.secret_set]).toEqual([true, true]);
    expect((await send(connector, mine.key, 'secret of the first')).status).toBe(202);
    expect((await send(connector, theirs.key, 'secret of the second')).status).toBe(202);
    for (const secret of ['secret of the second', OPERATOR])
      expect(await send(connector, mine.key, secret)).toMatchObject({ status: 401, code: 'invalid_signature' });
    expect(await send(connector, theirs.key, 'secret of the first')).toMatchObject({ status: 401 });
  });

  it('without a secret of its own, an address has that of the service', async () => {
    const slack = await newAddress({ connector: 'slack' });
    expect(slack.secret_set).toBe(false);
    expect((await send('slack', slack.key, OPERATOR)).status).toBe(202);
    const pagerduty = await newAddress({ connector: 'pagerduty' });
    const { status, code, text } = await send('pagerduty', pagerduty.key, OPERATOR);
    expect({ status, code }).toEqual({ status: 503, code: 'connector_not_configured' });
    expect(text).toContain('MEM_CONNECTOR_PAGERDUTY_SECRET, or the key in the address a secret of its own');
  });

  it('while a secret is replaced, both count at both addresses, and then the new one alone', async () => {
    const before = await newAddress({ connector: 'pagerduty', secret: 'the one before' });
    const { json } = await rotate(before.key_id, { overlap_seconds: 60, secret: 'the one after' });
    const after = json as Address;
    expect(after.secret_set).toBe(true);
    for (const { key } of [before, after])
      for (const secret of ['the one before', 'the one after'])
        expect((await send('pagerduty', key, secret)).status).toBe(202);
    service.app.clock.advance(61_000);
    expect((await send('pagerduty', before.key, 'the one after')).code).toBe('unauthenticated');
    expect((await send('pagerduty', after.key, 'the one before')).code).toBe('invalid_signature');
    expect((await send('pagerduty', after.key, 'the one after')).status).toBe(202);
  });

  it('without an overlap the secret before counts no more', async () => {
    const before = await newAddress({ connector: 'pagerduty', secret: 'the one before' });
    const after = (await rotate(before.key_id, { overlap_seconds: 0, secret: 'the one after' })).json as Address;
    expect((await send('pagerduty', after.key, 'the one before')).code).toBe('invalid_signature');
    expect((await send('pagerduty', after.key, 'the one after')).status).toBe(202);
  });

  it('a secret that was replaced ends with the key that had it', async () => {
    const before = await newAddress({ connector: 'pagerduty', secret: 'the leaked one' });
    const after = (await rotate(before.key_id, { overlap_seconds: 3600, secret: 'the one after' })).json as Address;
    const last = (await rotate(after.key_id, { overlap_seconds: 3600 })).json as Address;
    expect((await send('pagerduty', last.key, 'the leaked one')).status).toBe(202);
    await service.as(admin, remove(`${KEYS}/${before.key_id}`));
    for (const { key } of [after, last]) {
      expect((await send('pagerduty', key, 'the leaked one')).code).toBe('invalid_signature');
      expect((await send('pagerduty', key, 'the one after')).status).toBe(202);
    }
    expect(await stored()).not.toContain('the leaked one');
  });

  it('a rotation without an overlap ends an earlier one', async () => {
    const before = await newAddress({ connector: 'pagerduty', secret: 'the leaked one' });
    const after = (await rotate(before.key_id, { overlap_seconds: 3600, secret: 'the one after' })).json as Address;
    const last = (await rotate(after.key_id, { overlap_seconds: 0 })).json as Address;
    expect((await send('pagerduty', last.key, 'the leaked one')).code).toBe('invalid_signature');
    expect((await send('pagerduty', last.key, 'the one after')).status).toBe(202);
  });

  it('a key that was rotated takes no third secret, and its sender goes on', async () => {
    const before = await newAddress({ connector: 'pagerduty', secret: 'the one in use' });
    const mistyped = (await rotate(before.key_id, { overlap_seconds: 3600, secret: 'the wrong one' })).json as Address;
    const third = await rotate(before.key_id, { overlap_seconds: 3600, secret: 'the right one' });
    expect(third).toMatchObject({
      status: 409,
      json: { code: 'conflict', detail: expect.stringContaining(mistyped.key_id) },
    });
    expect((await send('pagerduty', before.key, 'the one in use')).status).toBe(202);
    await service.as(admin, remove(`${KEYS}/${mistyped.key_id}`));
    expect((await send('pagerduty', before.key, 'the wrong one')).code).toBe('invalid_signature');
    const right = (await rotate(before.key_id, { overlap_seconds: 3600, secret: 'the right one' })).json as Address;
    for (const { key } of [before, right])
      for (const secret of ['the one in use', 'the right one'])
        expect((await send('pagerduty', key, secret)).status).toBe(202);
  });

  it('a rotation without a secret keeps it, and one can give an address its first', async () => {
    const before = await newAddress({ connector: 'pagerduty', secret: 'the kept one' });
    const kept = (await rotate(before.key_id, {})).json as Address;
    expect((await send('pagerduty', kept.key, 'the kept one')).status).toBe(202);
    const none = await newAddress({ connector: 'slack' });
    const first = (await rotate(none.key_id, { secret: 'the first one' })).json as Address;
    expect((await send('slack', first.key, 'the first one')).status).toBe(202);
    expect((await send('slack', first.key, OPERATOR)).code).toBe('invalid_signature');
    expect((await send('slack', none.key, OPERATOR)).status).toBe(202);
  });

  /** Every secret that the store holds. */
  async function stored(): Promise<string[]> {
    const { scan } = service.app.kernel.services.database;
    const rows = await scan.all<SigningSecrets>(sql`SELECT secret, secret_before FROM api_keys`);
    return rows.flatMap(({ secret, secret_before }) => [secret ?? '', secret_before ?? '']);
  }

  it('a secret is removed when its key is revoked or has expired, and the one before when it no longer counts', async () => {
    const revoked = await newAddress({ connector: 'slack', secret: 'gone when revoked' });
    expect(await stored()).toContain('gone when revoked');
    const { json } = await service.as(admin, remove(`${KEYS}/${revoked.key_id}`));
    expect(json).toMatchObject({ secret_set: false });
    expect(await stored()).not.toContain('gone when revoked');
    const expires_at = new Date(service.app.clock.now() + 60_000).toISOString();
    await newAddress({ connector: 'slack', secret: 'gone when expired', expires_at });
    const replaced = await newAddress({ connector: 'slack', secret: 'gone when replaced' });
    await rotate(replaced.key_id, { overlap_seconds: 60, secret: 'this one stays' });
    service.app.clock.advance(61_000);
    await dropSecrets.run(service.app.kernel, () => false);
    const left = await stored();
    expect(left).toContain('this one stays');
    for (const gone of ['gone when expired', 'gone when replaced']) expect(left).not.toContain(gone);
  });

  it('is removed with its account', async () => {
    const other = await service.newAccount({ name: 'Ended' });
    await newAddress({ connector: 'slack', secret: 'gone with the account' }, other.key);
    expect(await stored()).toContain('gone with the account');
    await service.control(remove(`/api/v1/internal/accounts/${other.account_id}?force=true&name=Ended`));
    expect(await stored()).not.toContain('gone with the account');
  });

  it.each([
    ['a short one', { connector: 'slack', secret: 'sh0rt-1' }, /secret: must have at least 8 characters/],
    ['white space', { connector: 'slack', secret: ' spaced-secret' }, /secret: begins or ends with white space/],
    ['a long one', { connector: 'slack', secret: 'l0ng-'.repeat(60) }, /secret: must not be longer than 256/],
    ['a key of another type', { secret: 'agents-secret', key_type: 'agent' }, /secret: is only for a key/],
  ])('%s is refused without being shown', async (_, input, detail) => {
    const body = { name: 'n', key_type: 'webhook', ...input };
    const { status, json, text } = await service.as(admin, post(KEYS, body));
    expect({ status, detail: json.detail }).toEqual({ status: 422, detail: expect.stringMatching(detail) });
    expect(text).not.toContain(input.secret);
  });

  it('no rotation gives a secret to a key of another type', async () => {
    const { key_id } = await service.newKey(admin);
    const { status, text } = await rotate(key_id, { secret: 'agents-secret' });
    expect(status).toBe(422);
    expect(text).not.toContain('agents-secret');
  });

  it('is in no answer, no line of the log or the audit trail, no metric, no event and no export', async () => {
    const [first, second] = ['never-shown-1', 'never-shown-2'];
    const sent = { ...post(KEYS, { name: 'quiet', key_type: 'webhook', connector: 'slack', secret: first }) };
    const made = await service.as(admin, { ...sent, headers: { 'idempotency-key': 'quiet-1' } });
    const { key_id, key } = made.json as Address;
    const rotated = await rotate(key_id, { secret: second });
    const answers = [
      made,
      await service.as(admin, { ...sent, headers: { 'idempotency-key': 'quiet-1' } }),
      rotated,
      await send('slack', key, first),
      await send('slack', key, 'wrong-secret'),
      await service.as(admin, get(`${KEYS}?limit=1000`)),
      await service.as(admin, get('/api/v1/audit?limit=100')),
      await service.as(admin, get('/api/v1/log?limit=1000')),
      await service.as(admin, get('/api/v1/connectors')),
      await service.as(admin, get('/api/v1/connectors/slack')),
      await service.as(admin, get('/api/v1/export')),
      await service.as(admin, remove(`${KEYS}/${(rotated.json as Address).key_id}`)),
    ];
    const metrics = await fetch(`${service.server.url}/metrics`, {
      headers: { authorization: 'Bearer internal-key-of-the-tests' },
    });
    const seen = [...answers.map(({ text }) => text), await metrics.text(), ...lines].join('\n');
    expect(seen).toContain('"secret_set":true');
    expect(seen).toContain('keys.rotate');
    expect(seen).toContain('"record":"header"');
    expect(seen).not.toContain('never-shown');
    expect(account_id).not.toBe('');
  });
});
