import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exact, textOf } from '../entries/support.ts';
import { AUTHOR, newPath, newSession, OTHER, writeAll } from '../sessions/support.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

describe.each(backends)('a trace on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  const commit = (as: object, input: object = {}) =>
    app.call('outcomes.commit', { outcome_ref: newPath(), outcome_type: 'success', ...input }, as);
  const read = async (as: object, input: object = {}) => {
    const { trace_id } = await commit(as, input);
    return app.call('traces.read', { trace_id: trace_id as string }, OTHER);
  };

  it('shows what was read with the digits it was written with, before and after it is sealed', async () => {
    const session = newSession();
    const at = { entity_path: newPath(), key: 'digits' };
    const value = '{"big":12345678901234567890,"form":1.0}';
    await app.call('entries.write', { ...at, value: exact(value) });
    await app.call('entries.read', at, session);
    expect(await textOf(app, 'sessions.explain', { as: session })).toContain(`"value":${value}`);
    const { trace_id } = await commit(session);
    for (const name of ['traces.read', 'sessions.explain'] as const)
      expect(await textOf(app, name, { trace_id: trace_id as string })).toContain(`"value":${value}`);
  });

  it('holds everything that a session read, asked, met, did, changed and said', async () => {
    const session = newSession();
    const entity_path = newPath();
    await writeAll(app, [
      { entity_path, key: 'policy' },
      { entity_path, key: 'limit' },
    ]);
    const started = new Date(app.clock.now()).toISOString();
    await app.call('entries.read', { entity_path, key: 'policy' }, session);
    await app.call('entries.list', { entity_path }, session);
    await expect(app.call('entries.read', { entity_path, key: 'none' }, session)).rejects.toThrow();
    await app.call('sessions.record_context', { label: 'ticket', summary: 'timeouts' }, session);
    await app.call('sessions.record_action', { tool_name: 'plan', result_summary: 'planned' }, session);
    await app.call('entries.write', { entity_path, key: 'new', value: 1 }, session);
    await app.call('entries.write', { entity_path, key: 'limit', value: 2 }, session);
    app.clock.advance(1500);
    const outcome_ref = newPath();
    const tool_call = {
      tool_name: 'deploy',
      arguments: { Service: 'x' },
      result_summary: 'rolled out',
      result_hash: 'abc',
      started_at: '2026-01-01T00:00:00.000Z',
      duration_ms: 12.5,
      source: 'ci',
      success: true,
      action_key: 'deploy-x',
    };
    const committed = await commit(session, {
      outcome_ref,
      task_input: 'Roll out',
      response_text: 'Done',
      decision_summary: 'Rolled out at once',
      tool_calls: [tool_call],
      final_action_index: 0,
      llm_calls: [{ model: 'gpt-4o', provider: 'openai', input_tokens: 1000, output_tokens: 100, latency_ms: 20 }],
      session_metadata: {
        model: 'gpt-4o',
        client_name: 'cli',
        platform: 'linux',
        tools_available: ['deploy'],
        mcp_client_id: 'm-1',
        agent_version: '1.2',
        evidence: { tests: 'passed' },
        anything: { else: [1] },
        spans: [{ span_id: 's-1', name: 'plan', status: 'ok' }],
      },
    });
    const ended = new Date(app.clock.now()).toISOString();
    const trace = await app.call('traces.read', { trace_id: committed.trace_id as string }, OTHER);
    expect(trace).toEqual({
      id: committed.trace_id,
      trace_id: committed.trace_id,
      immutable_trace_id: committed.immutable_trace_id,
      ...session,
      branch: 'main',
      outcome_ref,
      outcome_type: 'success',
      causes_complete: true,
      causes_incomplete_because: null,
      decision_summary: 'Rolled out at once',
      task_input: 'Roll out',
      response_text: 'Done',
      tool_calls: [expect.objectContaining({ tool_name: 'plan', result_summary: 'planned' }), tool_call],
      causal_entries: [
        {
          entity_path,
          key: 'policy',
          branch: 'main',
          version: 1,
          value: { about: 'policy' },
          confidence: 0.7,
          memory_type: 'fact',
          evidence_status: 'untested',
          success_count: 0,
          failure_count: 0,
          written_by: 'agent/author',
          attempt: 0,
          read_at: started,
          duration_ms: expect.any(Number),
        },
      ],
      external_contexts: [{ label: 'ticket', summary: 'timeouts', source: null, recorded_at: started }],
      query_events: [
        {
          operation: 'list',
          parameters: expect.objectContaining({ entity_path }),
          result_count: 2,
          duration_ms: expect.any(Number),
          occurred_at: started,
        },
      ],
      error_events: [
        expect.objectContaining({ operation: 'entries.read', error_type: 'not_found', occurred_at: started }),
      ],
      attempts: [],
      state_diff: {
        entries_created: 1,
        entries_updated: 1,
        confidence_changes: [
          { entity_path, key: 'policy', before: 0.7, after: committed.entries[0]?.confidence_after, outcome_ref },
        ],
      },
      attributes: { source: 'api', model: 'gpt-4o', client: 'cli', outcome_type: 'success' },
      session_metadata: {
        model: 'gpt-4o',
        client_name: 'cli',
        platform: 'linux',
        tools_available: ['deploy'],
        mcp_client_id: 'm-1',
        agent_version: '1.2',
        evidence: { tests: 'passed' },
        anything: { else: [1] },
        attributes: trace.attributes,
        llm_calls: [
          {
            call_id: expect.any(String),
            model: 'gpt-4o',
            provider: 'openai',
            input_tokens: 1000,
            output_tokens: 100,
            cost_usd: 0.0035,
            latency_ms: 20,
            started_at: ended,
          },
        ],
        spans: [
          expect.objectContaining({ span_id: 's-1', name: 'plan', kind: 'agent', status: 'ok' }),
          expect.objectContaining({ name: 'gpt-4o', kind: 'llm', status: 'ok', duration_ms: 20, cost_usd: 0.0035 }),
        ],
      },
      total_llm_calls: 1,
      total_tokens: 1100,
      total_cost_usd: 0.0035,
      known_cost_usd: 0.0035,
      session_started_at: started,
      session_ended_at: ended,
      session_duration_ms: 1500,
      created_at: ended,
      sequence: 1,
      parent_hash: null,
      hash: committed.immutable_trace_id,
      signature: null,
      key_id: null,
      truncated: false,
      seq: committed.seq,
    });
    expect(committed.final_action_index).toBe(1);
    const { traces } = await app.call('traces.list', { outcome_ref }, OTHER);
    const { value: _, ...listed } = trace.causal_entries[0] as Record<string, unknown>;
    expect(traces).toEqual([
      {
        ...trace,
        causal_entries: [{ ...listed, memory_type: null }],
        session_metadata: { ...trace.session_metadata, spans: [] },
      },
    ]);
  });

  it('of a session that did nothing is empty and has no beginning', async () => {
    expect(await read(newSession())).toMatchObject({
      task_input: null,
      tool_calls: [],
      causal_entries: [],
      state_diff: { entries_created: 0, entries_updated: 0, confidence_changes: [] },
      total_llm_calls: 0,
      total_tokens: 0,
      total_cost_usd: null,
      known_cost_usd: null,
      session_started_at: null,
      session_duration_ms: null,
    });
  });

  it('holds the writes since the last one, also those that arrived with the outcome, each in one trace', async () => {
    const session = newSession();
    const entity_path = newPath();
    const write = (key: string, value: unknown = 1) => app.call('entries.write', { entity_path, key, value }, session);
    await write('a');
    await write('a', 2);
    const counts = async (input: object = {}) => {
      const { entries_created, entries_updated } = (await read(session, input)).state_diff;
      return [entries_created, entries_updated];
    };
    expect(await counts()).toEqual([1, 1]);
    const [, , together] = await Promise.all([write('b'), write('c'), counts()]);
    expect(together).toEqual([2, 0]);
    await app.call('entries.delete', { entity_path, key: 'a' }, session);
    await app.call('commits.create', { message: '', writes: [{ entity_path, key: 'd', value: 1 }] }, session);
    await app.call('entries.write', { entity_path, key: 'of another', value: 1 }, AUTHOR);
    expect(await counts()).toEqual([1, 1]);
    expect(await counts()).toEqual([0, 0]);
  });

  it('of a session without a name holds its writes too', async () => {
    const nameless = { agent_id: 'agent/nameless', session_id: null, actor: newPath() };
    const entity_path = newPath();
    await app.call('entries.write', { entity_path, key: 'a', value: 1 }, nameless);
    await app.call('entries.write', { entity_path, key: 'b', value: 1 }, { ...nameless, actor: newPath() });
    expect((await read(nameless)).state_diff).toMatchObject({ entries_created: 1, entries_updated: 0 });
  });

  it('holds the lesson among what it wrote, once', async () => {
    const session = newSession();
    const entity_path = newPath();
    await writeAll(app, [
      { entity_path, key: 'bad' },
      { entity_path, key: 'good' },
    ]);
    await app.call('entries.read', { entity_path, key: 'bad' }, session);
    await app.call('sessions.record_attempt', { summary: 'failed' }, session);
    await app.call('entries.read', { entity_path, key: 'good' }, session);
    const first = await read(session);
    expect(first.attempts).toMatchObject([{ attempt: 1, summary: 'failed', outcome_type: 'minor_failure' }]);
    expect(first.state_diff).toMatchObject({ entries_created: 1 });
    expect(first.state_diff.confidence_changes.map(({ key }) => key)).toEqual(['bad', 'good']);
    expect((await read(session)).state_diff).toMatchObject({ entries_created: 0 });
  });

  it('shows the attempts that were sent with the outcome', async () => {
    const entity_path = newPath();
    await writeAll(app, [{ entity_path, key: 'bad' }]);
    const attempts = [
      { outcome_type: 'failure', causal_entry_keys: [{ entity_path, key: 'bad' }], summary: 'no', action_indices: [0] },
      { summary: 'not either' },
    ];
    const recorded_at = new Date(app.clock.now()).toISOString();
    expect((await read(newSession(), { attempts, tool_calls: [{ tool_name: 'try' }] })).attempts).toEqual([
      { attempt: 1, outcome_type: 'failure', summary: 'no', action_indices: [0], recorded_at },
      { attempt: 2, outcome_type: 'minor_failure', summary: 'not either', action_indices: [], recorded_at },
    ]);
  });

  it('is not found under another id', async () => {
    await expect(app.call('traces.read', { trace_id: 'none' })).rejects.toMatchObject({
      code: 'not_found',
      detail: { trace_id: 'none' },
    });
  });
});
