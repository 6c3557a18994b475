import type { JsonObject } from '@mem-service/contract';
import { describe, expect, it } from 'vitest';
import { serve } from '../cli/support.ts';
import { type ConnectedClient, connect, newHome, runMem } from './support.ts';

async function work(mcp: ConnectedClient, ref: string, outcome_type = 'success'): Promise<JsonObject> {
  await mcp.call('mem_write', { entity_path: 'svc', key: 'limit', value: { max: 3 } });
  await mcp.call('mem_read', { entity_path: 'svc', key: 'limit' });
  await mcp.call('mem_record_context', { label: 'ticket', summary: 'times out', source: 'support/1' });
  await mcp.call('mem_record_action', { tool_name: 'deploy', arguments: { to: 'prod' }, result_summary: 'done' });
  await mcp.call('mem_set_trace_attributes', { attributes: { team: 'payments', run: ref } });
  const called = await mcp.call('mem_record_llm_call', { model: 'some-model', input_tokens: 10, output_tokens: 5 });
  expect(called.isError).toBe(false);
  const outer = (await mcp.call('mem_start_span', { name: 'plan', kind: 'agent', input: { q: 1 } })).json.span_id;
  await mcp.call('mem_record_span', {
    name: 'look up',
    kind: 'tool',
    parent_span_id: outer,
    status: 'ok',
    output: [1],
  });
  await mcp.call('mem_end_span', { span_id: outer, output: 'planned' });
  const { json } = await mcp.call('mem_commit_outcome', { outcome_ref: ref, outcome_type, task_input: `do ${ref}` });
  return json;
}

