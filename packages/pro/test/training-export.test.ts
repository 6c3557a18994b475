import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backends, caller, openTestApp, type TestApp } from '../../../tests/support/app.ts';

type SessionToSeal = {
  session: string;
  agent?: string;
  task?: string;
  tools?: readonly string[];
  outcome_type?: string;
  writes?: { key: string; value: unknown; confidence?: number; shared?: boolean };
  response?: string;
};

describe.each(backends)('export for training on %s', (backend) => {
  let app: TestApp;
  const limit = { entity_path: 'svc', key: 'limit' };

  beforeEach(async () => {
    app = await openTestApp(backend);
    await app.call('entries.write', { ...limit, value: { max: 3, token: 'AKIAIOSFODNN7EXAMPLE' }, confidence: 0.9 });
    await app.call('entries.write', { entity_path: 'svc', key: 'guess', value: 1, confidence: 0.3 });
  });

  afterEach(() => app.close());

  async function seal(given: SessionToSeal): Promise<string> {
    const by = { agent_id: given.agent ?? 'agent/one', session_id: given.session };
    for (const key of ['limit', 'guess']) await app.call('entries.read', { entity_path: 'svc', key }, by);
    if (given.writes)
      await app.call('entries.write', { entity_path: 'plans', confidence: 1, ...given.writes, ...by } as never);
    for (const tool_name of given.tools ?? [])
      await app.call('sessions.record_action', { ...by, tool_name, arguments: { of: given.session } });
    const { trace_id } = await app.call('outcomes.commit', {
      ...{ ...by, outcome_ref: given.session, outcome_type: (given.outcome_type ?? 'success') as 'success' },
      task_input: given.task ?? 'deploy it',
      response_text: given.response ?? 'done',
    });
    return trace_id as string;
  }

  async function examples(input: object, as: object = {}): Promise<Record<string, unknown>[]> {
    const lines = [];
    for await (const line of await app.kernel.list('training.export', input, caller(as))) lines.push(JSON.parse(line));
    return lines;
  }

  it('sft: what was known with enough confidence and what was decided, without secrets, of sessions that succeeded', async () => {
    const spoken = await seal({ session: 'spoken' });
    const written = await seal({ session: 'written', writes: { key: 'rollout', value: { steps: 2 } } });
    await seal({ session: 'failed', outcome_type: 'failure' });
    const found = await examples({ format: 'sft', min_confidence: 0.8 });
    expect(found).toMatchObject([
      { trace_id: written, decision_entity_path: 'plans', decision_key: 'rollout', decision_value: { steps: 2 } },
      { trace_id: spoken, decision_key: null, decision_value: 'done', task_input: 'deploy it' },
    ]);
    for (const { context_entries } of found)
      expect(context_entries).toMatchObject([{ ...limit, version: 1, value: { max: 3 } }]);
    expect(JSON.stringify(found)).not.toContain('AKIAIOSFODNN7EXAMPLE');
    expect(await examples({ format: 'sft', limit: 1 })).toHaveLength(1);
    expect(await examples({ format: 'sft', agent_id: 'agent/none' })).toEqual([]);
    expect(await examples({ format: 'sft', entity_path: 'elsewhere/**' })).toEqual([]);
    const [sealed] = (await app.call('traces.list', {})).traces;
    const at = new Date(Date.parse(sealed?.created_at as string) + 1).toISOString();
    expect(await examples({ format: 'sft', since: at })).toEqual([]);
    expect(await examples({ format: 'sft', until: at })).toHaveLength(2);
  });

  it('sft: what a session wrote itself is a decision, and not what it knew', async () => {
    const by = { agent_id: 'agent/one', session_id: 'reads itself' };
    const plan = { entity_path: 'plans', key: 'rollout' };
    await app.call('entries.read', { ...limit }, by);
    await app.call('entries.write', { ...plan, ...by, value: 'the answer' });
    await app.call('entries.read', plan, by);
    await app.call('outcomes.commit', { ...by, outcome_ref: 'itself', outcome_type: 'success', task_input: 'plan it' });
    const own = await examples({ format: 'sft' });
    expect(own).toMatchObject([{ decision_key: 'rollout', decision_value: 'the answer', context_entries: [limit] }]);
    expect(own[0]?.context_entries).toHaveLength(1);
    const next = { agent_id: 'agent/one', session_id: 'reads it later' };
    await app.call('entries.read', plan, next);
    await app.call('outcomes.commit', {
      ...next,
      outcome_ref: 'later',
      outcome_type: 'success',
      response_text: 'done',
    });
    expect((await examples({ format: 'sft' }))[0]).toMatchObject({
      context_entries: [{ ...plan, value: 'the answer' }],
    });
  });

  it('vertex_sft: the task and the tool calls as a conversation', async () => {
    await seal({ session: 'idle' });
    const trace_id = await seal({ session: 'busy', tools: ['plan', 'deploy'] });
    const found = await examples({ format: 'vertex_sft' });
    expect(found).toMatchObject([{ trace_id, contents: [{ role: 'user' }, { role: 'model' }] }]);
    const [, model] = (found[0]?.contents ?? []) as { parts: { text: string }[] }[];
    const calls = JSON.parse(model?.parts[0]?.text ?? '') as { tool_name: string }[];
    expect(calls.map(({ tool_name }) => tool_name)).toEqual(['plan', 'deploy']);
  });

  it('dpo: pairs that began with the same tool, of the same task where there are such; the rest is dropped', async () => {
    const good = await seal({ session: 'good', task: 'one', tools: ['plan'] });
    const bad = await seal({ session: 'bad', task: 'one', tools: ['plan', 'panic'], outcome_type: 'failure' });
    await seal({ session: 'other', task: 'two', tools: ['plan'] });
    await seal({ session: 'alone', task: 'one', tools: ['look'], outcome_type: 'failure' });
    expect(await examples({ format: 'dpo' })).toMatchObject([
      { trace_id: good, rejected_trace_id: bad, prompt: 'one', rejected: expect.stringContaining('panic') },
    ]);
  });

  it('reward_model: entries that were read, and how it went', async () => {
    const trace_id = await seal({ session: 'bad', outcome_type: 'critical_failure' });
    expect(await examples({ format: 'reward_model', min_confidence: 0 })).toMatchObject([
      { trace_id, entry: { ...limit, version: 1 }, label: -1, outcome_count: 0 },
      { trace_id, entry: { key: 'guess' }, label: -1 },
    ]);
  });

  it('agents that do not want it, lessons, and what others may not see are left out', async () => {
    await seal({ session: 's1', agent: 'agent/shy' });
    await app.call('entries.write', {
      entity_path: 'own',
      key: 'note',
      value: 'mine',
      shared: false,
      agent_id: 'agent/one',
    });
    await app.call('entries.write', { entity_path: 'svc', key: 'lesson-contrast-x', value: 'learned' });
    const by = { agent_id: 'agent/one', session_id: 's2' };
    await app.call('entries.read', { entity_path: 'own', key: 'note' }, by);
    await app.call('entries.read', { entity_path: 'svc', key: 'lesson-contrast-x' }, by);
    const mine = { key: 'draft', value: 'a plan of its own', shared: false };
    await seal({ session: 's2', writes: mine });
    expect(new Set((await examples({})).map(({ agent_id }) => agent_id))).toEqual(new Set(['agent/shy', 'agent/one']));
    await app.call('agents.set_profile', { agent_id: 'agent/shy', tags: ['no-training'] });
    const own = await examples({}, { agent_id: 'agent/one' });
    expect(own.map(({ agent_id }) => agent_id)).toEqual(['agent/one']);
    expect(JSON.stringify(own)).not.toContain('learned');
    expect(JSON.stringify(own)).toContain('mine');
    expect(JSON.stringify(own)).toContain('a plan of its own');
    const others = JSON.stringify(await examples({}, { agent_id: 'agent/other' }));
    expect(others).not.toContain('mine');
    expect(others).not.toContain('a plan of its own');
  });

  it('what agents wrote that do not want it is left out, and who knew nothing else is no example', async () => {
    await app.call('entries.write', { ...limit, value: 'of a shy agent', confidence: 0.9, agent_id: 'agent/shy' });
    const trace_id = await seal({ session: 's1' });
    const texts = async () => JSON.stringify([await examples({}), await examples({ format: 'reward_model' })]);
    expect(await texts()).toContain('of a shy agent');
    await app.call('agents.set_profile', { agent_id: 'agent/shy', tags: ['no-training'] });
    expect(await texts()).not.toContain('of a shy agent');
    expect(await examples({})).toEqual([]);
    const doubted = await examples({ min_confidence: 0.1 });
    expect(doubted).toMatchObject([{ trace_id, context_entries: [{ key: 'guess' }] }]);
    expect(await examples({ min_confidence: 0.99 })).toEqual([]);
  });

  it('sessions that read what is under quarantine are left out, until it is released', async () => {
    await seal({ session: 's1' });
    const both = async () => [await examples({}), await examples({ format: 'reward_model' })];
    expect((await both()).map((found) => found.length)).toEqual([1, 1]);
    const { quarantine_id } = await app.call('quarantine.create', { reason: 'poison', ...limit });
    expect(await both()).toEqual([[], []]);
    await app.call('quarantine.undo', { quarantine_id });
    expect((await both()).map((found) => found.length)).toEqual([1, 1]);
  });
});
