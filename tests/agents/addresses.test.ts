import type { OperationName } from '@mem-service/contract';
import { routes } from '@mem-service/contract/client';
import { createClient } from '@mem-service/sdk';
import { describe, expect, it } from 'vitest';
import { addressOf } from '../../packages/sdk/src/route.ts';
import { matchPath, methodsAt, patterns } from '../../packages/server/src/http/routes.ts';
import { backends, useServer } from '../support/app.ts';
import { send } from '../support/wire.ts';

const AGENTS = [
  'plain',
  'agent/deploy-bot',
  'a/b/c/d',
  'with a space/and + plus',
  '100%/50%25',
  'агент/支付/🚀',
  'a/timeline',
  'timeline',
  'timeline/timeline',
  'x/recall/y',
  'a/read-from/b/c/d',
  'discover',
  'discover/me',
  'a%2Fb',
  'q?x=1&y#z',
  '/leading',
  'trailing/',
  'two//slashes',
  '../up',
  'a/./b',
  '__proto__/constructor',
];

const reading = (path: string, method = 'GET') =>
  matchPath(
    patterns.filter((pattern) => pattern.method === method),
    path,
  );

describe('the name of an agent in an address', () => {
  const about: OperationName[] = [
    'agents.timeline',
    'agents.activity',
    'agents.memory_graph',
    'agents.profile',
    'agents.set_contracts',
    'agents.cross_agent_reads',
  ];

  it.each(AGENTS)('%s is the same in the SDK and in the router', (agent_id) => {
    for (const name of about) {
      const { method, path } = addressOf(routes[name], { agent_id });
      expect(reading(path, method), path).toEqual({ name, params: { agent_id } });
    }
    const entry = { entity_path: 'recall/timeline/a', key: 'b/c' };
    const recall = addressOf(routes['agents.recall'], { agent_id, ...entry });
    expect(reading(recall.path)).toEqual({ name: 'agents.recall', params: { agent_id, ...entry } });
    const readFrom = addressOf(routes['agents.read_from'], { agent_id, source_agent_id: agent_id, ...entry });
    expect(reading(readFrom.path)).toEqual({
      name: 'agents.read_from',
      params: { agent_id, source_agent_id: agent_id, ...entry },
    });
  });

  it.each([
    ['/api/v1/agents/a/b/timeline', 'agents.timeline', { agent_id: 'a/b' }],
    ['/api/v1/agents/a%2Fb/timeline', 'agents.timeline', { agent_id: 'a/b' }],
    ['/api/v1/agents/a/timeline/timeline', 'agents.timeline', { agent_id: 'a/timeline' }],
    ['/api/v1/agents/a%2Frecall%2Fb/timeline', 'agents.timeline', { agent_id: 'a/recall/b' }],
    ['/api/v1/agents/a/recall/b/timeline', 'agents.recall', { agent_id: 'a', entity_path: 'b', key: 'timeline' }],
    ['/api/v1/agents/a/b/recall/c/d/e', 'agents.recall', { agent_id: 'a/b', entity_path: 'c/d', key: 'e' }],
    ['/api/v1/agents/a/recall/b/recall/c/d', 'agents.recall', { agent_id: 'a', entity_path: 'b/recall/c', key: 'd' }],
    [
      '/api/v1/agents/a/b/read-from/x%2Fy/c/d/e%2Ff',
      'agents.read_from',
      { agent_id: 'a/b', source_agent_id: 'x/y', entity_path: 'c/d', key: 'e/f' },
    ],
  ])('%s is read as it is promised', (path, name, params) => {
    expect(reading(path)).toEqual({ name, params });
  });

  it.each([
    '/api/v1/agents/a',
    '/api/v1/agents/a/b',
    '/api/v1/agents//',
    '/api/v1/agents/timeline',
    '/api/v1/agents/a/recall/b',
  ])('%s is no address', (path) => {
    expect(reading(path)).toBeUndefined();
    expect(methodsAt(path)).toEqual([]);
  });

  it('knows the methods of each address', () => {
    expect(methodsAt('/api/v1/agents/a/b/profile').sort()).toEqual(['GET', 'PUT']);
    expect(methodsAt('/api/v1/agents/a/b/contracts')).toEqual(['PUT']);
    expect(methodsAt('/api/v1/agents/a/b/timeline')).toEqual(['GET']);
    expect(methodsAt('/api/v1/agents/discover')).toEqual(['GET']);
    expect(methodsAt('/api/v1/entries/a/b').sort()).toEqual(['DELETE', 'GET']);
    expect(methodsAt('/api/v1/entries/a')).toEqual([]);
  });

  it('of very many segments is told apart at once', () => {
    const many = 'recall/'.repeat(5000);
    expect(reading(`/api/v1/agents/${many}timeline`)?.name).toBe('agents.recall');
    expect(reading(`/api/v1/agents/${'a/'.repeat(10_000)}nothing`)).toBeUndefined();
  });
});

