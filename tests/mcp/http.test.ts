import { discoverOAuthProtectedResourceMetadata, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen, openTestApp, type TestApp } from '../support/app.ts';
import { send } from '../support/wire.ts';
import { type ConnectedClient, open } from './support.ts';

const KEYS = ['first-key-of-the-test', 'second-key-of-the-test'];

async function start(options: Parameters<typeof listen>[1] = {}): Promise<{ app: TestApp; url: string }> {
  const app = await openTestApp('sqlite');
  const server = await listen(app, options);
  onTestFinished(() => server.close().then(() => app.close()));
  return { app, url: server.url };
}

type HttpConnectOptions = { name?: string; headers?: Record<string, string>; query?: string; modern?: boolean };

function connect(
  url: string,
  { name = 'claude-code', headers = {}, query = '', modern }: HttpConnectOptions = {},
): Promise<ConnectedClient> {
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp${query}`), { requestInit: { headers } });
  return open(name, transport, modern);
}

const key = (text: string | undefined) => ({ 'x-mem-api-key': text ?? '' });

const post = (url: string, message: object, headers: Record<string, string> = {}) =>
  send(url, {
    method: 'POST',
    path: '/mcp',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    headers: { accept: 'application/json, text/event-stream', ...headers },
  });

const hello = {
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

describe('mem serve at /mcp', () => {
  it('offers the tools that need no machine of the client', async () => {
    const { url } = await start();
    const mcp = await connect(url);
    const names = (await mcp.client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('mem_write');
    const all = await connect(url, { query: '?toolset=all' });
    const more = (await all.client.listTools()).tools.map(({ name }) => name);
    expect(more).toEqual(expect.arrayContaining(['mem_trace_spans', 'mem_judges', 'mem_incident']));
    expect(more).not.toContain('mem_export');
  });

  it('says that the store is remote, and evaluates there', async () => {
    const { url } = await start();
    const mcp = await connect(url, { query: '?toolset=all' });
    await mcp.call('mem_commit_outcome', { outcome_ref: 'r', outcome_type: 'success', task_input: 'say hello' });
    const found = await mcp.call('mem_trace_search', { query: 'hello' });
    expect(found.json).toMatchObject({ count: 1, mode: 'remote' });
    expect((await mcp.call('mem_trace_spans', { trace_id: 'last' })).json).toMatchObject({ mode: 'remote' });
    expect((await mcp.call('mem_judges')).json).toMatchObject({ judges: [] });
  });

  it('writes through the same door as the rest of the service', async () => {
    const { app, url } = await start();
    const mcp = await connect(url);
    const before = app.kernel.usage.ops_charged;
    await mcp.call('mem_write', { entity_path: 'a', key: 'k', value: 1 });
    expect(app.kernel.usage.ops_charged - before).toBe(2);
    expect(await app.call('entries.read', { entity_path: 'a', key: 'k' })).toMatchObject({
      value: 1,
      provenance: { agent_id: 'claude-code' },
    });
  });

  it('wants a key where the service wants one, in either header', async () => {
    const { url } = await start({ apiKeys: KEYS });
    expect((await post(url, hello)).status).toBe(401);
    expect((await post(url, hello)).headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect((await post(url, hello, key('not-a-key-of-it'))).status).toBe(401);
    expect((await post(url, hello, key(KEYS[0]))).status).toBe(200);
    expect((await post(url, hello, { authorization: `Bearer ${KEYS[1]}` })).status).toBe(200);
    const mcp = await connect(url, { headers: key(KEYS[0]) });
    expect((await mcp.call('mem_stats')).isError).toBe(false);
  });

  it('shows a client without a browser how to authenticate', async () => {
    const { url } = await start({ apiKeys: KEYS });
    const { headers } = await post(url, hello);
    const named = /resource_metadata="([^"]+)"/.exec(headers.get('www-authenticate') ?? '')?.[1];
    expect(named).toBe(`${url}/.well-known/oauth-protected-resource/mcp`);
    const metadata = await discoverOAuthProtectedResourceMetadata(`${url}/mcp`, {
      resourceMetadataUrl: named as string,
    });
    expect(metadata).toMatchObject({ resource: `${url}/mcp`, bearer_methods_supported: ['header'] });
    // There is no authorization server, and an empty list must not be sent.
    expect(metadata).not.toHaveProperty('authorization_servers');
    const root = await send(url, { method: 'GET', path: '/.well-known/oauth-protected-resource' });
    expect(root.json).toEqual(metadata);
    await expect(connect(url)).rejects.toThrow(/X-MEM-API-Key/);
  });

  it('gives two clients, and one client with two keys, names and sessions of their own', async () => {
    const { url } = await start({ apiKeys: KEYS });
    const mine = await connect(url, { headers: key(KEYS[0]) });
    const other = await connect(url, { headers: key(KEYS[1]) });
    const cursor = await connect(url, { headers: key(KEYS[0]), name: 'Cursor' });
    const again = await connect(url, { headers: key(KEYS[0]) });
    const who = async (mcp: ConnectedClient) => (await mcp.call('mem_whoami')).json;
    expect((await who(mine)).effective_identity).toBe('claude-code/key-1');
    expect((await who(other)).effective_identity).toBe('claude-code/key-2');
    expect((await who(cursor)).effective_identity).toBe('cursor/key-1');
    expect((await who(again)).session_id).not.toBe((await who(mine)).session_id);
    await mine.call('mem_write', { entity_path: 'a', key: 'secret', value: 1, shared: false });
    expect((await mine.call('mem_read', { entity_path: 'a', key: 'secret' })).json.value).toBe(1);
    expect((await other.call('mem_read', { entity_path: 'a', key: 'secret' })).json.status).toBe('not_found');
    expect((await cursor.call('mem_read', { entity_path: 'a', key: 'secret' })).json.status).toBe('not_found');
  });

  it('takes the agent and the session from the headers first, and lets no tool change them', async () => {
    const { url } = await start();
    const headers = { 'x-mem-agent-id': 'review-bot', 'x-mem-session-id': 'sess-of-mine' };
    const mcp = await connect(url, { headers });
    expect((await mcp.call('mem_whoami')).json).toMatchObject({
      effective_identity: 'review-bot',
      session_id: 'sess-of-mine',
    });
    const refused = await mcp.call('mem_set_identity', { name: 'somebody-else' });
    expect(refused).toMatchObject({ isError: true, json: { code: 'conflict' } });
    expect(refused.json.hint).toContain('X-MEM-Agent-Id');
  });

  it('goes on with a session after a restart, on another server', async () => {
    const app = await openTestApp('sqlite');
    const first = await listen(app);
    const second = await listen(app);
    onTestFinished(async () => {
      await second.close();
      await app.close();
    });
    const opened = await post(first.url, hello);
    const session = opened.headers.get('mcp-session-id') as string;
    await first.close();
    const call = { method: 'tools/call', params: { name: 'mem_whoami', arguments: {} } };
    const { status, text } = await post(second.url, call, { 'mcp-session-id': session });
    expect(status).toBe(200);
    expect(text).toContain('\\"effective_identity\\":\\"raw\\"');
  });

  it('knows a client without a handshake by each of its requests', async () => {
    const { url } = await start({ apiKeys: KEYS });
    const [one, two] = await Promise.all(
      KEYS.map((text) => connect(url, { name: 'Some Client', headers: key(text), modern: true })),
    );
    expect((await one?.call('mem_whoami'))?.json.effective_identity).toBe('some-client/key-1');
    expect((await two?.call('mem_whoami'))?.json.effective_identity).toBe('some-client/key-2');
    expect((await one?.client.listTools())?.tools.length).toBeGreaterThan(10);
  });

  it('answers 404 to a session that it does not know', async () => {
    const { url } = await start();
    const list = { method: 'tools/list', params: {} };
    for (const session of ['nonsense', 'bm9uc2Vuc2U.AAAAAAAAAAAA', '.'])
      expect((await post(url, list, { 'mcp-session-id': session })).status).toBe(404);
    expect((await post(url, list)).status).toBe(200);
  });

  it('lets in no page of the web where no key is wanted, and pages of this machine', async () => {
    const { url } = await start();
    expect((await post(url, hello, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await post(url, hello, { origin: 'null' })).status).toBe(403);
    expect((await post(url, hello, { origin: 'http://localhost:3000' })).status).toBe(200);
    const named = await start({ corsOrigins: ['https://app.example'] });
    expect((await post(named.url, hello, { origin: 'https://app.example' })).status).toBe(200);
    expect((await post(named.url, hello, { origin: 'https://evil.example' })).status).toBe(403);
  });

  it('refuses what is no message of the protocol', async () => {
    const { url } = await start();
    const accept = { accept: 'application/json, text/event-stream' };
    const broken = await send(url, { method: 'POST', path: '/mcp', body: '{"jsonrpc":', headers: accept });
    expect(broken.status).toBe(400);
    expect((await send(url, { method: 'GET', path: '/mcp', headers: accept })).status).toBe(405);
    expect((await send(url, { method: 'DELETE', path: '/mcp' })).status).toBe(405);
    expect((await post(`${url}`, { method: 'tools/list' }, { accept: 'text/html' })).status).toBe(406);
    const wrong = await send(url, { method: 'POST', path: '/mcp?toolset=nothing', body: '{}', headers: accept });
    expect(wrong.status).toBe(400);
    expect(wrong.text).toContain('toolset');
  });

  it('works on the branch that the client names once for all its calls', async () => {
    const { url } = await start();
    const byHeader = await connect(url, { headers: { 'x-mem-branch': 'no-such-branch' } });
    const byAddress = await connect(url, { query: '?branch=no-such-branch' });
    const entry = { entity_path: 'a', key: 'k', value: 1 };
    for (const mcp of [byHeader, byAddress]) {
      expect((await mcp.call('mem_whoami')).json.branch).toBe('no-such-branch');
      expect((await mcp.call('mem_write', entry)).json).toMatchObject({ code: 'branch_not_found' });
      expect((await mcp.call('mem_write', { ...entry, branch: 'main' })).isError).toBe(false);
    }
    await expect(connect(url, { query: '?branch=%00' })).rejects.toThrow(/branch/);
  });

  it('answers with lines too: an investigation and its steps', async () => {
    const { url } = await start();
    const mcp = await connect(url, { query: '?toolset=evaluation' });
    const { json, isError } = await mcp.call('mem_investigate', { agent_id: 'agent/x', question: 'Why do runs fail?' });
    expect(isError).toBe(false);
    expect((json.steps as { step: string }[]).map(({ step }) => step)).toEqual([
      ...['segments', 'attribution', 'divergence', 'memory_changes', 'answer'],
    ]);
  });

  it('hands out examples for training', async () => {
    const { url } = await start();
    const mcp = await connect(url, { query: '?toolset=all' });
    await mcp.call('mem_commit_outcome', {
      ...{ outcome_ref: 'r', outcome_type: 'success', task_input: 'say hello', response_text: 'hello' },
    });
    const { json, isError } = await mcp.call('mem_export_training_data', { format: 'sft' });
    expect(isError).toBe(false);
    expect(json).toMatchObject({
      ...{ num_examples: 1, mode: 'remote' },
      examples: [{ task_input: 'say hello', decision_value: 'hello' }],
    });
  });

  it('shows the incident that is named, and lists all where none is', async () => {
    const { url } = await start();
    const mcp = await connect(url, { query: '?toolset=evaluation' });
    expect((await mcp.call('mem_incident', {})).json).toMatchObject({ incidents: [] });
    const named = await mcp.call('mem_incident', { incident_id: '01K9Z3V8M6T2Q4X7N5B1C0D9EF' });
    expect(named).toMatchObject({ isError: true, json: { code: 'not_found' } });
    const listed = await mcp.call('mem_incident', { action: 'list', incident_id: '01K9Z3V8M6T2Q4X7N5B1C0D9EF' });
    expect(listed.isError).toBe(false);
  });

  it('finds the last trace without having kept it', async () => {
    const { url } = await start();
    const mcp = await connect(url, { query: '?toolset=all' });
    await mcp.call('mem_write', { entity_path: 'a', key: 'k', value: 1 });
    await mcp.call('mem_read', { entity_path: 'a', key: 'k' });
    const { json } = await mcp.call('mem_commit_outcome', { outcome_ref: 'r1', outcome_type: 'success' });
    expect(json.affected_entries).toBe(1);
    expect((await mcp.call('mem_get_trace', { trace_id: 'last' })).json).toMatchObject({
      trace_id: json.trace_id,
      attributes: { source: 'mcp', client: 'claude-code' },
    });
  });
});

it.each([
  ['without', { modules: [] }, []],
  ['with', {}, ['mem_create_tag', 'mem_delete_tag', 'mem_list_tags']],
])('a server %s the module of tags lists what it can do', async (_, options, expected) => {
  const app = await openTestApp('sqlite', options);
  const server = await listen(app);
  onTestFinished(() => server.close().then(() => app.close()));
  const { client } = await connect(server.url, { query: '?toolset=all' });
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toContain('mem_search');
  expect(names.filter((name) => /_tags?$/.test(name)).sort()).toEqual(expected);
  expect(names.includes('mem_incident')).toBe(expected.length > 0);
});
