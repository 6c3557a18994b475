import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { send } from '../support/wire.ts';
import { keysOf, newPath, newSession, writeAll } from './support.ts';

describe.each(backends)('sessions on %s', (backend) => {
  let app: TestApp;
  let server: TestServer;
  beforeAll(async () => {
    app = await openTestApp(backend);
    server = await listen(app, { apiKeys: ['first-key', 'second-key'] });
  });
  afterAll(async () => {
    await server.close();
    await app.close();
  });

  const read = async (as: object) => keysOf((await app.call('sessions.explain', {}, as)).causal_entries);
  const http = async (method: string, path: string, { body, ...headers }: Record<string, unknown> = {}) => {
    const sent = { method, path, headers: { 'x-mem-api-key': 'first-key', ...(headers as Record<string, string>) } };
    const answer = await send(server.url, body === undefined ? sent : { ...sent, body: JSON.stringify(body) });
    // biome-ignore lint/suspicious/noExplicitAny: what the service answers is what the tests look at
    return { ...answer, json: answer.json as any };
  };

  it('two of one agent never mix, also when they are busy at the same time', async () => {
    const entity_path = newPath();
    const keys = Array.from({ length: 20 }, (_, i) => `k${i}`);
    await writeAll(
      app,
      keys.map((key) => ({ entity_path, key })),
    );
    const even = newSession();
    const odd = newSession();
    const sessionOf = (i: number) => (i % 2 === 0 ? even : odd);
    await Promise.all(keys.map((key, i) => app.call('entries.read', { entity_path, key }, sessionOf(i))));
    await Promise.all(
      keys.map((label, i) => app.call('sessions.record_context', { label, summary: '' }, sessionOf(i))),
    );
    const isEven = (_: string, i: number) => i % 2 === 0;
    expect((await read(even)).sort()).toEqual(keys.filter(isEven).sort());
    const { external_contexts } = await app.call('sessions.explain', {}, odd);
    expect(external_contexts.map(({ label }) => label)).toEqual(keys.filter((key, i) => !isEven(key, i)));
    const { entries } = await app.call('outcomes.commit', { outcome_ref: 'even', outcome_type: 'success' }, even);
    expect(keysOf(entries).sort()).toEqual(keys.filter(isEven).sort());
    expect(await read(odd)).toHaveLength(10);
  });

  it('of the same name belong each to its agent', async () => {
    const at = { entity_path: newPath(), key: 'k' };
    await writeAll(app, [at]);
    await app.call('entries.read', at, { agent_id: 'agent/one', session_id: 'same' });
    expect(await read({ agent_id: 'agent/one', session_id: 'same' })).toEqual(['k']);
    expect(await read({ agent_id: 'agent/two', session_id: 'same' })).toEqual([]);
  });

  it('that are open are seen by their own agent alone', async () => {
    const session = newSession();
    await app.call('sessions.record_context', { label: 'x', summary: '' }, session);
    const input = { agent_id: session.agent_id, session_id: session.session_id };
    await expect(app.call('sessions.explain', input, { agent_id: 'agent/other' })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect((await app.call('sessions.explain', input, { agent_id: session.agent_id })).external_contexts).toHaveLength(
      1,
    );
    const { events } = await app.call('log.list', { limit: 1000 }, { agent_id: 'agent/other' });
    expect(events.filter(({ event_type }) => event_type === 'context')).toEqual([]);
  });

  it('named in a body win over those of the request', async () => {
    const session = newSession();
    const named = newSession('agent/named');
    await app.call('sessions.record_context', { label: 'x', summary: '', ...named }, session);
    expect((await app.call('sessions.explain', {}, session)).external_contexts).toEqual([]);
    expect((await app.call('sessions.explain', {}, named)).external_contexts).toHaveLength(1);
    const at = { entity_path: newPath(), key: 'k' };
    await writeAll(app, [at]);
    await app.call('entries.read', at, named);
    const outcome = { outcome_ref: 'x', outcome_type: 'success' as const, ...named };
    expect(keysOf((await app.call('outcomes.commit', outcome, session)).entries)).toEqual(['k']);
  });

  it('are kept for a plain HTTP client that only sends headers', async () => {
    const at = { entity_path: newPath(), key: 'k' };
    await writeAll(app, [at]);
    const headers = { 'x-mem-agent-id': 'agent/curl', 'x-mem-session-id': `plain-${backend}` };
    expect((await http('GET', `/api/v1/entries/${at.entity_path}/k`, headers)).status).toBe(200);
    const body = { label: 'ticket', summary: 'timeouts', source: 'support/1' };
    expect(await http('POST', '/api/v1/context', { ...headers, body })).toMatchObject({
      status: 201,
      json: { recorded: 'ticket', source: 'support/1', agent_id: 'agent/curl', session_id: `plain-${backend}` },
    });
    const explained = await http('GET', '/api/v1/explain', headers);
    expect(explained).toMatchObject({
      status: 200,
      json: { status: 'open', causal_entries: [{ ...at, version: 1, value: { about: 'k' } }] },
    });
    const outcome = { outcome_ref: `plain-${backend}`, outcome_type: 'success' };
    const committed = await http('POST', '/api/v1/outcomes', { ...headers, body: outcome });
    expect(committed).toMatchObject({ status: 201, json: { affected_entries: 1, entries: [at] } });
    const again = await http('POST', '/api/v1/outcomes', { ...headers, body: outcome });
    expect(again).toMatchObject({ status: 200, json: { duplicate: true, trace_id: committed.json.trace_id } });
    const sealed = await http('GET', `/api/v1/explain?outcome_ref=plain-${backend}`);
    expect(sealed.json).toMatchObject({
      status: 'sealed',
      trace_id: committed.json.trace_id,
      external_contexts: [{ label: 'ticket' }],
    });
  });

  it('without a name are one for each agent and key', async () => {
    const entity_path = newPath();
    await writeAll(
      app,
      ['a', 'b', 'c'].map((key) => ({ entity_path, key })),
    );
    const one = { 'x-mem-agent-id': 'agent/nameless' };
    const second = { ...one, 'x-mem-api-key': 'second-key' };
    const other = { 'x-mem-agent-id': 'agent/nameless-too' };
    await http('GET', `/api/v1/entries/${entity_path}/a`, one);
    await http('GET', `/api/v1/entries/${entity_path}/b`, second);
    await http('GET', `/api/v1/entries/${entity_path}/c`, other);
    const explained = async (headers: object) => {
      const { json } = await http('GET', '/api/v1/explain', { ...headers });
      expect(json.session_id).toBeNull();
      return keysOf(json.causal_entries);
    };
    expect(await explained(one)).toEqual(['a']);
    expect(await explained(second)).toEqual(['b']);
    expect(await explained(other)).toEqual(['c']);
    const body = { outcome_ref: 'nameless', outcome_type: 'success' };
    expect(keysOf((await http('POST', '/api/v1/outcomes', { ...one, body })).json.entries)).toEqual(['a']);
    expect(keysOf((await http('POST', '/api/v1/outcomes', { ...second, body })).json.entries)).toEqual(['b']);
  });
});
