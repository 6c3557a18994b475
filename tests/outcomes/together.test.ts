import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rowsOf } from '../entries/support.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

const DOER = { agent_id: 'agent/doer' };
const at = (key: string) => ({ entity_path: 'svc', key });

describe.each(backends)('outcomes that arrive together, on %s', (backend) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await openTestApp(backend);
    for (const key of ['a', 'b', 'c']) await app.call('entries.write', { ...at(key), value: key }, DOER);
  });
  afterEach(() => app.close());

  const commit = (outcome_ref: string, more: { causal_entry_keys?: string[]; [field: string]: unknown } = {}) =>
    app.call(
      'outcomes.commit',
      { outcome_ref, outcome_type: 'success', causal_entry_keys: ['svc/a'], session_id: outcome_ref, ...more } as never,
      DOER,
    );
  const confidenceOf = (key: string) => app.call('entries.confidence', at(key), DOER);

  it('each go on from where the one before has left an entry', async () => {
    const types = ['success', 'failure', 'success', 'success', 'failure'];
    const answers = await Promise.all(types.map((outcome_type, i) => commit(`r${i}`, { outcome_type })));
    const inOrder = [...answers].sort((a, b) => a.seq - b.seq);
    inOrder.slice(1).forEach((answer, i) => {
      expect(answer.entries[0]?.confidence_before).toBe(inOrder[i]?.entries[0]?.confidence_after);
    });
    const { confidence, recomputed, steps } = await confidenceOf('a');
    expect(recomputed).toEqual({ confidence, matches: true });
    expect(confidence).toBe(inOrder.at(-1)?.entries[0]?.confidence_after);
    expect(steps).toHaveLength(types.length + 1);
    const [count] = await rowsOf<{ n: number; confidence_sum: number }>(app, "SELECT * FROM counts WHERE kind = 'all'");
    const entries = await rowsOf<{ confidence: number }>(
      app,
      `SELECT coalesce(s.confidence, e.confidence) AS confidence FROM entries AS e
        LEFT JOIN standings AS s ON s.account_id = e.account_id AND s.entry_id = e.entry_id`,
    );
    expect(count?.n).toBe(3);
    expect(count?.confidence_sum).toBeCloseTo(entries.reduce((sum, entry) => sum + entry.confidence, 0));
  });

  it('fail alone where they are refused, and leave nothing behind', async () => {
    const results = await Promise.allSettled([
      commit('one'),
      commit('bad', { final_action_index: 3 }),
      commit('unchanged', { causal_entry_keys: ['svc/a', 'svc/b'] }),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((results[1] as PromiseRejectedResult).reason).toMatchObject({ code: 'invalid_input' });
    const rows = await rowsOf<{ outcome_ref: string; seq: number }>(app, 'SELECT outcome_ref, seq FROM outcomes');
    expect(rows.map(({ outcome_ref }) => outcome_ref).sort()).toEqual(['one', 'unchanged']);
    const events = await rowsOf<{ seq: number }>(app, "SELECT seq FROM events WHERE event_type = 'outcome'");
    expect(events.map(({ seq }) => seq).sort()).toEqual(rows.map(({ seq }) => seq).sort());
    expect((await confidenceOf('a')).recomputed.matches).toBe(true);
  });

  it('count once where they are the same', async () => {
    const answers = await Promise.all([commit('same'), commit('same'), commit('same')]);
    expect(answers.map(({ duplicate }) => duplicate).sort()).toEqual([false, true, true]);
    expect(new Set(answers.map(({ outcome_id }) => outcome_id)).size).toBe(1);
    expect((await confidenceOf('a')).steps).toHaveLength(2);
  });

  it('of one session seal its traces one after the other', async () => {
    const session_id = 'shared';
    await app.call('entries.read', at('b'), { ...DOER, session_id });
    const answers = await Promise.all(['x', 'y', 'z'].map((ref) => commit(ref, { session_id })));
    const { traces } = await app.call('traces.list', { session_id }, DOER);
    expect(traces.map(({ sequence }) => sequence)).toEqual([3, 2, 1]);
    expect(new Set(answers.map(({ trace_id }) => trace_id)).size).toBe(3);
    expect(await app.call('traces.verify', {}, DOER)).toMatchObject({ total_checked: 3, valid: 3 });
  });

  it('find the lesson that one of them has just left', async () => {
    const attempts = [{ outcome_type: 'failure', causal_entry_keys: ['svc/b'], summary: 'did not work' }];
    const [first, second] = await Promise.all([
      commit('deploy', { attempts }),
      commit('next', { causal_entry_keys: ['svc/lesson-contrast-deploy', 'svc/c'] }),
    ]);
    expect(first.lesson).toMatchObject({ key: 'lesson-contrast-deploy', version: 1 });
    expect(second.entries.map(({ applied }) => applied)).toEqual([true, true]);
    for (const key of ['lesson-contrast-deploy', 'a', 'b', 'c'])
      expect((await confidenceOf(key)).recomputed.matches, key).toBe(true);
  });
});
