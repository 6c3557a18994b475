import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, listen, openTestApp } from '../support/app.ts';
import { get, type Hosted, openHosted, post } from '../support/hosted.ts';
import { type HttpRequest, send } from '../support/wire.ts';

const NAMED = { 'x-mem-agent-id': 'agent/a', 'x-mem-session-id': 's1' };
const named = (sent: HttpRequest, more = {}): HttpRequest => ({ ...sent, headers: { ...NAMED, ...more } });
const context = (summary: string) => post('/api/v1/context', { label: 'note', summary });
const outcome = (outcome_ref: string) => post('/api/v1/outcomes', { outcome_ref, outcome_type: 'success' });
const explain = get('/api/v1/explain');

const call = (tool: string, args: object = {}): HttpRequest => ({
  ...post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args } }),
  headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
});

describe.each(backends)('open sessions of keys on %s', (backend) => {
  let hosted: Hosted;
  let admin: string;
  beforeAll(async () => {
    hosted = await openHosted(backend);
    ({ key: admin } = await hosted.newAccount());
  });
  afterAll(() => hosted.close());

  it('belong to the key that opened them, over HTTP and MCP, and go with it when it is rotated', async () => {
    const [one, two] = [await hosted.newKey(admin), await hosted.newKey(admin)];
    expect((await hosted.as(one.key, named(context('only of one')))).status).toBe(201);
    expect((await hosted.as(two.key, named(explain))).text).not.toContain('only of one');
    expect((await hosted.as(two.key, named(call('mem_explain'), call('').headers))).text).not.toContain('only of one');
    expect((await hosted.as(two.key, named(outcome('by two')))).status).toBe(201);
    expect((await hosted.as(one.key, named(explain))).text).toContain('only of one');
    const rotated = await hosted.as(admin, post(`/api/v1/admin/api-keys/${one.key_id}/rotate`, {}));
    const { key: next, key_id } = rotated.json as { key: string; key_id: string };
    const again = await hosted.as(admin, post(`/api/v1/admin/api-keys/${key_id}/rotate`, { overlap_seconds: 0 }));
    const last = (again.json as { key: string }).key;
    expect((await hosted.as(next, named(explain))).status).toBe(401);
    expect((await hosted.as(last, named(explain))).text).toContain('only of one');
    const sealed = await hosted.as(last, named(outcome('by one')));
    expect(sealed.json).toMatchObject({ outcome_ref: 'by one', session_id: 's1' });
  });

  it('are not shown to another key by an answer that is kept for retries', async () => {
    const [one, two] = [await hosted.newKey(admin), await hosted.newKey(admin)];
    await hosted.as(one.key, post('/api/v1/entries', { entity_path: 'read', key: 'by-one', value: 1 }));
    await hosted.as(one.key, named(get('/api/v1/entries/read/by-one')));
    const commit = named(outcome('retried'), { 'idempotency-key': 'retried' });
    const first = await hosted.as(one.key, commit);
    expect(first.text).toContain('by-one');
    expect((await hosted.as(one.key, commit)).text).toBe(first.text);
    const other = await hosted.as(two.key, commit);
    expect(other.status).toBe(201);
    expect(other.text).not.toContain('by-one');
  });

  it('have idempotency keys of their own, which another key can neither use up nor learn of', async () => {
    const { key, key_id } = await hosted.newKey(admin);
    const scoped = await hosted.newKey(admin, { entity_paths: ['elsewhere/**'] });
    const headers = { 'idempotency-key': 'order-1' };
    const write = (entity_path: string, value: number) => ({
      ...post('/api/v1/entries', { entity_path, key: 'order', value }),
      headers,
    });
    expect((await hosted.as(scoped.key, write('elsewhere/a', 1))).status).toBe(201);
    const first = await hosted.as(key, write('orders', 1));
    expect(first.status).toBe(201);
    expect((await hosted.as(scoped.key, write('elsewhere/a', 2))).json).toMatchObject({
      code: 'idempotency_mismatch',
      idempotency_key: 'order-1',
    });
    const rotated = await hosted.as(admin, post(`/api/v1/admin/api-keys/${key_id}/rotate`, {}));
    const again = await hosted.as((rotated.json as { key: string }).key, write('orders', 1));
    expect(again.text).toBe(first.text);
    expect((await hosted.as(key, write('orders', 2))).status).toBe(422);
  });

  it('keep an answer that was stored without a holder', async () => {
    const { key } = await hosted.newKey(admin);
    const headers = { 'idempotency-key': 'before-the-upgrade' };
    const write = { ...post('/api/v1/entries', { entity_path: 'upgrade', key: 'k', value: 1 }), headers };
    const first = await hosted.as(key, write);
    await hosted.app.kernel.services.database.alter((tx) =>
      tx.run({
        text: `UPDATE stored_answers SET holder = NULL, idempotency_key = 'before-the-upgrade'
          WHERE account_id IS NOT NULL AND idempotency_key LIKE 'before-the-upgrade%'`,
        values: [],
      }),
    );
    expect((await hosted.as(key, write)).text).toBe(first.text);
  });

  it('without a name go with a rotated key too', async () => {
    const { key, key_id } = await hosted.newKey(admin);
    await hosted.as(key, context('unnamed'));
    const { json } = await hosted.as(admin, post(`/api/v1/admin/api-keys/${key_id}/rotate`, {}));
    expect((await hosted.as((json as { key: string }).key, explain)).text).toContain('unnamed');
  });

  it('are common to keys that share them', async () => {
    const share = { shares_sessions: true };
    const [one, two] = [await hosted.newKey(admin, share), await hosted.newKey(admin, share)];
    await hosted.as(one.key, named(context('for both')));
    expect((await hosted.as(two.key, named(explain))).text).toContain('for both');
    expect((await hosted.as(two.key, get('/api/v1/me'))).json).toMatchObject({ key: { shares_sessions: true } });
  });
});

