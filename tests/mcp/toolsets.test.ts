import { type Operation, operationNames, operations } from '@mem-service/contract';
import { describe, expect, it } from 'vitest';
import { allTools, listingSize, toolsOf } from '../../packages/mcp/src/index.ts';
import { connect, newHome, runMem } from './support.ts';

const bindings = operationNames.flatMap((name) => {
  const operation: Operation = operations[name];
  return (operation.tools ?? []).map((binding) => ({ operation, binding }));
});

/** The rows of the specification whose operations exist. */
const ROWS = {
  core: 'read recall write list my_entries search read_from history stats graph_neighbors export aggregate',
  tracing: 'commit_outcome record_context record_action explain timeline list_traces get_trace',
  identity: 'set_identity whoami reset_identity',
  pro: 'set_trace_attributes record_llm_call record_span start_span end_span trace_search trace_spans span_payload trace_compare',
  other: 'verify commit_batch diff commit_log record_attempt',
  evaluation:
    'judge_trace judge_define judges seed_starter_judges verdicts eval_summary backfill behaviors behavior_define ' +
    'behavior_from_trace blast_radius incident segment dimensions attribute_failure propose_fix fixes approve_fix_memory ' +
    'investigate alerts',
};

describe('the tools', () => {
  it('are those of the specification, each once', () => {
    const wanted = Object.values(ROWS).flatMap((row) => row.split(' ').map((name) => `mem_${name}`));
    expect(allTools.map(({ name }) => name).sort()).toEqual(wanted.sort());
  });

  it.each(bindings.map((one) => [one.binding.name, one] as const))('%s names only what its operation has', (_, one) => {
    const { operation, binding } = one;
    const shape = Object.keys((operation.input as unknown as { shape: object }).shape);
    expect(shape).toEqual(expect.arrayContaining([...binding.fields, ...(binding.self ? [binding.self] : [])]));
    expect(binding.fields).toEqual(expect.arrayContaining(Object.keys(binding.about ?? {})));
    const { outputSchema } = toolsOf([binding.name])[0]?.listed() ?? {};
    expect(Object.keys(outputSchema?.properties ?? {})).toEqual(expect.arrayContaining([...(binding.gives ?? [])]));
  });

  it('take a branch wherever their operation does', () => {
    for (const { operation, binding } of bindings)
      if ('branch' in (operation.input as unknown as { shape: object }).shape)
        expect(binding.fields).toContain('branch');
  });

  it('say of themselves whether they change something', () => {
    for (const { operation, binding } of bindings) {
      const { annotations } = toolsOf([binding.name])[0]?.listed() ?? {};
      expect(annotations?.readOnlyHint).toBe(operation.effect !== 'write');
      expect(annotations?.destructiveHint).toBe(false);
    }
  });

  it('of the default set are listed in less than 12 kB', async () => {
    expect(listingSize(toolsOf(['core']))).toBeLessThan(12_000);
    const mcp = await connect(newHome());
    const { tools } = await mcp.client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(
      toolsOf(['core'])
        .map(({ name }) => name)
        .sort(),
    );
    expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThan(12_000);
  });

  it('are chosen by sets and names', async () => {
    const env = { ...newHome(), MEM_TOOLSET: 'tracing, mem_read' };
    const mcp = await connect(env);
    const names = (await mcp.client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('mem_read');
    expect(names).toContain('mem_trace_spans');
    expect(names).not.toContain('mem_write');
    const wrong = await runMem(['mcp'], { ...env, MEM_TOOLSET: 'everything' });
    expect(wrong).toMatchObject({ code: 2, out: '' });
    expect(wrong.err).toContain('MEM_TOOLSET: there is no "everything"');
  });

  it('are printed with the size of their listing', async () => {
    const { code, out } = await runMem(['mcp', '--list'], newHome());
    expect(code).toBe(0);
    expect(out).toMatch(/^mem_search +Search memory/m);
    expect(out).toContain(`${toolsOf(['core']).length} tools, ${listingSize(toolsOf(['core']))} bytes`);
  });

  it('of evaluation do nothing and say so where there is no hosted service', async () => {
    const mcp = await connect(newHome(), { args: ['--toolset', 'evaluation'] });
    const { tools } = await mcp.client.listTools();
    expect(tools).toHaveLength(20);
    const answer = await mcp.call('mem_judges', { agent_id: 'bot' });
    expect(answer).toMatchObject({ isError: true, json: { mode: 'local' } });
    expect(answer.json.error).toContain('hosted API');
  });
});