describe.each(backends)('agents over HTTP on %s', (backend) => {
  const server = useServer(backend);
  const get = (path: string) => send(server.url, { method: 'GET', path });

  // A dot segment cannot be sent: every client resolves it first.
  it.each(AGENTS.filter((agent_id) => !agent_id.includes('?')))('%s is found under its name', async (agent_id) => {
    const client = createClient({ url: server.url, agentId: agent_id });
    await client.entries.write({ entityPath: 'svc/a', key: `k of ${agent_id}`, value: agent_id });
    await client.agents.setProfile({ agentId: agent_id, description: `I am ${agent_id}` });
    const timeline = await client.agents.timeline({ agentId: agent_id });
    expect(timeline).toMatchObject({ agentId: agent_id, count: 2 });
    expect(await client.agents.profile({ agentId: agent_id })).toMatchObject({ description: `I am ${agent_id}` });
    const entry = { entityPath: 'svc/a', key: `k of ${agent_id}` };
    expect(await client.agents.recall({ agentId: agent_id, ...entry })).toMatchObject({ value: agent_id });
    expect(await client.agents.recall(entry)).toMatchObject({ value: agent_id });
    const source = { sourceAgentId: agent_id, ...entry };
    const other = createClient({ url: server.url, agentId: 'agent/other' });
    expect(await other.agents.readFrom({ agentId: 'agent/other', ...source })).toMatchObject({ value: agent_id });
    expect(await other.agents.readFrom(source)).toMatchObject({ value: agent_id });
  });

  it('answers with the words of the wire, and agentId in the timeline alone', async () => {
    const { json } = await get('/api/v1/agents/agent/deploy-bot/timeline?limit=1&event_type=write,outcome');
    expect(Object.keys(json)).toEqual(['agentId', 'events', 'count', 'next_cursor', 'has_more']);
    expect(await get('/api/v1/agents/agent/deploy-bot/timeline?eventType=write').then(({ status }) => status)).toBe(
      200,
    );
    const all = [json, (await get('/api/v1/agents')).json, (await get('/api/v1/agents/discover')).json];
    const names = JSON.stringify(all).match(/"[a-z]+[A-Z]\w*":/g);
    expect(names).toEqual(['"agentId":']);
  });

  it('refuses a method that an address does not take, also where its neighbour does', async () => {
    const refused = await send(server.url, { method: 'PUT', path: '/api/v1/agents/a/b/timeline', body: '{}' });
    expect(refused.json).toMatchObject({ status: 405, code: 'method_not_allowed', allow: ['GET', 'HEAD'] });
    expect(refused.headers.get('allow')).toBe('GET, HEAD');
    expect((await get('/api/v1/agents/a/b/contracts')).json).toMatchObject({ status: 405, allow: ['PUT'] });
    expect((await send(server.url, { method: 'DELETE', path: '/api/v1/agents/a/profile' })).json).toMatchObject({
      status: 405,
    });
    expect((await get('/api/v1/agents/a/nothing')).json).toMatchObject({ status: 404, code: 'route_not_found' });
    expect((await get('/api/v1/entries/only-a-path')).json).toMatchObject({ status: 404, code: 'route_not_found' });
  });

  it('answers HEAD where it answers GET', async () => {
    const head = await send(server.url, { method: 'HEAD', path: '/api/v1/agents/a/b/timeline' });
    expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: '' });
  });

  it('refuses a name that is not valid', async () => {
    expect((await get('/api/v1/agents/%FF/timeline')).json).toMatchObject({ status: 422, errors: [{ path: 'url' }] });
    expect((await get('/api/v1/agents/%20/timeline')).json).toMatchObject({
      status: 422,
      errors: [{ path: 'agent_id' }],
    });
    expect((await get(`/api/v1/agents/${'x'.repeat(257)}/timeline`)).json).toMatchObject({
      status: 422,
      errors: [{ path: 'agent_id' }],
    });
    const twice = await get('/api/v1/agents/a/timeline?agent_id=b');
    expect(twice.json).toMatchObject({ status: 422, errors: [{ path: 'agent_id', message: 'is given twice' }] });
  });
});
