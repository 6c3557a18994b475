import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sign } from '@octokit/webhooks-methods';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installedConnectors } from '../../packages/server/src/installed.ts';
import { backends, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { bodies, hmac, signedHeaders } from '../support/senders.ts';

const SECRET = 'the secret of the sender';
const NAMES = ['github', 'jira', 'pagerduty', 'slack'] as const;
type Sender = (typeof NAMES)[number];

const fixtures = join(import.meta.dirname, '..', 'connectors', 'fixtures');
const payloads: Record<Sender, Buffer> = {
  github: Buffer.from(
    JSON.stringify({
      action: 'opened',
      issue: { number: 7, title: 'Ünïcode', state: 'open', html_url: 'https://github.com/acme/shop/issues/7' },
      repository: { name: 'shop', full_name: 'acme/shop', owner: { login: 'acme' } },
      sender: { login: 'octocat' },
    }),
  ),
  jira: readFileSync(join(fixtures, 'jira', 'mattermost-issue-created.json')),
  pagerduty: Buffer.from(bodies.pagerduty('01')),
  slack: Buffer.from(bodies.slack('Ev1')),
};

/** The headers that the sender signs a body with. */
async function headersOf(
  name: Sender,
  body: Buffer,
  at: { secret?: string; now: number },
): Promise<Record<string, string>> {
  const { secret = SECRET, now } = at;
  switch (name) {
    case 'github':
      return { 'x-hub-signature-256': `sha256=${hmac(secret, body)}`, 'x-github-event': 'issues' };
    case 'jira':
      return { 'x-hub-signature': `sha256=${hmac(secret, body)}` };
    case 'pagerduty':
      return { 'x-pagerduty-signature': `v1=${'0'.repeat(64)},v1=${hmac(secret, body)}` };
    case 'slack':
      return signedHeaders('slack', body, { secret, now });
  }
}

describe.each(backends)('the connectors of the service on %s', (backend) => {
  let app: TestApp;
  let server: TestServer;
  beforeAll(async () => {
    const connectorVariables = Object.fromEntries(
      NAMES.map((name) => [`MEM_CONNECTOR_${name.toUpperCase()}_SECRET`, SECRET]),
    );
    const config = { dataDir: 'none', connectorVariables, maxValueBytes: 1024 * 1024 };
    app = await openTestApp(backend, { connectors: await installedConnectors(config) });
    server = await listen(app);
  });
  afterAll(async () => {
    await server.close();
    await app.close();
  });

  const events = async () => (await app.call('events.list', { limit: 1000 })).events.length;

  async function post(name: Sender, body: Buffer, headers: Record<string, string>) {
    const response = await fetch(`${server.url}/api/v1/webhooks/${name}`, {
      method: 'POST',
      body: new Uint8Array(body),
      headers: { 'content-type': 'application/json', ...headers },
    });
    return { status: response.status, json: (await response.json()) as Record<string, unknown> };
  }
  const signed = async (name: Sender, body: Buffer, more: object = {}) =>
    post(name, body, await headersOf(name, body, { now: app.clock.now(), ...more }));

  it.each(NAMES)('%s takes what its sender signed, once, and nothing else', async (name) => {
    const body = payloads[name];
    const wrong = await signed(name, body, { secret: 'another secret' });
    expect({ status: wrong.status, code: wrong.json.code }).toEqual({ status: 401, code: 'invalid_signature' });
    const none = await post(name, body, {});
    expect({ status: none.status, code: none.json.code }).toEqual({ status: 401, code: 'invalid_signature' });
    const first = await signed(name, body);
    expect({ status: first.status, reason: first.json.reason }).toEqual({ status: 202, reason: null });
    expect((first.json.results as unknown[]).length).toBeGreaterThan(0);
    expect(await signed(name, body)).toMatchObject({ status: 200, json: { duplicate: true } });
  });

  it('github takes what Octokit signed', async () => {
    const text = JSON.stringify({ zen: 'Keep it logically awesome.', hook_id: 1 });
    const headers = { 'x-hub-signature-256': await sign(SECRET, text), 'x-github-event': 'ping' };
    expect((await post('github', Buffer.from(text), headers)).status).toBe(202);
  });

  it('slack names the cause of an old delivery, and its challenge is echoed', async () => {
    const old = await signed('slack', payloads.slack, { now: app.clock.now() - 301_000 });
    expect({ status: old.status, detail: old.json.detail }).toEqual({
      status: 401,
      detail: expect.stringContaining('5 minutes'),
    });
    const question = Buffer.from(JSON.stringify({ type: 'url_verification', token: 't', challenge: 'c' }));
    expect(await signed('slack', question)).toEqual({ status: 200, json: { challenge: 'c' } });
  });

  it.each(NAMES)('%s refuses or stores mutated payloads, and nothing else', async (name) => {
    const text = payloads[name];
    const mutated = fc.oneof(
      fc.nat(text.length).map((at) => text.subarray(0, at)),
      fc
        .tuple(fc.nat(text.length - 1), fc.uint8Array({ maxLength: 4 }))
        .map(([at, bytes]) => Buffer.concat([text.subarray(0, at), bytes, text.subarray(at + 1)])),
      fc.json().map((json) => Buffer.from(json)),
    );
    await fc.assert(
      fc.asyncProperty(mutated, async (body) => {
        const before = await events();
        const { status } = await signed(name, body);
        expect([200, 202, 400, 422]).toContain(status);
        expect(await events()).toBe(before + (status === 202 ? 1 : 0));
      }),
      { numRuns: 25 },
    );
  });
});
