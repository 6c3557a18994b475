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
  core: 'read recall write list my_entries search retrieve briefing read_from history stats graph_neighbors export aggregate',
  tracing: 'commit_outcome record_context record_action explain timeline list_traces get_trace',
  identity: 'set_identity whoami reset_identity',
  pro: 'set_trace_attributes record_llm_call record_span start_span end_span trace_search trace_spans span_payload trace_compare export_training_data',
  consolidation:
    'consolidate consolidation_status consolidation_proposals consolidation_candidates propose_consolidation decide_proposal',
  shown: 'agents agent_profile readers outcomes stale_reads series tree graph_overview',
  other: 'verify commit_batch diff commit_log record_attempt delete restore connectors',
  branching:
    'branch_create branch_list branch_read branch_close branch_reopen create_tag list_tags delete_tag diff_branches compare merge_base branch_merge branch_refresh cherry_pick list_merges abort_merge list_conflicts ' +
    'read_conflict resolve_conflict pr_open pr_list pr_read pr_review pr_close pr_reopen pr_merge',
  rollback: 'rollback fork trace_influence quarantine list_quarantines read_quarantine undo_quarantine',
  negotiations: 'negotiate_create negotiate_list negotiate_status negotiate_propose negotiate_respond negotiate_cancel',
  evaluation:
    'judge_trace judge_define judges seed_starter_judges verdicts eval_summary backfill behaviors behavior_define ' +
    'behavior_from_trace blast_radius incident segment dimensions attribute_failure propose_fix fixes approve_fix_memory ' +
    'investigate alerts',
  rooms:
    'room_create my_rooms room_join room_leave room_info room_update room_set_discoverable room_members room_remove_account ' +
    'room_updates room_discuss room_discussions room_close',
  invitations:
    'room_invite room_invitations room_withdraw_invite my_invitations room_accept_invite room_decline_invite room_redeem',
  documents: 'room_add_document room_documents room_document_search room_document_read room_delete_document',
  directory:
    'room_discover room_details room_request_access my_access_requests room_access_requests room_approve_access ' +
    'room_decline_access room_grant_access',
  topics: 'room_add_topic room_topics room_remove_topic',
};

