import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';

describe.each(backends)('spans and comparisons of traces on %s', (backend) => {
  let app: TestApp;

  beforeEach(async () => {
    app = await openTestApp(backend);
  });

  afterEach(() => app.close());

  const as = (session: string, agent = 'agent/one') => ({ agent_id: agent, session_id: session });
  const limit = { entity_path: 'svc', key: 'limit' };

  async function work(session: string, { fails = false, tools = ['plan', 'deploy'] } = {}): Promise<string> {
    const by = as(session);
    await app.call('entries.read', limit, by);
    app.clock.advance(10);
    const outer = { ...by, span_id: `${session}-plan`, name: 'plan', kind: 'agent' as const };
    await app.call('sessions.record_span', { ...outer, status: 'running', input: { question: 'how?' } });
    await app.call('sessions.record_span', {
      ...{ ...by, span_id: `${session}-look`, parent_span_id: outer.span_id, name: 'look up', kind: 'tool' },
      ...{ status: 'ok', output: [1, 2] },
    });
    await app.call('sessions.record_span', { ...outer, status: 'ok', output: 'planned' });
    await app.call('sessions.record_llm_call', { ...by, call_id: `${session}-call`, model: 'some-model' });
    for (const tool_name of tools) {
      app.clock.advance(10);
      const success = !(fails && tool_name === 'deploy');
      await app.call('sessions.record_action', { ...by, tool_name, arguments: { to: 'prod' }, success });
    }
    const outcome_type = fails ? 'failure' : 'success';
    const { trace_id } = await app.call('outcomes.commit', { ...by, outcome_ref: session, outcome_type });
    return trace_id as string;
  }

  it('spans are listed from the top down without payloads, and one is read with them', async () => {
    await app.call('entries.write', { ...limit, value: 1 });
    const trace_id = await work('s1');
    const found = await app.call('traces.list_spans', { trace_id });
    expect(found).toMatchObject({ span_count: 3, complete: true });
    expect(found.spans.map(({ span_id, depth }) => [span_id, depth])).toEqual([
      ['s1-plan', 0],
      ['s1-look', 1],
      ['s1-call', 0],
    ]);
    for (const span of found.spans) {
      expect(span).not.toHaveProperty('input');
      expect(span).not.toHaveProperty('output');
    }
    expect(found.outline.split('\n')[1]).toMatch(/^ {2}look up \[tool\] ok.*\(s1-look\)$/);
    expect(await app.call('traces.list_spans', { trace_id, limit: 1 })).toMatchObject({
      span_count: 3,
      complete: false,
    });

    const { span } = await app.call('traces.read_span', { trace_id, span_id: 's1-plan' });
    expect(span).toMatchObject({ input: { question: 'how?' }, output: 'planned', status: 'ok' });
    const below = await app.call('traces.read_span', { trace_id, span_id: 's1-look' });
    expect(below.span).toMatchObject({ parent_span_id: 's1-plan', output: [1, 2] });
    const call = await app.call('traces.read_span', { trace_id, span_id: 's1-call' });
    expect(call.span).toMatchObject({ kind: 'llm', model: 'some-model' });
    for (const wanted of [
      { trace_id, span_id: 'nothing' },
      { trace_id: 'nothing', span_id: 's1-plan' },
    ])
      await expect(app.call('traces.read_span', wanted)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('what an agent may not read is no part of a comparison', async () => {
    await app.call('entries.write', { ...limit, value: 1 });
    const secret = { entity_path: 'own', key: 'note' };
    await app.call('entries.write', { ...secret, value: 1, shared: false, ...as('s1') });
    await app.call('entries.read', secret, as('s1'));
    const trace_ids = [await work('s1'), await work('s2')];
    const named = (found: { memory: { key: string }[] }) => found.memory.map(({ key }) => key).sort();
    expect(named(await app.call('traces.compare', { trace_ids }, as('x')))).toEqual(['limit', 'note']);
    const others = await app.call('traces.compare', { trace_ids }, as('x', 'agent/other'));
    expect(named(others)).toEqual(['limit']);
    expect(JSON.stringify(others)).not.toContain('own/note');
  });

  it('traces that did the same have no divergence', async () => {
    await app.call('entries.write', { ...limit, value: 1 });
    const ids = [await work('s1'), await work('s2'), await work('s3')];
    const same = await app.call('traces.compare', { trace_ids: ids });
    expect(same).toMatchObject({ first_divergence: null, complete: true });
    expect(same.same_count).toBe(same.step_count);
    expect(same.memory).toEqual([{ ...limit, branch: 'main', versions: [1, 1, 1], differs: false }]);
    expect(same.actions).toContainEqual({ tool_name: 'deploy', calls: [1, 1, 1], failed: [0, 0, 0] });
    const { steps } = await app.call('traces.compare', { trace_ids: ids, only_differences: true });
    expect(steps).toEqual([]);
  });

  it('the first step in which traces part is named, with the versions each read', async () => {
    await app.call('entries.write', { ...limit, value: 1 });
    const good = await work('s1');
    await app.call('entries.write', { ...limit, value: 2 });
    const bad = await work('s2', { fails: true, tools: ['plan', 'check', 'deploy'] });
    const compared = await app.call('traces.compare', { trace_ids: [good, bad] });
    expect(compared.first_divergence).toMatchObject({
      ...{ no: 0, kind: 'read', name: 'svc/limit', differs: ['version'] },
      because: 'read svc/limit: version 1, 2',
    });
    expect(compared.memory).toEqual([{ ...limit, branch: 'main', versions: [1, 2], differs: true }]);
    expect(compared.differences).toContainEqual({ field: 'outcome_type', values: ['success', 'failure'] });
    const check = compared.steps.find(({ name }) => name === 'check');
    expect(check).toMatchObject({ differs: ['missing'], of: [null, { failed: false }] });
    const deploy = compared.steps.find(({ name }) => name === 'deploy');
    expect(deploy).toMatchObject({ differs: ['failure'], of: [{ failed: false }, { failed: true }] });
    expect(compared.actions).toContainEqual({ tool_name: 'deploy', calls: [1, 1], failed: [0, 1] });
    expect(compared.steps.at(-1)).toMatchObject({
      ...{ kind: 'outcome', differs: ['outcome'], of: [{ failed: false }, { failed: true }] },
    });
    expect(compared.traces.map(({ errors }) => errors)).toEqual([0, 1]);
    await expect(app.call('traces.compare', { trace_ids: [good, 'none'] })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('spans and model calls in error are counted as errors, where search finds one', async () => {
    await app.call('entries.write', { ...limit, value: 1 });
    const calm = await work('s1');
    const by = as('s2');
    await app.call('sessions.record_span', { ...by, name: 'look up', kind: 'tool', status: 'error', error: 'gone' });
    await app.call('sessions.record_llm_call', { ...by, model: 'some-model', error: 'overloaded' });
    await app.call('sessions.record_error', { ...by, error_type: 'Timeout', message: 'late' });
    const troubled = await work('s2');
    const { traces } = await app.call('traces.compare', { trace_ids: [calm, troubled] });
    expect(traces.map(({ errors }) => errors)).toEqual([0, 3]);
    const found = await app.call('traces.search', { has_error: true });
    expect(found.traces.map(({ trace_id }) => trace_id)).toEqual([troubled]);
  });
});
