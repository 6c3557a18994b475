import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { connect, newHome } from './support.ts';

const all = { args: ['--toolset', 'all'] };

describe('tools on data', () => {
  it('export whole values to a file of the user', async () => {
    const env = newHome();
    const mcp = await connect(env, all);
    const rows = [
      { n: 1, note: 'a, "b"' },
      { n: 2, more: { deep: true } },
    ];
    await mcp.call('mem_write', { entity_path: 'runs/today', key: 'rows', value: { rows } });
    const { json } = await mcp.call('mem_export', { entity_path: 'runs/**', format: 'csv', row_path: 'rows' });
    expect(json).toMatchObject({ entry_count: 1, record_count: 2, inline: rows });
    expect(json.path).toContain(env.HOME);
    const csv = 'n,note,more\r\n1,"a, ""b""",\r\n2,,"{""deep"":true}"\r\n';
    expect(readFileSync(json.path as string, 'utf8')).toBe(csv);
    const lines = await mcp.call('mem_export', { entity_path: 'runs/today', inline_char_budget: 0 });
    expect(lines.json).not.toHaveProperty('inline');
    expect(readFileSync(lines.json.path as string, 'utf8')).toBe(`${JSON.stringify({ rows })}\n`);
  });

  it('commit, compare, count and verify', async () => {
    const mcp = await connect(newHome(), all);
    const writes = [1, 2, 3].map((n) => ({ entity_path: 'm', key: `k${n}`, value: { n } }));
    expect((await mcp.call('mem_commit_batch', { writes, message: 'three' })).json).toMatchObject({
      entries_written: 3,
    });
    expect((await mcp.call('mem_commit_log')).json.commits).toMatchObject([{ message: 'three' }]);
    await mcp.call('mem_write', { entity_path: 'm', key: 'k1', value: { n: 7 } });
    const diff = await mcp.call('mem_diff', { entity_path: 'm', key: 'k1' });
    expect(diff.json.changes).toMatchObject([{ path: '/n', old_value: 1, new_value: 7 }]);
    const sum = await mcp.call('mem_aggregate', { entity_path: 'm', op: 'sum', field: 'n' });
    expect(sum.json).toMatchObject({ sum: 12 });
    expect((await mcp.call('mem_verify')).json).toMatchObject({ total_checked: 4, valid: 4 });
    const history = await mcp.call('mem_history', { entity_path: 'm', key: 'k1' });
    expect(history.json.versions).toMatchObject([{ version: 2 }, { version: 1 }]);
    expect((await mcp.call('mem_graph_neighbors', { entity: 'm' })).isError).toBe(false);
    expect((await mcp.call('mem_timeline', { limit: 1 })).json).toMatchObject({ count: 1 });
  });

  it('show what each source of a proposal says, so that it can be judged', async () => {
    const mcp = await connect(newHome(), all);
    const sources = ['old', 'new'].map((key) => ({ entity_path: 'm', key }));
    for (const at of sources) await mcp.call('mem_write', { ...at, value: `the ${at.key} word` });
    await mcp.call('mem_propose_consolidation', { sources });
    const { json } = await mcp.call('mem_consolidation_proposals');
    const [kept, removed] = (json.proposals as { sources: object[] }[])[0]?.sources ?? [];
    expect(kept).toMatchObject({ ...sources[0], value: 'the old word', kept: true });
    expect(removed).toMatchObject({ ...sources[1], value: 'the new word' });
  });

  it('read what another agent wrote', async () => {
    const env = newHome();
    const one = await connect(env, { name: 'one' });
    const two = await connect(env, { name: 'two' });
    await one.call('mem_write', { entity_path: 'a', key: 'k', value: 'of one' });
    await two.call('mem_write', { entity_path: 'a', key: 'k', value: 'of two' });
    const address = { entity_path: 'a', key: 'k' };
    expect((await one.call('mem_recall', address)).json.value).toBe('of one');
    expect((await two.call('mem_read_from', { ...address, source_agent_id: 'one/ada' })).json.value).toBe('of one');
    expect((await two.call('mem_read_from', { ...address, source_agent_id: 'three' })).json.hint).toContain('agent_id');
  });

  it('use the branch of the process where a call names none', async () => {
    const mcp = await connect({ ...newHome(), MEM_BRANCH: 'no-such-branch' });
    const refused = await mcp.call('mem_write', { entity_path: 'a', key: 'k', value: 1 });
    expect(refused).toMatchObject({ isError: true, json: { code: 'branch_not_found', branch: 'no-such-branch' } });
    expect((await mcp.call('mem_write', { entity_path: 'a', key: 'k', value: 1, branch: 'main' })).isError).toBe(false);
  });

  it('keep numbers that JavaScript would change', async () => {
    const env = newHome();
    const mcp = await connect(env);
    const { runMem } = await import('./support.ts');
    await runMem(['write', 'a', 'big', '12345678901234567890'], env);
    expect((await mcp.call('mem_read', { entity_path: 'a', key: 'big' })).text).toContain('12345678901234567890');
    expect((await mcp.call('mem_list', { entity_path: 'a' })).text).toContain('12345678901234567890');
  });
});

describe('resources and prompts', () => {
  it('show entries whole by their address', async () => {
    const mcp = await connect(newHome());
    await mcp.call('mem_write', { entity_path: 'a b/c', key: 'k/1', value: { n: 1 } });
    const { contents } = await mcp.client.readResource({ uri: 'mem://entries/a%20b/c/k%2F1' });
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({ value: { n: 1 }, key: 'k/1' });
    await expect(mcp.client.readResource({ uri: 'mem://entries/a/none' })).rejects.toThrow();
    const { resources } = await mcp.client.listResources();
    for (const { uri } of resources) {
      const [content] = (await mcp.client.readResource({ uri })).contents;
      expect(JSON.parse((content as { text: string }).text)).toBeTypeOf('object');
    }
    const { resourceTemplates } = await mcp.client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'mem://briefing/{+entity_path}',
      'mem://entries/{+entity_path}/{key}',
    ]);
  });

  it('brief about everything, or about a subject, as the tool does', async () => {
    const mcp = await connect(newHome());
    const empty = await mcp.call('mem_briefing', { entity_path: 'shop' });
    expect(empty.json).toMatchObject({
      next_steps: [expect.stringContaining('Nothing is known at shop yet'), expect.any(String), expect.any(String)],
    });
    await mcp.call('mem_write', { entity_path: 'a b/c', key: 'k', value: 'news' });
    for (const uri of ['mem://briefing', 'mem://briefing/a%20b']) {
      const [content] = (await mcp.client.readResource({ uri })).contents;
      expect(JSON.parse((content as { text: string }).text)).toMatchObject({ changed: [{ key: 'k', value: 'news' }] });
    }
    await expect(mcp.client.readResource({ uri: 'mem://briefing//' })).rejects.toThrow();
  });

  it('lead through a task from its start to its end', async () => {
    const mcp = await connect(newHome());
    const { prompts } = await mcp.client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['start-task', 'finish-task', 'hand-over']);
    const { messages } = await mcp.client.getPrompt({ name: 'start-task', arguments: { task: 'raise the limit' } });
    expect(JSON.stringify(messages)).toMatch(/raise the limit.*ask mem_retrieve/);
    await expect(mcp.client.getPrompt({ name: 'start-task', arguments: {} })).rejects.toThrow(/task: is required/);
  });
});