describe('the tools', () => {
  it('are those of the specification, each once', () => {
    const wanted = Object.values(ROWS).flatMap((row) => row.split(' ').map((name) => `mem_${name}`));
    expect(allTools.map(({ name }) => name).sort()).toEqual(wanted.sort());
  });

  it.each(bindings.map((one) => [one.binding.name, one] as const))('%s names only what its operation has', (_, one) => {
    const { operation, binding } = one;
    const shape = Object.keys((operation.input as unknown as { shape: object }).shape);
    const { fields, unlisted = [], slim = [], self, about = {} } = binding;
    expect(shape).toEqual(expect.arrayContaining([...fields, ...unlisted, ...(self ? [self] : [])]));
    expect(fields).toEqual(expect.arrayContaining([...slim, ...Object.keys(about)]));
    expect(fields.filter((field) => unlisted.includes(field))).toEqual([]);
  });

  it('take a branch wherever their operation does', () => {
    for (const { operation, binding } of bindings)
      if ('branch' in (operation.input as unknown as { shape: object }).shape)
        expect(binding.fields).toContain('branch');
  });

  it('say what to try where nothing is found, in words that follow "try"', () => {
    for (const { binding } of bindings)
      expect(binding.miss ?? '', binding.name).not.toMatch(/^mem_\w+ (?:\w+s|is|has) (?:them|it|what)\b/);
  });

  it('say of themselves whether they change something', () => {
    for (const { operation, binding } of bindings) {
      const { annotations } = toolsOf([binding.name])[0]?.listed() ?? {};
      const removes = operation.removes !== undefined || binding.destroys === true;
      const expected =
        operation.effect !== 'write' ? { readOnlyHint: true } : removes ? {} : { destructiveHint: false };
      expect(annotations).toEqual(expected);
    }
  });

  it.each(allTools.map((tool) => [tool.name, tool] as const))('%s has a text for every argument', (_, tool) => {
    for (const { inputSchema } of [tool.listed(), ...(tool.listedSlim ? [tool.listedSlim()] : [])])
      for (const [name, { description }] of Object.entries(inputSchema.properties))
        expect(description, name).toMatch(/\w/);
  });

  it('of the default set are all of the rows core, tracing and identity, in at most 14 kB', async () => {
    const mcp = await connect(newHome());
    const { tools } = await mcp.client.listTools();
    const names = tools.map(({ name }) => name);
    const wanted = [ROWS.core, ROWS.tracing, ROWS.identity].flatMap((row) => row.split(' '));
    expect(names).toEqual(expect.arrayContaining(wanted.map((name) => `mem_${name}`)));
    expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThanOrEqual(14_000);
    expect(listingSize(toolsOf(['core']))).toBeLessThanOrEqual(14_000);
  });

  it.each(['core', 'slim', 'all', 'mem_search'])('of %s are the only ones that the instructions name', async (set) => {
    const mcp = await connect({ ...newHome(), MEM_TOOLSET: set });
    const { tools } = await mcp.client.listTools();
    const text = mcp.client.getInstructions() ?? '';
    const named = text.match(/mem_\w+/g) ?? [];
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(named));
    expect(named).toContain('mem_search');
    if (set !== 'mem_search') expect(named.slice(0, 2)).toEqual(['mem_briefing', 'mem_retrieve']);
    if (set === 'core' || set === 'all') expect(named).toContain('mem_record_attempt');
    expect(text).toContain('Never store secrets.');
  });

  it('of the set slim are about ten, in at most 6 kB, and take what they take elsewhere', async () => {
    const mcp = await connect({ ...newHome(), MEM_TOOLSET: 'slim' });
    const { tools } = await mcp.client.listTools();
    expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThanOrEqual(6000);
    expect(tools.map(({ name }) => name)).toEqual([
      'mem_write',
      'mem_read',
      'mem_list',
      'mem_delete',
      'mem_restore',
      'mem_search',
      'mem_retrieve',
      'mem_briefing',
      'mem_record_context',
      'mem_record_attempt',
      'mem_commit_outcome',
    ]);
    const written = await mcp.call('mem_write', { entity_path: 'a', key: 'k', value: 1, ttl_seconds: 60 });
    expect(written.isError).toBe(false);
    const [search] = tools.filter(({ name }) => name === 'mem_search');
    expect(Object.keys(search?.inputSchema.properties ?? {})).not.toContain('sort_by');
    const both = toolsOf(['slim', 'core']).find(({ name }) => name === 'mem_search');
    expect(Object.keys(both?.listed().inputSchema.properties ?? {})).toContain('sort_by');
  });

  it('require exactly what their operations require', () => {
    for (const { operation, binding } of bindings) {
      const { required = [] } = toolsOf([binding.name])[0]?.listed().inputSchema ?? {};
      const result = operation.input.safeParse({});
      const missing = (result.error?.issues ?? []).filter(({ path }) => path.length === 1).map(({ path }) => path[0]);
      // Its operation would propose, which is not what this tool is for.
      const narrowed = binding.name === 'mem_negotiate_respond' ? ['action'] : [];
      const needed = binding.fields.filter(
        (field) => [...missing, ...narrowed].includes(field) && field !== binding.self,
      );
      expect(required, binding.name).toEqual(needed);
    }
    const [resolve] = toolsOf(['mem_resolve_conflict']);
    expect(resolve?.listed().inputSchema.required).toEqual(['merge_id', 'take']);
  });

  it('of the set branching are all that branches, tags, pull requests and quarantines need', async () => {
    const mcp = await connect({ ...newHome(), MEM_TOOLSET: 'branching' });
    const names = (await mcp.client.listTools()).tools.map(({ name }) => name);
    const wanted = [ROWS.branching, ROWS.rollback].flatMap((row) => row.split(' ').map((name) => `mem_${name}`));
    expect(names).toEqual(expect.arrayContaining(wanted));
  });

  it('refuse to decide what is not there, and say how to find it', async () => {
    const mcp = await connect({ ...newHome(), MEM_TOOLSET: 'core,branching' });
    await mcp.call('mem_write', { entity_path: 'a', key: 'k', value: 1 });
    const id = '01k0a4g3v5x7y9z1b3d5f7h9jk';
    for (const [tool, args, hint] of [
      ['mem_pr_review', { id, decision: 'approved' }, 'try mem_pr_list'],
      ['mem_pr_close', { id }, 'try mem_pr_list'],
      ['mem_pr_reopen', { id }, 'try mem_pr_list'],
      ['mem_undo_quarantine', { quarantine_id: id }, 'try mem_list_quarantines'],
      ['mem_delete_tag', { name: 'none' }, 'try mem_list_tags'],
      ['mem_branch_merge', { name: 'none' }, 'mem_branch_list shows which there are'],
    ] as const)
      expect(await mcp.call(tool, args), tool).toMatchObject({ isError: true, json: { hint } });
  });

  it('take null for an argument that is left out', async () => {
    const mcp = await connect({ ...newHome(), MEM_TOOLSET: 'core,branching' });
    const entry = { entity_path: 'a', key: 'k' };
    await mcp.call('mem_write', { ...entry, value: 1 });
    await mcp.call('mem_branch_create', { name: 'b' });
    await mcp.call('mem_write', { ...entry, value: 2, branch: 'b' });
    await mcp.call('mem_write', { ...entry, value: 3 });
    await mcp.call('mem_branch_merge', { name: 'b', strategy: 'THREE_WAY', merge_id: 'm' });
    const resolved = await mcp.call('mem_resolve_conflict', { merge_id: 'm', no: 0, take: 'source', value: null });
    expect(resolved).toMatchObject({ isError: false, json: { resolved: 1 } });
    expect((await mcp.call('mem_write', { ...entry, value: null })).isError).toBe(false);
  });

  it('take the calling agent where it may be left out', () => {
    const [timeline] = toolsOf(['mem_timeline']);
    expect(timeline?.listed().inputSchema).not.toHaveProperty('required');
  });

  it('of the set all are those that can work: what needs an absent module is left out', () => {
    const names = toolsOf(['all']).map(({ name }) => name);
    expect(names).toContain('mem_trace_compare');
    expect(names).not.toContain('mem_judges');
    expect(toolsOf(['all', 'evaluation']).map(({ name }) => name)).toContain('mem_judges');
    expect(toolsOf(['all'], { evaluates: true }).map(({ name }) => name)).toContain('mem_judges');
  });

  it('of a module that is switched off are left out', async () => {
    for (const [MEM_PRO, listed] of [
      ['off', false],
      ['on', true],
    ] as const) {
      const mcp = await connect({ ...newHome(), MEM_PRO, MEM_TOOLSET: 'all' });
      const names = (await mcp.client.listTools()).tools.map(({ name }) => name);
      expect(names).toContain('mem_history');
      expect(names.filter((name) => name.endsWith('_tag') || name.endsWith('_tags')).length > 0).toBe(listed);
    }
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

  it.each([
    ['evaluation', 20],
    ['all', 0],
    ['core', 0],
  ])('of evaluation do nothing and say so where there is no hosted service and %s is chosen', async (set, listed) => {
    const mcp = await connect(newHome(), { args: ['--toolset', set] });
    const evaluation = new Set(toolsOf(['evaluation']).map(({ name }) => name));
    const { tools } = await mcp.client.listTools();
    expect(tools.filter(({ name }) => evaluation.has(name))).toHaveLength(listed);
    for (const name of evaluation) {
      const answer = await mcp.call(name, {});
      expect(answer).toMatchObject({
        isError: true,
        json: { error: `${name} needs the hosted API: set MEM_HTTP_URL`, mode: 'local' },
      });
    }
  });
});
