import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dump } from '../contract/dump.ts';
import { rowsOf } from '../entries/support.ts';
import { newPath, newSession, writeAll } from '../sessions/support.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

/** A token such as a code forge gives out, another for each name. */
const secret = (name: string) => `ghp_${createHash('sha256').update(name).digest('hex').slice(0, 36)}`;
const within = (name: string) => `see ${secret(name)} there`;

describe.each(backends)('secrets on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  /** Everything that is stored, open sessions and stored answers included. */
  const stored = async () => {
    const tables = ['sessions', 'session_items', 'session_reads', 'stored_answers'];
    const noted = await Promise.all(tables.map((table) => rowsOf(app, `SELECT * FROM ${table}`)));
    return JSON.stringify([await dump(app), noted]);
  };
  const expectNone = async (names: readonly string[], shown: unknown) => {
    const texts = [await stored(), JSON.stringify(shown)];
    for (const text of texts)
      expect(names.filter((name) => text.includes(secret(name)) || text.includes(secret(name).slice(4)))).toEqual([]);
  };

  const recorded = {
    context: { label: within('label'), summary: within('summary'), source: within('source') },
    action: {
      tool_name: 'deploy',
      arguments: { text: within('argument'), password: within('password'), deep: [{ text: within('deep') }] },
      result_summary: within('result'),
      choices: [within('choice')],
      source: within('action source'),
      action_key: within('action key'),
    },
    error: { error_type: 'Error', message: within('message'), stack_trace: within('stack') },
    call: { model: 'gpt-4o', error: within('call error'), finish_reason: 'stop' },
    span: {
      name: within('span name'),
      error: within('span error'),
      input: { text: within('input') },
      output: within('output'),
      attributes: { text: within('span attribute') },
    },
    attempt: { summary: within('attempt') },
  };
  const names = [
    'label summary source argument password deep result choice message stack input output attempt'.split(' '),
    ['action source', 'action key', 'call error', 'span name', 'span error', 'span attribute'],
  ].flat();

  async function record(as: object): Promise<unknown[]> {
    const keyed = () => ({ ...as, idempotency_key: newPath() });
    return [
      await app.call('sessions.record_context', recorded.context, keyed()),
      await app.call('sessions.record_action', recorded.action, keyed()),
      await app.call('sessions.record_error', recorded.error, keyed()),
      await app.call('sessions.record_llm_call', recorded.call, keyed()),
      await app.call('sessions.record_span', recorded.span, keyed()),
      await app.call('sessions.record_attempt', recorded.attempt, keyed()),
    ];
  }

  it('in what a session records are nowhere, neither while it is open nor once it is sealed', async () => {
    const session = newSession();
    const answers = await record(session);
    await expectNone(names, [answers, await app.call('sessions.explain', {}, session)]);
    const outcome = { outcome_ref: newPath(), outcome_type: 'success' as const };
    const { trace_id } = await app.call('outcomes.commit', outcome, session);
    const trace = await app.call('traces.read', { trace_id: trace_id as string });
    await expectNone(names, [trace, await app.call('log.list', { limit: 1000 }, session)]);
    expect(trace.external_contexts[0]?.summary).toMatch(/^see \[REDACTED:\w+\] there$/);
    expect(trace.tool_calls[0]?.arguments).toMatchObject({ password: expect.stringContaining('[REDACTED') });
  });

  const given = {
    task_input: within('task'),
    response_text: within('response'),
    decision_summary: within('decision'),
    tool_calls: [recorded.action],
    llm_calls: [recorded.call],
    session_metadata: {
      evidence: { text: within('metadata') },
      spans: [recorded.span],
      llm_calls: [{ ...recorded.call, error: within('other call') }],
      attempts: [{ summary: within('metadata attempt') }],
    },
  };
  const givenNames = ['task', 'response', 'decision', 'metadata', 'other call', 'metadata attempt', ...names];

  it('sent with an outcome are stored nowhere, not in the lesson either', async () => {
    const entity_path = newPath();
    await writeAll(app, [
      { entity_path, key: 'bad' },
      { entity_path, key: 'good' },
    ]);
    const session = newSession();
    const attempts = [{ summary: within('told attempt'), causal_entry_keys: [{ entity_path, key: 'bad' }] }];
    const causal_entry_keys = [{ entity_path, key: 'good' }];
    const outcome = { outcome_ref: newPath(), outcome_type: 'success' as const, attempts, causal_entry_keys, ...given };
    const answer = await app.call('outcomes.commit', outcome, { ...session, idempotency_key: newPath() });
    expect(answer.lesson).not.toBeNull();
    const trace = await app.call('traces.read', { trace_id: answer.trace_id as string });
    const { outcomes } = await app.call('outcomes.list', {});
    await expectNone(['told attempt', ...givenNames], [answer, trace, outcomes]);
    expect(trace.task_input).toMatch(/^see \[REDACTED:\w+\] there$/);
    expect((await app.call('traces.list', { query: secret('task') })).traces).toEqual([]);
  });

  it('in a trace that a client kept are nowhere', async () => {
    const trace = await app.call('traces.create', {
      ...given,
      external_contexts: [recorded.context],
      query_events: [{ operation: 'search', parameters: { query: within('query') } }],
      error_events: [recorded.error],
    });
    await expectNone(['query', ...givenNames], trace);
    expect(trace.query_events[0]?.parameters).toEqual({ query: expect.stringContaining('[REDACTED') });
  });

  it('in a question are not in the trace that others see', async () => {
    const session = newSession();
    await app.call('entries.search', { query: `find ${secret('asked')}` }, session);
    const outcome = { outcome_ref: newPath(), outcome_type: 'success' as const };
    const { trace_id } = await app.call('outcomes.commit', outcome, session);
    const trace = await app.call('traces.read', { trace_id: trace_id as string });
    expect(trace.query_events).toMatchObject([{ parameters: { query: expect.stringMatching(/^find \[REDACTED/) } }]);
    await expectNone(['asked'], trace);
  });
});