describe('open sessions of configured keys', () => {
  it('belong to each, and are one where no key is required', async () => {
    const app = await openTestApp('sqlite');
    const [keyed, open] = [await listen(app, { apiKeys: ['first-key', 'second-key'] }), await listen(app)];
    const as = (key: string, sent: HttpRequest) => send(keyed.url, named(sent, { 'x-mem-api-key': key }));
    await as('first-key', context('of the first'));
    expect((await as('second-key', explain)).text).not.toContain('of the first');
    expect((await as('first-key', explain)).text).toContain('of the first');
    await send(open.url, named(context('of anybody')));
    expect((await send(open.url, named(explain))).text).toContain('of anybody');
    for (const server of [keyed, open]) await server.close();
    await app.close();
  });
});

describe.each(backends)('keys that are bound to agents on %s', (backend) => {
  let hosted: Hosted;
  let admin: string;
  beforeAll(async () => {
    hosted = await openHosted(backend);
    ({ key: admin } = await hosted.newAccount());
  });
  afterAll(() => hosted.close());

  const secret = post('/api/v1/entries', { entity_path: 'p', key: 'k', value: 'unseen', shared: false });
  const asAgent = (agent: string, sent: HttpRequest) => ({
    ...sent,
    headers: { ...sent.headers, 'x-mem-agent-id': agent },
  });

  it('cannot read what another agent keeps to itself, which an unbound key can by its name', async () => {
    await hosted.as(admin, asAgent('agent/a', secret));
    const read = get('/api/v1/entries/p/k');
    const { key: unbound } = await hosted.newKey(admin);
    expect((await hosted.as(unbound, asAgent('agent/a', read))).text).toContain('unseen');
    const { key } = await hosted.newKey(admin, { agent_ids: ['agent/b'] });
    const refused = await hosted.as(key, asAgent('agent/a', read));
    expect([refused.status, refused.json]).toMatchObject([403, { code: 'forbidden', agent_id: 'agent/a' }]);
    expect((await hosted.as(key, read)).status).toBe(404);
    const tool = asAgent('agent/a', call('mem_read', { entity_path: 'p', key: 'k' }));
    expect((await hosted.as(key, tool)).text).toContain('acts only as agent/b');
    expect((await hosted.as(key, asAgent('agent/a', get('/api/v1/stream')))).status).toBe(403);
  });

  it('are their one agent where a request names none, over MCP too', async () => {
    const { key } = await hosted.newKey(admin, { agent_ids: ['agent/b'] });
    const { json } = await hosted.as(key, post('/api/v1/entries', { entity_path: 'q', key: 'k', value: 1 }));
    expect(json).toMatchObject({ provenance: { agent_id: 'agent/b' } });
    const write = call('mem_write', { entity_path: 'q', key: 'by-tool', value: 2 });
    await hosted.as(key, write);
    expect((await hosted.as(key, get('/api/v1/entries/q/by-tool'))).json).toMatchObject({
      provenance: { agent_id: 'agent/b' },
    });
  });

  it('name an agent in every request where they are bound to several', async () => {
    const { key } = await hosted.newKey(admin, { agent_ids: ['team/*'] });
    const list = get('/api/v1/entries');
    expect((await hosted.as(key, list)).json).toMatchObject({ code: 'forbidden', status: 403 });
    expect((await hosted.as(key, asAgent('team/x', list))).status).toBe(200);
  });

  it('keep what they are bound to when they are rotated, show it, and cannot be admins', async () => {
    const { key_id } = await hosted.newKey(admin, { agent_ids: ['agent/b', 'ci-*'] });
    const { json } = await hosted.as(admin, post(`/api/v1/admin/api-keys/${key_id}/rotate`, {}));
    expect(json).toMatchObject({ agent_ids: ['agent/b', 'ci-*'], shares_sessions: false });
    const me = await hosted.as((json as { key: string }).key, get('/api/v1/me'));
    expect(me.json).toMatchObject({ key: { agent_ids: ['agent/b', 'ci-*'] } });
    for (const input of [
      { name: 'n', key_type: 'admin', agent_ids: ['a'] },
      { name: 'n', agent_ids: ['a*b'] },
    ])
      expect((await hosted.as(admin, post('/api/v1/admin/api-keys', input))).status).toBe(422);
  });

  it('are bound to nobody once their agent is erased', async () => {
    const { key, key_id } = await hosted.newKey(admin, { agent_ids: ['agent/gone'] });
    expect((await hosted.as(key, get('/api/v1/entries'))).status).toBe(200);
    await hosted.as(admin, post('/api/v1/admin/agents/agent/gone/erase', {}));
    expect((await hosted.as(key, asAgent('agent/gone', get('/api/v1/entries')))).status).toBe(403);
    const { keys } = (await hosted.as(admin, get('/api/v1/admin/api-keys'))).json as { keys: { key_id: string }[] };
    expect(JSON.stringify(keys.find((one) => one.key_id === key_id))).not.toContain('agent/gone');
  });
});