describe.each(['local', 'remote'] as const)('a session that is recorded through tools, %s', (mode) => {
  async function open(): Promise<ConnectedClient> {
    const env = newHome();
    if (mode === 'local') return connect(env, { args: ['--toolset', 'all'] });
    const server = await serve(env);
    const mcp = await connect({ ...env, MEM_HTTP_URL: server.url }, { args: ['--toolset', 'all'] });
    const close = mcp.close;
    mcp.close = async () => {
      await close();
      await server.stop();
    };
    return mcp;
  }

  it('is sealed by the outcome and found again, as a whole and in parts', async () => {
    const mcp = await open();
    try {
      const open = await mcp.call('mem_explain');
      expect(open.json).toMatchObject({ status: 'open', causal_chain_length: 0 });
      const first = await work(mcp, 'r1');
      expect(first).toMatchObject({ outcome_ref: 'r1', affected_entries: 1 });
      const second = await work(mcp, 'r2', 'failure');
      const stray = await mcp.call('mem_end_span', { span_id: 'never-started' });
      expect(stray).toMatchObject({ isError: true, json: { code: 'not_found' } });

      const { json: trace } = await mcp.call('mem_get_trace', { trace_id: 'last' });
      expect(trace).toMatchObject({
        trace_id: second.trace_id,
        outcome_type: 'failure',
        task_input: 'do r2',
        attributes: { team: 'payments', run: 'r2' },
        external_contexts: [{ label: 'ticket' }],
        tool_calls: [{ tool_name: 'deploy' }],
        total_llm_calls: 1,
      });
      const sealed = await mcp.call('mem_explain', { trace_id: 'last' });
      expect(sealed.json).toMatchObject({ status: 'sealed', causal_entries: [{ entity_path: 'svc', key: 'limit' }] });

      const { json: tree } = await mcp.call('mem_trace_spans', { trace_id: first.trace_id });
      expect(tree.mode).toBe(mode);
      const outline = (tree.outline as string).split('\n');
      const plan = outline.findIndex((line) => line.includes('plan [agent] ok'));
      expect(outline[plan + 1]).toMatch(/^ +look up \[tool\] ok/);
      const [span] = (tree.spans as JsonObject[]).filter(({ name }) => name === 'plan');
      expect(span).not.toHaveProperty('input');
      const payload = await mcp.call('mem_span_payload', { trace_id: first.trace_id, span_id: span?.span_id });
      expect(payload.json).toMatchObject({ span: { input: { q: 1 }, output: 'planned' }, mode });
      const none = await mcp.call('mem_span_payload', { trace_id: 'last', span_id: 'nothing' });
      expect(none).toMatchObject({ isError: true, json: { code: 'not_found' } });

      const { json: compared } = await mcp.call('mem_trace_compare', {
        trace_ids: [first.trace_id, 'last'],
      });
      expect(compared).toMatchObject({
        mode,
        traces: [{ trace_id: first.trace_id }, { trace_id: second.trace_id }],
        memory: [{ entity_path: 'svc', key: 'limit' }],
        actions: [{ tool_name: 'deploy', calls: [1, 1] }],
      });
      expect(compared.differences).toContainEqual({ field: 'outcome_type', values: ['success', 'failure'] });
      if (mode === 'local') return;
      const { json: attributed } = await mcp.call('mem_attribute_failure', { trace_ids: ['last'] });
      expect(attributed).toMatchObject({ failed: 1, passed: 1 });
    } finally {
      await mcp.close();
    }
  });

  it('is searched by attributes, spans, result and words', async () => {
    const mcp = await open();
    try {
      const first = await work(mcp, 'r1');
      const second = await work(mcp, 'r2', 'failure');
      const search = async (filter: JsonObject) => {
        const { json } = await mcp.call('mem_trace_search', filter);
        expect(json.mode).toBe(mode);
        return (json.traces as JsonObject[]).map(({ trace_id }) => trace_id);
      };
      expect(await search({})).toEqual([second.trace_id, first.trace_id]);
      expect(await search({ attributes: { run: 'r1' } })).toEqual([first.trace_id]);
      expect(await search({ attributes: { run: 'r3' } })).toEqual([]);
      expect(await search({ outcome_type: 'failure' })).toEqual([second.trace_id]);
      expect(await search({ span_name: 'look', span_kind: 'tool', limit: 1 })).toEqual([second.trace_id]);
      expect(await search({ span_name: 'nowhere' })).toEqual([]);
      expect(await search({ has_error: true })).toEqual([]);
      expect(await search({ min_duration_ms: 0, max_duration_ms: 600_000 })).toHaveLength(2);
      // What they cost is not known.
      expect(await search({ max_cost_usd: 1 })).toEqual([]);
      const listed = await mcp.call('mem_list_traces', { outcome_ref: 'r1' });
      expect(listed.json.traces).toMatchObject([{ trace_id: first.trace_id, tool_calls: 1, causal_entries: 1 }]);
      const [page] = [await mcp.call('mem_trace_search', { limit: 1 })];
      const next = await mcp.call('mem_trace_search', { limit: 1, cursor: page?.json.next_cursor });
      expect(next.json.traces).toMatchObject([{ trace_id: first.trace_id }]);
    } finally {
      await mcp.close();
    }
  });
});

it('a failed attempt answers for what was read before it', async () => {
  const mcp = await connect(newHome());
  await mcp.call('mem_write', { entity_path: 'svc', key: 'wrong', value: 1 });
  await mcp.call('mem_write', { entity_path: 'svc', key: 'right', value: 2 });
  await mcp.call('mem_read', { entity_path: 'svc', key: 'wrong' });
  expect((await mcp.call('mem_record_attempt', { summary: 'no' })).json).toMatchObject({ attempt: 1, entries: 1 });
  await mcp.call('mem_read', { entity_path: 'svc', key: 'right' });
  const { json } = await mcp.call('mem_commit_outcome', { outcome_ref: 'r', outcome_type: 'success' });
  expect(json.entries).toMatchObject([
    { key: 'wrong', attempt: 1, outcome_type: 'minor_failure' },
    { key: 'right', outcome_type: 'success' },
  ]);
});

