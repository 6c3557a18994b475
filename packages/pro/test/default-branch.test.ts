import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../tests/faults/support/mem-process.ts';
import { openStream } from '../../../tests/stream/support.ts';
import { backends, listen, openTestApp } from '../../../tests/support/app.ts';
import { get, type Hosted, INTERNAL_KEY, openHosted, post, remove } from '../../../tests/support/hosted.ts';
import type { HttpRequest } from '../../../tests/support/wire.ts';

const ENTRIES = '/api/v1/entries';
const write = (key: string, more: object = {}) => post(ENTRIES, { entity_path: 'a', key, value: 1, ...more });
const read = (key: string, query = '') => get(`${ENTRIES}/a/${key}${query}`);
const onBranch = (branch: string, sent: HttpRequest): HttpRequest => ({
  ...sent,
  headers: { ...sent.headers, 'x-mem-branch': branch },
});
const byAgent = (agent: string, sent: HttpRequest): HttpRequest => ({
  ...sent,
  headers: { ...sent.headers, 'x-mem-agent-id': agent },
});

describe.each(backends)('the default branch of a key or an agent on %s', (backend) => {
  let service: Hosted;
  let admin: string;
  beforeAll(async () => {
    service = await openHosted(backend);
    ({ key: admin } = await service.newAccount());
  });
  afterAll(() => service.close());

  let made = 0;
  const next = () => `n${++made}`;
  const newBranch = async () => {
    const name = `experiment/${next()}`;
    await service.as(admin, post('/api/v1/branches', { name }));
    return name;
  };
  const grant = (branch: string, grantee_id: string, permission = 'read_write') =>
    service.as(admin, post(`/api/v1/branches/${branch}/access`, { grantee_type: 'api_key', grantee_id, permission }));
  /** A key whose calls go to a branch of its own. */
  const newKeyOnBranch = async () => {
    const branch = await newBranch();
    const { key, key_id } = await service.newKey(admin, { default_branch: branch });
    await grant(branch, key_id);
    return { branch, key, key_id };
  };
  const describeAgent = async (agent: string, default_branch: string | null) => {
    const { status } = await service.as(admin, {
      ...post(`/api/v1/agents/${agent}/profile`, { default_branch }),
      method: 'PUT',
    });
    expect(status).toBe(200);
  };
  const branchOf = async (key: string, sent: HttpRequest) => (await service.as(key, sent)).json.branch;

  it('is where a call of the key goes that names none', async () => {
    const { branch, key } = await newKeyOnBranch();
    const name = next();
    expect(await branchOf(key, write(name))).toBe(branch);
    expect(await branchOf(key, read(name))).toBe(branch);
    expect((await service.as(admin, read(name))).status).toBe(404);
    expect((await service.as(key, read(name, '?branch=main'))).status).toBe(404);
    const { json } = await service.as(admin, get('/api/v1/log?limit=1000'));
    expect(json.events).toContainEqual(expect.objectContaining({ key: name, branch }));
  });

  it('yields to the branch of the call, and to that of the client', async () => {
    const { branch, key } = await newKeyOnBranch();
    expect(await branchOf(key, write(next(), { branch: 'main' }))).toBe('main');
    expect(await branchOf(key, onBranch('main', write(next())))).toBe('main');
    expect(await branchOf(admin, onBranch(branch, write(next())))).toBe(branch);
    expect(await branchOf(admin, onBranch(branch, write(next(), { branch: 'main' })))).toBe('main');
  });

  it('of the key comes before that of the agent, which comes before main', async () => {
    const { branch, key } = await newKeyOnBranch();
    const other = await newBranch();
    const agent = next();
    await describeAgent(agent, other);
    expect(await branchOf(key, byAgent(agent, write(next())))).toBe(branch);
    expect(await branchOf(admin, byAgent(agent, write(next())))).toBe(other);
    expect(await branchOf(admin, write(next(), { agent_id: agent }))).toBe(other);
    expect(await branchOf(admin, byAgent(next(), write(next())))).toBe('main');
    await describeAgent(agent, null);
    expect(await branchOf(admin, byAgent(agent, write(next())))).toBe('main');
  });

  it('of an agent is not that of another agent that is asked about', async () => {
    const agent = next();
    await describeAgent(agent, await newBranch());
    const key = next();
    await service.as(admin, write(key));
    const { json } = await service.as(admin, get(`/api/v1/agents/${agent}/timeline`));
    expect(json).toMatchObject({ events: [{ event_type: 'agent_updated' }] });
    expect(await branchOf(admin, read(key))).toBe('main');
  });

  it('needs access like any other', async () => {
    const branch = await newBranch();
    const { key, key_id } = await service.newKey(admin, { default_branch: branch });
    const denied = { status: 403, json: { code: 'branch_access_denied', branch } };
    expect(await service.as(key, get(ENTRIES))).toMatchObject(denied);
    expect(await service.as(key, write(next()))).toMatchObject(denied);
    expect((await service.as(key, get(`${ENTRIES}?branch=main`))).status).toBe(200);
    await grant(branch, key_id, 'read');
    expect((await service.as(key, get(ENTRIES))).status).toBe(200);
    expect(await service.as(key, write(next()))).toMatchObject(denied);
    const agent = next();
    await describeAgent(agent, branch);
    const { key: other } = await service.newKey(admin);
    expect(await service.as(other, byAgent(agent, get(ENTRIES)))).toMatchObject(denied);
  });

  it('that does not exist or is closed is refused as if it had been named', async () => {
    const { key } = await service.newKey(admin, { default_branch: 'nowhere' });
    const problem = ({ status, json }: Awaited<ReturnType<typeof service.as>>) => [status, json.code, json.detail];
    expect(problem(await service.as(key, get(ENTRIES)))).toEqual(
      problem(await service.as(admin, get(`${ENTRIES}?branch=nowhere`))),
    );
    const { branch, key: closed } = await newKeyOnBranch();
    await service.as(admin, remove(`/api/v1/branches/${branch}`));
    expect(await service.as(closed, write(next()))).toMatchObject({ status: 409, json: { code: 'branch_closed' } });
    expect(problem(await service.as(closed, write(next())))).toEqual(
      problem(await service.as(admin, write(next(), { branch }))),
    );
  });

  it('is shown where keys are listed, and kept by a rotation', async () => {
    const { branch, key, key_id } = await newKeyOnBranch();
    const { json } = await service.as(admin, get('/api/v1/admin/api-keys'));
    expect(json.keys).toContainEqual(expect.objectContaining({ key_id, default_branch: branch }));
    expect((await service.as(key, get('/api/v1/me'))).json).toMatchObject({
      default_branch: branch,
      key: { default_branch: branch },
    });
    expect((await service.as(admin, get('/api/v1/me'))).json).toMatchObject({ default_branch: 'main' });
    const rotated = await service.as(admin, post(`/api/v1/admin/api-keys/${key_id}/rotate`, {}));
    expect(rotated.json.default_branch).toBe(branch);
    expect(await branchOf(String(rotated.json.key), write(next()))).toBe(branch);
  });

  it('is refused for a key of the type webhook', async () => {
    const input = { name: 'hook', key_type: 'webhook', connector: 'example', default_branch: 'experiment/x' };
    const { status, json } = await service.as(admin, post('/api/v1/admin/api-keys', input));
    expect({ status, json }).toMatchObject({ status: 422, json: { errors: [{ path: 'default_branch' }] } });
  });

  it('is that of outcomes, traces and streams', async () => {
    const { branch, key } = await newKeyOnBranch();
    const stream = await openStream(service.server.url, { headers: { 'x-mem-api-key': key } });
    const name = next();
    await service.as(key, write(name));
    await service.as(admin, write(next()));
    const outcome = await service.as(key, post('/api/v1/outcomes', { outcome_ref: name, outcome_type: 'success' }));
    expect(outcome.json.branch ?? branch).toBe(branch);
    const { json } = await service.as(key, get('/api/v1/traces'));
    expect(json.traces).toMatchObject([{ branch }]);
    await until(() => stream.events.some(({ event }) => event === 'outcome'));
    expect([...new Set(stream.events.map(({ data }) => data.branch))]).toEqual([branch]);
  });

  it('is that of the tools of agents', async () => {
    const { branch, key } = await newKeyOnBranch();
    const call = async (tool: string, args: object) => {
      const params = { name: tool, arguments: args };
      const sent = post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };
      return (await service.as(key, { ...sent, headers })).text;
    };
    const name = next();
    expect(await call('mem_write', { entity_path: 'a', key: name, value: 1 })).toContain(branch);
    expect(await branchOf(key, read(name))).toBe(branch);
    expect(await call('mem_whoami', {})).toContain(branch);
  });

  it('that another server was given holds here in a moment', async () => {
    const branch = await newBranch();
    const agent = next();
    expect(await branchOf(admin, byAgent(agent, write(next())))).toBe('main');
    const app = await openTestApp(backend, { hosted: true, rateLimits: false, place: service.app.place });
    const server = await listen(app, { hosted: true, internalKey: INTERNAL_KEY });
    try {
      const answer = await fetch(`${server.url}/api/v1/agents/${agent}/profile`, {
        method: 'PUT',
        headers: { 'x-mem-api-key': admin, 'content-type': 'application/json' },
        body: JSON.stringify({ default_branch: branch }),
      });
      expect(answer.status).toBe(200);
      await until(async () => (await branchOf(admin, byAgent(agent, get(`${ENTRIES}/a/none`)))) === undefined);
      await until(async () => (await branchOf(admin, byAgent(agent, write(next())))) === branch);
    } finally {
      await server.close();
      await app.close();
    }
  });
});
