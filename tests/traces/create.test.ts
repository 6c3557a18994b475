import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUTHOR, flush, keysOf, newPath, newSession, OTHER, writeAll } from '../sessions/support.ts';
import { backends, listen, openTestApp, type TestApp } from '../support/app.ts';
import { send } from '../support/wire.ts';

describe.each(backends)('a trace that a client kept itself, on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  const create = (input: object, as: object = newSession()) => app.call('traces.create', input as never, as);

  it('is sealed with everything that the client sends', async () => {
    const session = newSession();
    const at = { entity_path: newPath(), key: 'policy' };
    await writeAll(app, [at]);
    await app.call('entries.write', { ...at, value: 'another claim' }, AUTHOR);
    const given = {
      outcome_ref: newPath(),
      outcome_type: 'Failure',
      task_input: 'task',
      response_text: 'response',
      decision_summary: 'summary',
      tool_calls: [{ tool_name: 'deploy', arguments: { a: 1 } }],
      causal_entries: [{ ...at, version: 1, read_at: '2025-12-31T23:00:00+01:00', duration_ms: 2, extra: 'ignored' }],
      external_contexts: [{ label: 'l', summary: 's', source: null, recorded_at: '2025-12-31T22:00:00Z' }],
      query_events: [
        { operation: 'search', parameters: { query: 'q' }, result_count: 3, occurred_at: '2025-12-31T22:00:00Z' },
      ],
      error_events: [
        { operation: 'tool', error_type: 'E', message: 'm', stack_trace: 't', occurred_at: '2025-12-31T22:00:00Z' },
      ],
      state_diff: { entries_created: 2, entries_updated: 3, confidence_changes: [] },
      session_metadata: {
        platform: 'linux',
        llm_calls: [{ model: 'x' }],
        spans: [{ name: 's' }],
        attempts: [{ summary: 'no' }],
      },
      session_started_at: '2025-12-31T22:00:00Z',
      session_ended_at: '2025-12-31T22:00:05Z',
    };
    const trace = await create(given, session);
    expect(trace).toMatchObject({
      ...session,
      outcome_ref: given.outcome_ref,
      outcome_type: 'failure',
      task_input: 'task',
      response_text: 'response',
      decision_summary: 'summary',
      tool_calls: [{ tool_name: 'deploy', arguments: { a: 1 }, success: true }],
      causal_entries: [
        {
          ...at,
          version: 1,
          value: { about: 'policy' },
          confidence: 0.7,
          memory_type: 'fact',
          written_by: 'agent/author',
          read_at: '2025-12-31T22:00:00.000Z',
          duration_ms: 2,
        },
      ],
      external_contexts: [{ label: 'l', summary: 's', source: null, recorded_at: '2025-12-31T22:00:00.000Z' }],
      query_events: [{ operation: 'search', parameters: { query: 'q' }, result_count: 3 }],
      error_events: [{ operation: 'tool', error_type: 'E', message: 'm', stack_trace: 't' }],
      attempts: [{ attempt: 1, summary: 'no', outcome_type: 'minor_failure' }],
      state_diff: { entries_created: 2, entries_updated: 3, confidence_changes: [] },
      session_metadata: {
        platform: 'linux',
        llm_calls: [{ model: 'x' }],
        spans: [{ name: 's' }, { name: 'x', kind: 'llm' }],
      },
      session_started_at: '2025-12-31T22:00:00.000Z',
      session_ended_at: '2025-12-31T22:00:05.000Z',
      session_duration_ms: 5000,
      sequence: 1,
    });
    expect(await app.call('traces.read', { trace_id: trace.trace_id }, session)).toEqual(trace);
    expect(await app.call('traces.verify', { trace_id: trace.trace_id })).toMatchObject({ valid: 1, problems: [] });
    expect(await app.call('sessions.explain', { outcome_ref: given.outcome_ref }, OTHER)).toMatchObject({
      status: 'sealed',
      causal_entries: [{ ...at, version: 1, value: { about: 'policy' } }],
    });
  });

  it('moves no confidence, and follows the others of its session', async () => {
    const session = newSession();
    const at = { entity_path: newPath(), key: 'policy' };
    await writeAll(app, [at]);
    const outcome = { outcome_ref: newPath(), outcome_type: 'success' as const };
    const following = { ...outcome, causal_entry_keys: [at], trace_follows: true };
    expect(await app.call('outcomes.commit', following, session)).toMatchObject({
      trace_id: null,
      affected_entries: 1,
    });
    const first = await create({ ...outcome, causal_entries: [at] }, session);
    const { outcomes } = await app.call('outcomes.list', { outcome_ref: outcome.outcome_ref });
    expect(outcomes).toMatchObject([{ trace_id: first.trace_id }]);
    const second = await create({}, session);
    expect([first.sequence, second.sequence]).toEqual([1, 2]);
    expect(second.parent_hash).toBe(first.hash);
    expect(await app.call('entries.read', at)).toMatchObject({ outcome_count: 1 });
    // It includes what its outcome did.
    expect(first.state_diff.confidence_changes).toMatchObject([
      { ...at, before: 0.7, outcome_ref: outcome.outcome_ref },
    ]);
    expect(second.state_diff.confidence_changes).toEqual([]);
  });

  it('that names an entry or a version that is not there is refused, and nothing is sealed', async () => {
    const at = { entity_path: newPath(), key: 'policy' };
    await writeAll(app, [at]);
    await flush(app);
    const { last_seq } = await app.call('stats.read', {});
    for (const causal of [
      { ...at, key: 'none' },
      { ...at, version: 2 },
    ])
      await expect(create({ causal_entries: [causal] })).rejects.toMatchObject({
        code: 'not_found',
        detail: { entity_path: at.entity_path, key: causal.key },
      });
    expect((await app.call('stats.read', {})).last_seq).toBe(last_seq);
  });

  it('may name what has been deleted since it was read', async () => {
    const at = { entity_path: newPath(), key: 'policy' };
    await writeAll(app, [at]);
    await app.call('entries.delete', at, AUTHOR);
    const { causal_entries } = await create({ causal_entries: [{ ...at, version: 1 }] });
    expect(causal_entries).toMatchObject([{ version: 1, value: { about: 'policy' } }]);
    await expect(create({ causal_entries: [at] })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('shows no version that the client may not see', async () => {
    const at = { entity_path: newPath(), key: 'secret' };
    await app.call('entries.write', { ...at, value: 'for my eyes', shared: false }, AUTHOR);
    await expect(create({ causal_entries: [at] })).rejects.toMatchObject({ code: 'not_found' });
    await app.call('entries.write', { ...at, value: 'for all', shared: true }, AUTHOR);
    await expect(create({ causal_entries: [{ ...at, version: 1 }] })).rejects.toMatchObject({ code: 'not_found' });
    const own = await create(
      {
        causal_entries: [
          { ...at, version: 1 },
          { ...at, version: 2 },
        ],
      },
      AUTHOR,
    );
    expect(own.causal_entries.map(({ value }) => value)).toEqual(['for my eyes', 'for all']);
    const seen = await app.call('traces.read', { trace_id: own.trace_id }, OTHER);
    expect(seen.causal_entries.map(({ value }) => value)).toEqual(['for all']);
  });

  it('comes over HTTP with 201 and where it is', async () => {
    const server = await listen(app);
    try {
      const body = JSON.stringify({ task_input: 'over HTTP' });
      const answer = await send(server.url, { method: 'POST', path: '/api/v1/traces', body });
      expect(answer.status).toBe(201);
      const path = answer.headers.get('location') as string;
      expect(path).toBe(`/api/v1/traces/${answer.json.trace_id}`);
      expect((await send(server.url, { method: 'GET', path })).json).toMatchObject({ task_input: 'over HTTP' });
      expect((await send(server.url, { method: 'GET', path: `${path}x` })).status).toBe(404);
    } finally {
      await server.close();
    }
  });

  it('leaves the open session of its agent as it is', async () => {
    const session = newSession();
    const at = { entity_path: newPath(), key: 'policy' };
    await writeAll(app, [at]);
    await app.call('entries.read', at, session);
    expect((await create({}, session)).causal_entries).toEqual([]);
    expect(keysOf((await app.call('sessions.explain', {}, session)).causal_entries)).toEqual(['policy']);
  });
});