it('what an agent says of itself and the name of its client are stamped on its traces', async () => {
  const env = newHome();
  const mcp = await connect(env, { name: 'Some Client', args: ['--toolset', 'all'] });
  await mcp.call('mem_set_identity', { name: 'bot', model: 'some-model', tools_available: ['grep'] });
  const again = await mcp.call('mem_set_identity', { name: 'bot', description: 'reviews' });
  expect(again.json).toMatchObject({ status: 'already_active', profile_saved: true });
  expect((await mcp.call('mem_whoami')).json).toMatchObject({ model: 'some-model', tools_available: ['grep'] });
  await mcp.close();
  const later = await connect(env, { name: 'Some Client', args: ['--toolset', 'all'] });
  await later.call('mem_commit_outcome', { outcome_ref: 'r', outcome_type: 'success' });
  const { json } = await later.call('mem_get_trace', { trace_id: 'last' });
  expect(json).toMatchObject({
    agent_id: 'bot',
    attributes: { source: 'mcp', client: 'Some Client', model: 'some-model' },
    session_metadata: { client_name: 'Some Client', model: 'some-model', tools_available: ['grep'] },
  });
  const { out } = await runMem(['profile', 'bot', '--json'], env);
  expect(JSON.parse(out)).toMatchObject({
    description: 'reviews',
    session_metadata: { model: 'some-model', tools_available: ['grep'] },
  });
});

it('a recorded span is over, a span ends once, and a call of a model has a span too', async () => {
  const mcp = await connect(newHome(), { args: ['--toolset', 'all'] });
  await mcp.call('mem_record_span', { name: 'looked up' });
  const { span_id } = (await mcp.call('mem_start_span', { name: 'plan' })).json;
  expect((await mcp.call('mem_end_span', { span_id, output: 'first' })).isError).toBe(false);
  const twice = await mcp.call('mem_end_span', { span_id, output: 'second' });
  expect(twice).toMatchObject({ isError: true, json: { code: 'conflict' } });
  await mcp.call('mem_record_llm_call', { model: 'some-model', input_tokens: 10, latency_ms: 250, call_id: 'c1' });
  await mcp.call('mem_commit_outcome', { outcome_ref: 'r', outcome_type: 'success' });
  const { spans } = (await mcp.call('mem_trace_spans', { trace_id: 'last' })).json;
  const named = Object.fromEntries((spans as JsonObject[]).map((span) => [span.name, span]));
  expect(named['looked up']).toMatchObject({ status: 'ok', ended_at: expect.any(String) });
  expect(named['some-model']).toMatchObject({ span_id: 'c1', kind: 'llm', status: 'ok', duration_ms: 250 });
  const { json } = await mcp.call('mem_span_payload', { trace_id: 'last', span_id });
  expect(json.span).toMatchObject({ output: 'first' });
  const found = await mcp.call('mem_trace_search', { span_kind: 'llm' });
  expect(found.json.traces).toHaveLength(1);
});

it('examples for training arrive as they are, and as many as fit', async () => {
  const mcp = await connect(newHome(), { args: ['--toolset', 'all'] });
  const outcome = { outcome_type: 'success', task_input: 'decide' };
  const value =
    '{"a":null,"b":{},"c":[],"n":0.123456789,"branch":"main","outcome_count":0,"seq":5,"hash":"h","confidence":0.98765,"complete":true}';
  await mcp.call('mem_write', { entity_path: 'svc', key: 'known', value: JSON.parse(value), confidence: 0.98765 });
  await mcp.call('mem_commit_outcome', { ...outcome, outcome_ref: 'before' });
  await mcp.call('mem_read', { entity_path: 'svc', key: 'known' });
  await mcp.call('mem_write', { entity_path: 'svc', key: 'decided', value: JSON.parse(value) });
  await mcp.call('mem_commit_outcome', { ...outcome, outcome_ref: 'r' });
  const exported = async (format: string) => {
    const { json } = await mcp.call('mem_export_training_data', { format });
    return json.examples as JsonObject[];
  };
  const [decided] = await exported('sft');
  expect(decided).toMatchObject({ decision_key: 'decided', decision_value: JSON.parse(value) });
  const [rewarded] = await exported('reward_model');
  expect(rewarded).toMatchObject({ entry: { key: 'known', value: JSON.parse(value) }, outcome_count: 0 });
  for (let n = 0; n < 6; n++) {
    await mcp.call('mem_write', { entity_path: 'svc', key: `long-${n}`, value: `${n}${'é'.repeat(15_000)}` });
    await mcp.call('mem_commit_outcome', { ...outcome, outcome_ref: `long ${n}` });
  }
  const cut = await mcp.call('mem_export_training_data');
  expect(cut.json).toMatchObject({ num_examples: 3, hint: expect.stringContaining('mem export-training') });
  expect(Buffer.byteLength(cut.text)).toBeLessThan(110_000);
});
