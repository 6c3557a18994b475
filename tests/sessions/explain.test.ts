import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { AUTHOR, flush, keysOf, newPath, newSession, OTHER, writeAll } from './support.ts';

describe.each(backends)('explanations, on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  const explain = (as: object, input: object = {}) => app.call('sessions.explain', input as never, as);

  it('a session that did nothing is open and empty', async () => {
    const session = newSession();
    expect(await explain(session)).toEqual({
      status: 'open',
      trace_id: null,
      outcome_ref: null,
      outcome_type: null,
      ...session,
      causal_chain_length: 0,
      causal_entries: [],
      external_contexts: [],
      query_events: [],
      error_events: [],
      tool_calls: [],
      llm_calls: [],
      spans: [],
      attempts: [],
      attributes: {},
      stale_reads: [],
      session_started_at: null,
      truncated: false,
      causes_complete: true,
      causes_incomplete_because: null,
    });
  });

  it('entries are shown in the version, with the value and as trusted as they were read', async () => {
    const session = newSession();
    const at = { entity_path: newPath(), key: 'policy' };
    await writeAll(app, [at]);
    await app.call('outcomes.commit', { outcome_ref: 'before', outcome_type: 'success', causal_entry_keys: [at] });
    const read = (await app.call('entries.read', at, session)) as { confidence: number };
    const read_at = new Date(app.clock.now()).toISOString();
    app.clock.advance(1000);
    await app.call('outcomes.commit', { outcome_ref: 'after', outcome_type: 'failure', causal_entry_keys: [at] });
    await app.call('entries.write', { ...at, value: 'another claim', memory_type: 'belief' }, AUTHOR);
    const { causal_entries, causal_chain_length } = await explain(session);
    expect(causal_chain_length).toBe(1);
    expect(causal_entries).toEqual([
      {
        ...at,
        branch: 'main',
        version: 1,
        value: { about: 'policy' },
        confidence: read.confidence,
        memory_type: 'fact',
        evidence_status: 'validated',
        success_count: 1,
        failure_count: 0,
        written_by: 'agent/author',
        attempt: 0,
        read_at,
        duration_ms: expect.any(Number),
      },
    ]);
    expect(read.confidence).toBeCloseTo(0.8182, 4);
  });

  it('reads stand in the order they came, each version once, and old versions as such', async () => {
    const session = newSession();
    const entity_path = newPath();
    await writeAll(app, [
      { entity_path, key: 'a' },
      { entity_path, key: 'b' },
    ]);
    for (const key of ['b', 'a', 'b']) await app.call('entries.read', { entity_path, key }, session);
    await app.call('entries.write', { entity_path, key: 'a', value: 2 }, AUTHOR);
    await app.call('entries.read', { entity_path, key: 'a' }, session);
    await app.call('entries.read', { entity_path, key: 'b', version: 1 }, session);
    const { causal_entries } = await explain(session);
    expect(causal_entries.map(({ key, version }) => `${key}${version}`)).toEqual(['b1', 'a1', 'a2']);
  });

  it('questions, errors, actions, contexts, calls, spans and attempts are kept beside the reads', async () => {
    const session = newSession();
    const entity_path = newPath();
    await writeAll(app, [{ entity_path, key: 'a' }]);
    await app.call('entries.list', { entity_path }, session);
    await app.call('entries.search', { query: 'nothing of the kind', entity_path }, session);
    await expect(app.call('entries.read', { entity_path, key: 'none' }, session)).rejects.toMatchObject({
      code: 'not_found',
    });
    const asked_at = new Date(app.clock.now()).toISOString();
    app.clock.advance(1000);
    const context = { label: 'ticket', summary: 'timeouts', source: 'support/1' };
    expect(await app.call('sessions.record_context', context, session)).toMatchObject({
      recorded: 'ticket',
      source: 'support/1',
      ...session,
    });
    await app.call('sessions.record_action', { tool_name: 'deploy', arguments: { service: 'x' } }, session);
    const error = { operation: 'tool', error_type: 'TimeoutError', message: 'too slow', stack_trace: 'at deploy' };
    await app.call('sessions.record_error', error, session);
    await app.call('sessions.record_llm_call', { model: 'gpt-4o', input_tokens: 1, output_tokens: 1 }, session);
    await app.call('sessions.record_span', { name: 'plan', status: 'ok' }, session);
    await app.call('sessions.set_attributes', { attributes: { Team: 'payments' } }, session);
    await app.call('sessions.record_attempt', { summary: 'did not work' }, session);
    const occurred_at = new Date(app.clock.now()).toISOString();
    const explained = await explain(session);
    expect(explained.query_events).toEqual([
      expect.objectContaining({ operation: 'list', result_count: 1, occurred_at: asked_at }),
      expect.objectContaining({ operation: 'search', result_count: 0, occurred_at: asked_at }),
    ]);
    expect(explained.query_events[0]?.parameters).toMatchObject({ entity_path });
    expect(explained.error_events).toEqual([
      {
        operation: 'entries.read',
        error_type: 'not_found',
        message: `there is no entry ${entity_path}/none`,
        occurred_at: asked_at,
      },
      { ...error, occurred_at },
    ]);
    expect(explained.external_contexts).toEqual([{ ...context, recorded_at: occurred_at }]);
    expect(explained.tool_calls).toMatchObject([{ tool_name: 'deploy', arguments: { service: 'x' }, success: true }]);
    expect(explained.llm_calls).toMatchObject([{ model: 'gpt-4o', cost_usd: 0.0000125 }]);
    expect(explained.spans).toMatchObject([
      { name: 'plan', kind: 'agent', status: 'ok', parent_span_id: null },
      { name: 'gpt-4o', kind: 'llm', status: 'ok', model: 'gpt-4o' },
    ]);
    expect(explained.attempts).toMatchObject([
      { attempt: 1, outcome_type: 'minor_failure', summary: 'did not work', action_indices: [0] },
    ]);
    expect(explained.attributes).toEqual({ team: 'payments' });
    expect(explained.session_started_at).toBe(asked_at);
  });

  it('a sealed session is explained by its outcome and by its trace, as it was', async () => {
    const session = newSession();
    const at = { entity_path: newPath(), key: 'policy' };
    await writeAll(app, [at]);
    await app.call('entries.read', at, session);
    await app.call('sessions.record_context', { label: 'ticket', summary: 'timeouts' }, session);
    const open = await explain(session);
    const outcome_ref = `sealed-${backend}`;
    const { trace_id } = await app.call('outcomes.commit', { outcome_ref, outcome_type: 'success' }, session);
    await app.call('entries.write', { ...at, value: 'another claim' }, AUTHOR);
    const sealed = { ...open, status: 'sealed', trace_id, outcome_ref, outcome_type: 'success' };
    const attributes = { source: 'api', outcome_type: 'success' };
    expect(await explain(OTHER, { outcome_ref })).toEqual({ ...sealed, attributes });
    expect(await explain(OTHER, { trace_id })).toEqual({ ...sealed, attributes });
    expect(await explain(session)).toMatchObject({ status: 'open', causal_entries: [], external_contexts: [] });
  });

  it('of several sessions with one outcome reference the newest is explained, or the one that is named', async () => {
    const sessions = [newSession(), newSession()];
    const outcome_ref = `shared-${backend}`;
    for (const session of sessions) {
      await app.call('sessions.record_context', { label: session.session_id, summary: '' }, session);
      await app.call('outcomes.commit', { outcome_ref, outcome_type: 'success' }, session);
    }
    expect(await explain(OTHER, { outcome_ref })).toMatchObject({ session_id: sessions[1]?.session_id });
    const session_id = sessions[0]?.session_id as string;
    expect(await explain(OTHER, { outcome_ref, session_id })).toMatchObject({
      session_id,
      external_contexts: [{ label: session_id }],
    });
  });

  it('what never was is not found', async () => {
    for (const input of [{ outcome_ref: 'nothing' }, { trace_id: 'nothing' }])
      await expect(explain(newSession(), input)).rejects.toMatchObject({ code: 'not_found', detail: input });
  });

  it('an attempt ends one try, and what is read then belongs to the next', async () => {
    const session = newSession();
    const entity_path = newPath();
    const places = ['a', 'b', 'c'].map((key) => ({ entity_path, key }));
    await writeAll(app, places);
    for (const at of places.slice(0, 2)) await app.call('entries.read', at, session);
    expect(await app.call('sessions.record_attempt', {}, session)).toMatchObject({
      attempt: 1,
      entries: 2,
      actions: 0,
    });
    for (const at of places.slice(1)) await app.call('entries.read', at, session);
    await app.call('sessions.record_action', { tool_name: 'deploy' }, session);
    expect(await app.call('sessions.record_attempt', {}, session)).toMatchObject({
      attempt: 2,
      entries: 2,
      actions: 1,
    });
    const { causal_entries } = await explain(session);
    expect(causal_entries.map(({ key, attempt }) => `${key}${attempt}`)).toEqual(['a0', 'b0', 'b1', 'c1']);
  });

  it('what a session was shown by lists and searches is no read', async () => {
    const session = newSession();
    const entity_path = newPath();
    await writeAll(app, [{ entity_path, key: 'unread' }]);
    await app.call('entries.search', { query: 'unread', entity_path }, session);
    await app.call('entries.list', { entity_path }, session);
    await flush(app);
    expect(keysOf((await explain(session)).causal_entries)).toEqual([]);
    const answer = await app.call('outcomes.commit', { outcome_ref: 'x', outcome_type: 'failure' }, session);
    expect(answer).toMatchObject({ affected_entries: 0, entries: [] });
  });
});
