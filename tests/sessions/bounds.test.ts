import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { rowsOf } from '../entries/support.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { DOER, flush, newSession } from './support.ts';

const DAY = 24 * 60 * 60 * 1000;

describe.each(backends)('a session has bounds, on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
    const drafts = Array.from({ length: 1010 }, (_, i) => ({ entity_path: 'many', key: `k${i}`, value: i }));
    for (const writes of [drafts.slice(0, 500), drafts.slice(500, 1000), drafts.slice(1000)])
      await app.call('commits.create', { message: 'many', writes });
  });
  afterAll(() => app.close());

  const explain = (as: object) => app.call('sessions.explain', {}, as);
  const readTo = async (as: object, from: number, to: number) => {
    const keys = Array.from({ length: to - from }, (_, i) => `k${from + i}`);
    await Promise.all(keys.map((key) => app.call('entries.read', { entity_path: 'many', key }, as)));
  };

  it('it keeps 1,000 reads, and says when there were more', async () => {
    const session = newSession();
    await readTo(session, 0, 999);
    await flush(app);
    // What it has read before takes no room.
    await readTo(session, 0, 10);
    await readTo(session, 999, 1000);
    expect(await explain(session)).toMatchObject({ causal_chain_length: 1000, truncated: false });
    await readTo(session, 5, 10);
    expect(await explain(session)).toMatchObject({ causal_chain_length: 1000, truncated: false });
    await readTo(session, 1000, 1010);
    expect(await explain(session)).toMatchObject({ causal_chain_length: 1000, truncated: true });
    const answer = await app.call('outcomes.commit', { outcome_ref: 'x', outcome_type: 'success' }, session);
    expect(answer).toMatchObject({ affected_entries: 1000 });
    const trace = await app.call('traces.read', { trace_id: answer.trace_id as string });
    expect(trace).toMatchObject({ truncated: true });
    expect(trace.causal_entries).toHaveLength(1000);
    await readTo(session, 1000, 1001);
    expect(await explain(session)).toMatchObject({ causal_chain_length: 1, truncated: false });
  });

  it('it keeps 1,000 questions and refusals, and still takes what is recorded', async () => {
    const session = newSession();
    const look = (i: number) =>
      i % 2
        ? app.call('entries.list', { entity_path: 'nothing' }, session)
        : app.call('entries.read', { entity_path: 'nothing', key: 'k' }, session).catch(() => {});
    await Promise.all(Array.from({ length: 1005 }, (_, i) => look(i)));
    const explained = await explain(session);
    expect(explained.query_events.length + explained.error_events.length).toBe(1000);
    expect(explained.truncated).toBe(true);
    await app.call('sessions.record_context', { label: 'x', summary: '' }, session);
    expect((await explain(session)).external_contexts).toHaveLength(1);
  });

  it('it refuses the 10,001st record, and starts again after the next outcome', async () => {
    const session = newSession();
    await app.call('sessions.record_context', { label: 'first', summary: '' }, session);
    const { database } = app.kernel.services;
    // As if it had recorded all the others.
    await database.transaction((tx) =>
      tx.run({ text: 'UPDATE sessions SET items = 9999 WHERE session = ?', values: [session.session_id] }),
    );
    await app.call('sessions.record_error', { error_type: 'x', message: '' }, session);
    const refused = [
      app.call('sessions.record_context', { label: 'x', summary: '' }, session),
      app.call('sessions.record_action', { tool_name: 'x' }, session),
      app.call('sessions.record_error', { error_type: 'x', message: '' }, session),
      app.call('sessions.record_llm_call', { model: 'x' }, session),
      app.call('sessions.record_span', { name: 'x' }, session),
      app.call('sessions.record_attempt', {}, session),
    ];
    for (const answer of refused) await expect(answer).rejects.toMatchObject({ code: 'conflict' });
    const explained = await explain(session);
    expect([explained.external_contexts.length, explained.error_events.length, explained.tool_calls.length]).toEqual([
      1, 1, 0,
    ]);
    await app.call('outcomes.commit', { outcome_ref: 'y', outcome_type: 'success' }, session);
    await app.call('sessions.record_context', { label: 'x', summary: '' }, session);
    expect((await explain(session)).external_contexts).toHaveLength(1);
  });

  it('it has 50 attempts at most, recorded or sent', async () => {
    const session = newSession();
    for (let i = 1; i <= 50; i++)
      expect(await app.call('sessions.record_attempt', {}, session)).toMatchObject({ attempt: i });
    await expect(app.call('sessions.record_attempt', {}, session)).rejects.toMatchObject({ code: 'conflict' });
    const attempts = (n: number) => ({ attempts: Array.from({ length: n }, () => ({})) });
    const outcome = { outcome_ref: 'z', outcome_type: 'failure' as const };
    await expect(app.call('outcomes.commit', { ...outcome, ...attempts(51) }, session)).rejects.toMatchObject({
      code: 'invalid_input',
    });
    const metadata = { session_metadata: attempts(26), ...attempts(25) };
    await expect(app.call('outcomes.commit', { ...outcome, ...metadata }, session)).rejects.toMatchObject({
      code: 'invalid_input',
    });
    const answer = await app.call('outcomes.commit', { ...outcome, ...attempts(50) }, session);
    expect(answer).toMatchObject({ duplicate: false });
  });

  it('it is deleted after seven idle days', async () => {
    const own = await openTestApp(backend);
    onTestFinished(() => own.close());
    const idle = newSession();
    const at = { entity_path: 'many', key: 'k0' };
    await own.call('entries.write', { ...at, value: 0 }, DOER);
    const use = async (as: object) => {
      await own.call('entries.read', at, as);
      await own.call('sessions.record_context', { label: 'x', summary: '' }, as);
      await flush(own);
    };
    const left = async (as: object) => (await own.call('sessions.explain', {}, as)).causal_chain_length;
    await use(idle);
    await use(DOER);
    own.clock.advance(7 * DAY - 1000);
    await own.jobs.sweep();
    expect(await left(idle)).toBe(1);
    await use(DOER);
    own.clock.advance(2000);
    await own.jobs.sweep();
    expect([await left(idle), await left(DOER)]).toEqual([0, 1]);
    for (const table of ['sessions', 'session_reads', 'session_items'])
      expect(await rowsOf(own, `SELECT session FROM ${table} WHERE session = ?`, idle.session_id), table).toEqual([]);
  });
});
