import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

const AUTHOR = { agent_id: 'agent/author', session_id: 'writing' };
const DOER = { agent_id: 'agent/doer', session_id: 'task-1' };
const at = (key: string) => ({ entity_path: 'checkout/payments', key });

describe.each(backends)('an outcome on %s', (backend) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await openTestApp(backend);
    for (const key of ['policy', 'limit', 'owner'])
      await app.call('entries.write', { ...at(key), value: { about: key }, confidence: 0.7 }, AUTHOR);
  });
  afterEach(() => app.close());

  const standing = (key: string) => app.call('entries.read', at(key), AUTHOR) as Promise<Record<string, unknown>>;

  it('moves the confidence of what the session read', async () => {
    await app.call('entries.read', at('policy'), DOER);
    const answer = await app.call('outcomes.commit', { outcome_ref: 'deploy-1', outcome_type: 'success' }, DOER);
    expect(answer).toMatchObject({ affected_entries: 1, duplicate: false, stale_reads: [], lesson: null });
    expect(answer.entries).toEqual([
      expect.objectContaining({ ...at('policy'), applied: true, confidence_before: 0.7, read_version: 1, version: 1 }),
    ]);
    expect(answer.entries[0]?.confidence_after).toBeCloseTo(0.8182, 4);
    expect(answer.entries[0]?.why).toContain('0.70 -> 0.82');
    expect(await standing('policy')).toMatchObject({
      confidence: answer.entries[0]?.confidence_after,
      version: 1,
      outcome_count: 1,
      success_count: 1,
      prior_confidence: 0.7,
      last_outcome: 'success',
      validators: ['agent/doer'],
      evidence_status: 'validated',
    });
    expect(await standing('limit')).toMatchObject({ confidence: 0.7, evidence_status: 'untested' });
  });

  it('splits its credit among its causes', async () => {
    const causal_entry_keys = ['policy', 'limit', 'owner'].map(at);
    await app.call('entries.write', { ...at('fourth'), value: 4, confidence: 0.7 }, AUTHOR);
    const answer = await app.call(
      'outcomes.commit',
      { outcome_ref: 'deploy-1', outcome_type: 'success', causal_entry_keys: [...causal_entry_keys, at('fourth')] },
      DOER,
    );
    expect(answer.entries.map(({ confidence_after }) => confidence_after?.toFixed(4))).toEqual(Array(4).fill('0.7419'));
  });

  it('takes names of entries as text too, and says which one it cannot read', async () => {
    const named = { outcome_ref: 'deploy-1', outcome_type: 'failure' as const, causal_confidence: 0.5 };
    const answer = await app.call(
      'outcomes.commit',
      { ...named, causal_entry_keys: ['checkout/payments/policy'] },
      DOER,
    );
    expect(answer.entries[0]?.confidence_after).toBeCloseTo(0.3784, 4);
    await expect(
      app.call('outcomes.commit', { ...named, outcome_ref: 'two', causal_entry_keys: ['no-slash'] }, DOER),
    ).rejects.toMatchObject({ code: 'invalid_input', detail: { errors: [{ path: 'causal_entry_keys.0' }] } });
  });

  it.each([
    ['success', 0.8182],
    ['clean_deploy', 0.8182],
    ['minor_failure', 0.3077],
    ['regression', 0.3077],
    ['failure', 0.2593],
    ['p2_incident', 0.2593],
    ['critical_failure', 0.1972],
    ['P1_INCIDENT', 0.1972],
  ])('of type %s brings 0.7 to %d', async (outcome_type, expected) => {
    const input = { outcome_ref: 'x', outcome_type, causal_entry_keys: [at('policy')] };
    const answer = await app.call('outcomes.commit', input as never, DOER);
    expect(answer.entries[0]?.confidence_after).toBeCloseTo(expected, 4);
    expect(answer.outcome_type).toBe(outcome_type.toLowerCase());
  });

  it('of an unknown type is refused and changes nothing', async () => {
    const input = { outcome_ref: 'x', outcome_type: 'disaster', causal_entry_keys: [at('policy')] };
    await expect(app.call('outcomes.commit', input as never, DOER)).rejects.toMatchObject({ code: 'invalid_input' });
    expect(await standing('policy')).toMatchObject({ confidence: 0.7, outcome_count: 0 });
    expect((await app.call('outcomes.list', {})).outcomes).toEqual([]);
  });

  it('counts once, however often it is retried in its session', async () => {
    await app.call('entries.read', at('policy'), DOER);
    const first = await app.call('outcomes.commit', { outcome_ref: 'deploy-1', outcome_type: 'success' }, DOER);
    const again = await app.call('outcomes.commit', { outcome_ref: 'deploy-1', outcome_type: 'success' }, DOER);
    expect(again).toEqual({ ...first, duplicate: true });
    expect(await standing('policy')).toMatchObject({ outcome_count: 1 });
    expect((await app.call('outcomes.list', {})).outcomes).toHaveLength(1);
    expect((await app.call('traces.list', {})).traces).toHaveLength(1);
  });

  it('counts once when two retries arrive together', async () => {
    const input = { outcome_ref: 'deploy-1', outcome_type: 'success' as const, causal_entry_keys: [at('policy')] };
    const answers = await Promise.all(Array.from({ length: 8 }, () => app.call('outcomes.commit', input, DOER)));
    expect(answers.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
    expect(await standing('policy')).toMatchObject({ outcome_count: 1 });
  });

  it('moves an entry as one after the other would, when many arrive together, and fails alone', async () => {
    const outcome = (key: string, i: number) =>
      app.call(
        'outcomes.commit',
        { outcome_ref: `o${i}`, outcome_type: i === 2 ? 'failure' : 'success', causal_entry_keys: [at(key)] },
        { ...DOER, session_id: `${key}-${i}` },
      );
    for (const i of [0, 1, 2, 3]) await outcome('policy', i);
    const refused = app.call(
      'outcomes.commit',
      { outcome_ref: 'bad', outcome_type: 'success', used: [at('owner')] },
      { ...DOER, session_id: 'refused' },
    );
    const [, failed] = await Promise.all([
      Promise.all([0, 1, 2, 3].map((i) => outcome('limit', i))),
      refused.catch((error: unknown) => error),
    ]);
    expect(failed).toMatchObject({ code: 'invalid_input' });
    const { confidence, evidence_success, evidence_failure } = await standing('policy');
    expect(await standing('limit')).toMatchObject({ confidence, evidence_success, evidence_failure, outcome_count: 4 });
    expect(await standing('owner')).toMatchObject({ outcome_count: 0 });
  });

  it('counts again in another session', async () => {
    const input = { outcome_ref: 'deploy-1', outcome_type: 'success' as const, causal_entry_keys: [at('policy')] };
    await app.call('outcomes.commit', input, DOER);
    await app.call('outcomes.commit', input, { ...DOER, session_id: 'task-2' });
    expect(await standing('policy')).toMatchObject({ outcome_count: 2 });
  });

  it('does not credit an entry whose value has changed, and reports it', async () => {
    await app.call('entries.read', at('policy'), DOER);
    await app.call('entries.read', at('limit'), DOER);
    await app.call('entries.write', { ...at('policy'), value: 'another claim' }, AUTHOR);
    const answer = await app.call('outcomes.commit', { outcome_ref: 'deploy-1', outcome_type: 'success' }, DOER);
    expect(answer.entries).toMatchObject([
      { ...at('policy'), applied: false, reason: 'value_changed' },
      { ...at('limit'), applied: true },
    ]);
    expect(answer.stale_reads).toEqual([
      {
        ...at('policy'),
        branch: 'main',
        read_version: 1,
        current_version: 2,
        changed_by: 'agent/author',
        value_changed: true,
      },
    ]);
    expect(await standing('policy')).toMatchObject({ outcome_count: 0, confidence: 0.7 });
  });

  it('credits a claim that was only restated since', async () => {
    await app.call('entries.read', at('policy'), DOER);
    await app.call('entries.write', { ...at('policy'), value: { about: 'policy' }, confidence: 0.9 }, AUTHOR);
    const answer = await app.call('outcomes.commit', { outcome_ref: 'deploy-1', outcome_type: 'success' }, DOER);
    expect(answer.entries).toMatchObject([{ applied: true, read_version: 1, version: 2 }]);
    expect(answer.stale_reads).toMatchObject([{ read_version: 1, current_version: 2, value_changed: false }]);
  });

  it('that wants everything unchanged is refused when it is not, and changes nothing', async () => {
    await app.call('entries.read', at('policy'), DOER);
    await app.call('entries.write', { ...at('policy'), value: 'another claim' }, AUTHOR);
    const input = { outcome_ref: 'deploy-1', outcome_type: 'success' as const, if_unchanged: true };
    await expect(app.call('outcomes.commit', input, DOER)).rejects.toMatchObject({
      code: 'stale_reads',
      detail: { stale_reads: [expect.objectContaining(at('policy'))] },
    });
    expect((await app.call('outcomes.list', {})).outcomes).toEqual([]);
    expect(await app.call('sessions.explain', {}, DOER)).toMatchObject({ status: 'open', causal_chain_length: 1 });
  });

  it('charges a failed attempt to what it read, and the end to what was read after', async () => {
    await app.call('entries.read', at('policy'), DOER);
    await app.call('sessions.record_attempt', { summary: 'timed out' }, DOER);
    await app.call('entries.read', at('limit'), DOER);
    const answer = await app.call('outcomes.commit', { outcome_ref: 'deploy-1', outcome_type: 'success' }, DOER);
    expect(answer.entries).toMatchObject([
      { ...at('policy'), attempt: 1, outcome_type: 'minor_failure', applied: true },
      { ...at('limit'), attempt: null, outcome_type: 'success', applied: true },
    ]);
    expect(await standing('policy')).toMatchObject({ failure_count: 1, success_count: 0 });
    expect(await standing('limit')).toMatchObject({ failure_count: 0, success_count: 1 });
  });

  it('that succeeds after failures leaves a lesson', async () => {
    const attempts = [{ causal_entry_keys: [at('policy')], summary: 'the limit was too low' }];
    const answer = await app.call(
      'outcomes.commit',
      { outcome_ref: 'deploy-1', outcome_type: 'success', attempts, causal_entry_keys: [at('limit')] },
      DOER,
    );
    expect(answer.lesson).toEqual({ ...at('lesson-contrast-deploy-1'), version: 1 });
    expect(await app.call('entries.read', at('lesson-contrast-deploy-1'), DOER)).toMatchObject({
      confidence: 0.8,
      memory_type: 'experience',
      provenance: { agent_id: 'agent/doer', session_id: 'task-1' },
      value: {
        avoid: [at('policy')],
        resolved_with: [at('limit')],
        attempt_summaries: ['the limit was too low'],
        outcome_ref: 'deploy-1',
      },
    });
  });

  it('that is a replay is kept but is no evidence', async () => {
    const answer = await app.call(
      'outcomes.commit',
      {
        outcome_ref: 'replay:1',
        outcome_type: 'failure',
        causal_entry_keys: [at('policy')],
        attributes: { replay_delivery_id: 'd-1' },
      },
      DOER,
    );
    expect(answer).toMatchObject({ is_evidence: false, affected_entries: 0 });
    expect(answer.entries).toMatchObject([{ applied: false, reason: 'replayed' }]);
    expect(await standing('policy')).toMatchObject({ confidence: 0.7, outcome_count: 0 });
    expect(await app.call('traces.read', { trace_id: answer.trace_id as string }, DOER)).toMatchObject({
      outcome_type: 'failure',
    });
  });

  it('does not touch entries that only another agent may see', async () => {
    await app.call('entries.write', { ...at('secret'), value: 1, confidence: 0.7, shared: false }, AUTHOR);
    const input = { outcome_ref: 'x', outcome_type: 'failure' as const, causal_entry_keys: [at('secret'), at('none')] };
    const answer = await app.call('outcomes.commit', input, DOER);
    expect(answer.entries).toMatchObject([
      { ...at('secret'), applied: false, reason: 'not_found', confidence_before: null, version: null },
      { ...at('none'), applied: false, reason: 'not_found' },
    ]);
    expect(await standing('secret')).toMatchObject({ confidence: 0.7, outcome_count: 0 });
  });

  it('stands in the log with what it did', async () => {
    const input = { outcome_ref: 'deploy-1', outcome_type: 'success' as const, causal_entry_keys: [at('policy')] };
    const answer = await app.call('outcomes.commit', input, DOER);
    const { events } = await app.call('log.list', {});
    expect(events.find(({ seq }) => seq === answer.seq)).toMatchObject({
      event_type: 'outcome',
      agent_id: 'agent/doer',
      details: {
        outcome_ref: 'deploy-1',
        outcome_type: 'success',
        causal_confidence: 1,
        causal_entries: 1,
        entries_updated: 1,
        trace_id: answer.trace_id,
      },
    });
  });

  it('seals no trace when the caller will send its own', async () => {
    const input = { outcome_ref: 'deploy-1', outcome_type: 'success' as const, trace_follows: true };
    expect(await app.call('outcomes.commit', input, DOER)).toMatchObject({ trace_id: null, immutable_trace_id: null });
    expect((await app.call('traces.list', {})).traces).toEqual([]);
  });

  it('names a final action that there is, or is refused', async () => {
    const tool_calls = [{ tool_name: 'deploy' }, { tool_name: 'check' }];
    const input = { outcome_type: 'success' as const, tool_calls };
    const good = await app.call('outcomes.commit', { ...input, outcome_ref: 'a', final_action_index: 1 }, DOER);
    expect(good.final_action_index).toBe(1);
    await expect(
      app.call('outcomes.commit', { ...input, outcome_ref: 'b', final_action_index: 2 }, DOER),
    ).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('uses the multiplicative model where that is set', async () => {
    const other = await openTestApp(backend, { settings: { outcome_model: 'multiplicative' } });
    try {
      await other.call('entries.write', { ...at('policy'), value: 1, confidence: 0.7 }, AUTHOR);
      const input = { outcome_ref: 'x', outcome_type: 'failure' as const, causal_entry_keys: [at('policy')] };
      const answer = await other.call('outcomes.commit', input, DOER);
      expect(answer.entries[0]?.confidence_after).toBeCloseTo(0.63, 10);
    } finally {
      await other.close();
    }
  });

  it('is listed, filtered and paged', async () => {
    const input = (n: number) => ({
      outcome_ref: `deploy-${n}`,
      outcome_type: n % 2 ? ('success' as const) : ('failure' as const),
      causal_entry_keys: [n < 4 ? at('policy') : { entity_path: 'other', key: 'x' }],
    });
    for (let n = 1; n <= 5; n++) await app.call('outcomes.commit', input(n), { ...DOER, session_id: `s-${n}` });
    const refs = async (filter: object) =>
      (await app.call('outcomes.list', filter as never, DOER)).outcomes.map(({ outcome_ref }) => outcome_ref);
    expect(await refs({})).toEqual(['deploy-5', 'deploy-4', 'deploy-3', 'deploy-2', 'deploy-1']);
    expect(await refs({ outcome_type: 'failure' })).toEqual(['deploy-4', 'deploy-2']);
    expect(await refs({ entity_path: 'checkout/**' })).toEqual(['deploy-3', 'deploy-2', 'deploy-1']);
    expect(await refs({ entity_path: 'checkout/**', key: 'policy' })).toEqual(['deploy-3', 'deploy-2', 'deploy-1']);
    expect(await refs({ entity_path: 'checkout/**', key: 'x' })).toEqual([]);
    expect(await refs({ entity_path: 'other', key: 'x' })).toEqual(['deploy-5', 'deploy-4']);
    expect(await refs({ outcome_ref: 'deploy-2' })).toEqual(['deploy-2']);
    expect(await refs({ session_id: 's-3' })).toEqual(['deploy-3']);
    expect(await refs({ agent_id: 'agent/author' })).toEqual([]);
    const first = await app.call('outcomes.list', { limit: 2 });
    await app.call('outcomes.commit', input(6), DOER);
    const second = await app.call('outcomes.list', { limit: 2, cursor: first.next_cursor as string });
    expect(second.outcomes.map(({ outcome_ref }) => outcome_ref)).toEqual(['deploy-3', 'deploy-2']);
  });
});
