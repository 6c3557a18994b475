import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open } from '../mcp/support.ts';
import { openStream } from '../stream/support.ts';
import { backends } from '../support/app.ts';
import { get, type Hosted, type NewAccount, openHosted, post, write } from '../support/hosted.ts';

const scope = (pattern: string, permission = 'READ_WRITE') => ({ pattern, permission });
const READ_AT = (path: string) => get(`/api/v1/entries/${path}`);

describe.each(backends)('keys that are kept to some paths, over HTTP on %s', (backend) => {
  let service: Hosted;
  let account: NewAccount;
  const keyFor = async (...scopes: object[]) => (await service.newKey(account.key, { scopes })).key;
  beforeAll(async () => {
    service = await openHosted(backend);
    account = await service.newAccount();
    for (const path of ['team/a', 'team/b/c', 'team', 'other/a'])
      expect((await service.as(account.key, write(path))).status).toBe(201);
  });
  afterAll(() => service.close());

  it('learn which permission is missing, and nothing about existing entries', async () => {
    const key = await keyFor(scope('team/**', 'READ'));
    const there = await service.as(key, READ_AT('other/a/k'));
    const missing = await service.as(key, READ_AT('other/z/k'));
    expect(there.status).toBe(403);
    expect(there.json).toMatchObject({
      code: 'forbidden',
      detail: 'this key does not have READ on other/a',
      permission: 'READ',
      entity_path: 'other/a',
    });
    const answer = (text: string) => text.replaceAll(/"(request_id|instance)":"[^"]*"/g, '');
    expect(answer(missing.text)).toBe(answer(there.text).replaceAll('other/a', 'other/z'));
    expect((await service.as(key, write('team/a', 'k', 2))).json).toMatchObject({
      detail: 'this key does not have WRITE on anything',
      permission: 'WRITE',
    });
    expect((await service.as(key, READ_AT('team/a/k'))).status).toBe(200);
  });

  it('see nothing outside of their restrictions, whatever their scopes say', async () => {
    const { key } = await service.newKey(account.key, { scopes: [scope('*')], entity_paths: ['team/*'] });
    const { json } = await service.as(key, get('/api/v1/entries'));
    expect((json.entries as { entity_path: string }[]).map(({ entity_path }) => entity_path)).toEqual(['team/a']);
    expect((await service.as(key, get('/api/v1/stats'))).json).toMatchObject({ total_entries: 1, total_entities: 1 });
    expect((await service.as(key, write('team/b/c', 'k', 2))).status).toBe(403);
  });

  it('follow what is within their reach and nothing else', async () => {
    const key = await keyFor(scope('team/**', 'READ'));
    const listener = await openStream(service.server.url, { headers: { 'x-mem-api-key': key } });
    await service.as(account.key, write('other/a', 'streamed', 1));
    await service.as(account.key, write('team/a', 'streamed', 1));
    await listener.has(1);
    expect(listener.raw()).not.toContain('other/a');
    expect(listener.events.map(({ data }) => data.entity_path)).toEqual(['team/a']);
    const replayed = await openStream(service.server.url, { after: 0, headers: { 'x-mem-api-key': key } });
    await replayed.has(3);
    expect(replayed.raw()).not.toContain('other/a');
  });

  it('go through the same door at /mcp', async () => {
    const key = await keyFor(scope('team/**', 'READ'));
    const requestInit = { headers: { 'x-mem-api-key': key } };
    const mcp = await open(
      'claude-code',
      new StreamableHTTPClientTransport(new URL(`${service.server.url}/mcp`), { requestInit }),
    );
    const call = async (name: string, args: Record<string, unknown>) =>
      JSON.stringify(await mcp.client.callTool({ name, arguments: args }));
    expect(await call('mem_read', { entity_path: 'other/a', key: 'k' })).toContain('does not have READ on other/a');
    expect(await call('mem_write', { entity_path: 'team/a', key: 'k', value: 3 })).toContain('does not have WRITE');
    const listed = await call('mem_list', {});
    expect(listed).toContain('team/a');
    expect(listed).not.toContain('other/a');
  });

  it('credit only what they may write, also where their session read it', async () => {
    const key = await keyFor(scope('team/**'), scope('other/**', 'READ'));
    const session = { 'x-mem-session-id': 'sess-scoped', 'x-mem-agent-id': 'agent/scoped' };
    const asSession = (sent: { method: string; path: string; body?: string }) =>
      service.as(key, { ...sent, headers: session });
    const outcome = { outcome_ref: 'deploy-1', outcome_type: 'success' };
    expect((await asSession(READ_AT('team/a/k'))).status).toBe(200);
    expect((await asSession(READ_AT('other/a/k'))).status).toBe(200);
    const before = (await service.as(account.key, get('/api/v1/log?limit=1000'))).json;
    const refused = await asSession(post('/api/v1/outcomes', outcome));
    expect(refused.json).toMatchObject({ status: 403, permission: 'WRITE', entity_path: 'other/a' });
    const named = await asSession(post('/api/v1/outcomes', { ...outcome, causal_entry_keys: ['other/a/k'] }));
    expect(named.json).toMatchObject({ status: 403, permission: 'WRITE', entity_path: 'other/a' });
    const after = (await service.as(account.key, get('/api/v1/log?limit=1000'))).json;
    const outcomes = (log: Record<string, unknown>) =>
      (log.events as { event_type: string }[]).filter(({ event_type }) => event_type === 'outcome');
    expect(outcomes(after)).toEqual(outcomes(before));
    const taken = await asSession(post('/api/v1/outcomes', { ...outcome, causal_entry_keys: ['team/a/k'] }));
    expect(taken).toMatchObject({ status: 201, json: { affected_entries: 1 } });
  });

  it('do not take up what another key read in the same session', async () => {
    const key = await keyFor(scope('team/**'));
    const headers = { 'x-mem-session-id': 'sess-shared', 'x-mem-agent-id': 'agent/shared' };
    await service.as(account.key, { ...READ_AT('other/a/k'), headers });
    await service.as(key, { ...READ_AT('team/a/k'), headers });
    const answer = await service.as(key, { ...get('/api/v1/explain'), headers });
    expect(answer.text).not.toContain('other/a');
    const outcome = { outcome_ref: 'deploy-2', outcome_type: 'success' };
    const taken = await service.as(key, { ...post('/api/v1/outcomes', outcome), headers });
    expect(taken.status).toBe(201);
    expect((taken.json.entries as { entity_path: string }[]).map(({ entity_path }) => entity_path)).toEqual(['team/a']);
  });

  it('keep the declarations about other paths when they replace a profile', async () => {
    const key = await keyFor(scope('team/**'));
    const rule = (entity_path: string) => ({ contracts: [{ entity_path, ttl_required: true }] });
    const put = (body: object) => ({ ...post('/api/v1/agents/agent%2Fd/contracts', body), method: 'PUT' });
    expect((await service.as(account.key, put(rule('other/**')))).status).toBe(200);
    expect((await service.as(key, put(rule('other/**')))).status).toBe(403);
    expect((await service.as(key, put(rule('team/**')))).status).toBe(200);
    const contractsOf = async (asked: string) =>
      (
        (await service.as(asked, get('/api/v1/agents/agent%2Fd/profile'))).json.contracts as { entity_path: string }[]
      ).map(({ entity_path }) => entity_path);
    expect(await contractsOf(account.key)).toEqual(['other/**', 'team/**']);
    expect(await contractsOf(key)).toEqual(['team/**']);
  });

  it('are not given the answer that a key was given that sees more', async () => {
    const key = await keyFor(scope('team/**'));
    const sent = { ...write('team/a', 'kept', 1), headers: { 'idempotency-key': 'one' } };
    expect((await service.as(account.key, sent)).status).toBe(201);
    // Its own request: the entry is as it was written, and nothing is replayed.
    const own = await service.as(key, sent);
    expect([own.status, own.json.unchanged]).toEqual([200, true]);
  });

  const WHOLE = ['eval/judges', 'eval/incidents', 'eval/fixes', 'eval/alerts', 'tags', 'quarantine'];

  it.each(['*', '**'])(
    'see what concerns the whole account once they may read %s, and change nothing of it',
    async (all) => {
      const reader = await keyFor(scope(all, 'READ'));
      for (const path of WHOLE)
        expect([path, (await service.as(reader, get(`/api/v1/${path}`))).status]).toEqual([path, 200]);
      expect((await service.as(reader, post('/api/v1/eval/judges/seed', {}))).status).toBe(403);
      const { key: admin } = await service.newKey(account.key, { key_type: 'admin', scopes: [scope(all, 'READ')] });
      expect((await service.as(admin, get('/api/v1/admin/audit'))).status).toBe(200);
      for (const narrow of [scope('team/**', 'READ'), scope(all, 'WRITE')]) {
        const key = await keyFor(narrow);
        for (const path of WHOLE)
          expect([path, (await service.as(key, get(`/api/v1/${path}`))).status]).toEqual([path, 403]);
      }
    },
  );

  it('erase nothing unless all of it is theirs', async () => {
    const key = await keyFor(scope('team/**'));
    const erase = (entity_path: string) => post('/api/v1/erase', { entity_path, dry_run: true });
    expect((await service.as(key, erase('*'))).status).toBe(403);
    expect((await service.as(key, erase('team/b/**'))).status).toBe(200);
  });
});
