import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it } from 'vitest';
import { root } from '../docs/markdown.ts';
import { until } from '../faults/support/mem-process.ts';
import { programOf } from '../support/program.ts';
import { connect, newHome, open, runMem } from './support.ts';

const HELLO = { protocolVersion: '2025-06-18', capabilities: {} };

describe('mem mcp over standard input and output', () => {
  it('writes, reads and finds in a store of its own', async () => {
    const mcp = await connect(newHome());
    const written = await mcp.call('mem_write', { entity_path: 'a/b', key: 'k', value: { n: 1 }, confidence: 0.8 });
    expect(written).toMatchObject({ isError: false, json: { version: 1 } });
    const read = await mcp.call('mem_read', { entity_path: 'a/b', key: 'k' });
    expect(read.json).toMatchObject({ value: { n: 1 }, confidence: 0.8, provenance: { agent_id: 'test-client/ada' } });
    expect(JSON.parse(read.text)).toEqual(read.json);
    const found = await mcp.call('mem_search', { entity_path: 'a/**' });
    expect(found.json).toMatchObject({ entries: [{ entity_path: 'a/b', key: 'k', value: { n: 1 } }] });
  });

  it('speaks the protocol without a handshake too', async () => {
    const mcp = await connect(newHome(), { name: 'new-one', modern: true });
    await mcp.call('mem_write', { entity_path: 'a', key: 'k', value: 1 });
    const { json } = await mcp.call('mem_read', { entity_path: 'a', key: 'k' });
    expect(json).toMatchObject({ value: 1, provenance: { agent_id: 'new-one/ada' } });
  });

  it('answers what it was asked before its input ended', async () => {
    const lines = [
      { id: 1, method: 'initialize', params: { ...HELLO, clientInfo: { name: 'a-pipe', version: '1' } } },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: { name: 'mem_stats', arguments: {} } },
    ];
    const input = lines.map((line) => `${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`).join('');
    const { code, out } = await runMem(['mcp'], newHome(), input);
    expect(code).toBe(0);
    const answers = out.trim().split('\n');
    expect(answers.map((line) => JSON.parse(line))).toMatchObject([
      { id: 1, result: { serverInfo: { name: 'mem' } } },
      { id: 2, result: { content: [{ text: expect.stringContaining('"total_entries":0') }] } },
    ]);
  });

  it('ends on a signal, also while its client is connected', async () => {
    const mcp = await connect(newHome());
    await mcp.call('mem_stats');
    const ended = new Promise<void>((resolve) => {
      mcp.client.onclose = resolve;
    });
    process.kill(mcp.pid as number, 'SIGTERM');
    await ended;
  });

  it('is the same as mem-mcp', async () => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [await programOf(join(root, 'packages/mcp/src/main.ts'))],
      env: newHome(),
      stderr: 'ignore',
    });
    const mcp = await open('test-client', transport);
    await mcp.call('mem_write', { entity_path: 'a', key: 'k', value: 1 });
    expect((await mcp.call('mem_read', { entity_path: 'a', key: 'k' })).json.value).toBe(1);
  });

  it('keeps what was written for the command line and for the next process', async () => {
    const env = newHome();
    const first = await connect(env);
    await first.call('mem_write', { entity_path: 'a', key: 'k', value: 'kept' });
    await first.close();
    const { out } = await runMem(['read', 'a', 'k', '--json'], env);
    expect(JSON.parse(out)).toMatchObject({ value: 'kept' });
    const second = await connect(env);
    expect((await second.call('mem_read', { entity_path: 'a', key: 'k' })).json.value).toBe('kept');
  });

  it('answers a miss with what to try next, not with an error', async () => {
    const mcp = await connect(newHome());
    const miss = await mcp.call('mem_read', { entity_path: 'a', key: 'nothing' });
    expect(miss.isError).toBe(false);
    expect(miss.json).toMatchObject({ status: 'not_found', entity_path: 'a', key: 'nothing' });
    expect(miss.json.hint).toContain('mem_search');
    const empty = await mcp.call('mem_list', { entity_path: 'a' });
    expect(empty.json).toMatchObject({ entries: [] });
    expect(empty.json.hint).toContain('include_descendants');
  });

  it('does not say that nothing was found where something was', async () => {
    const mcp = await connect({ ...newHome(), MEM_TOOLSET: 'core,data' });
    const address = { entity_path: 'home/z', key: 'release' };
    await mcp.call('mem_write', { ...address, value: 'monday' });
    for (const [tool, args] of [
      ['mem_read', address],
      ['mem_recall', address],
      ['mem_diff', { ...address, old_version: 1, new_version: 1 }],
    ] as const) {
      const { json } = await mcp.call(tool, args);
      expect(json, tool).not.toHaveProperty('status');
      expect(json, tool).not.toHaveProperty('hint');
    }
  });

  it('names the argument that is wrong', async () => {
    const mcp = await connect(newHome());
    const wrong = await mcp.call('mem_write', { entity_path: 'a', key: 'k', value: 1, confidence: 2 });
    expect(wrong).toMatchObject({ isError: true, json: { code: 'invalid_input', errors: [{ path: 'confidence' }] } });
    const missing = await mcp.call('mem_read', { entity_path: 'a' });
    expect(missing).toMatchObject({ isError: true, json: { errors: [{ path: 'key' }] } });
    const unknown = await mcp.call('mem_read', { path: 'a', key: 'k' });
    expect(unknown.json.error).toMatch(/^path: is not an argument of mem_read; it takes entity_path, key/);
    const conflict = await mcp.call('mem_write', { entity_path: 'a', key: 'k', value: 1, if_version: 7 });
    expect(conflict).toMatchObject({ isError: true, json: { code: 'version_conflict' } });
    await expect(mcp.call('mem_nothing')).rejects.toThrow(/no tool "mem_nothing"/);
    await expect(mcp.call('mem_diff')).rejects.toThrow(/toolset data/);
    expect(missing.json.error).toBe('key: is required');
  });

  it('takes quotes off what is no text, and never off a value', async () => {
    const mcp = await connect(newHome());
    const written = await mcp.call('mem_write', {
      entity_path: 'a',
      key: 'k',
      value: '5',
      confidence: '0.5',
      pattern_refs: '["p"]',
    });
    expect(written).toMatchObject({ isError: false, json: { confidence: 0.5 } });
    expect((await mcp.call('mem_list', { limit: '1' })).json.entries).toMatchObject([{ value: '5' }]);
    const { json } = await mcp.call('mem_read', { entity_path: 'a', key: 'k' });
    expect(json.provenance).toMatchObject({ pattern_refs: ['p'] });
  });

  it('says of an entry what is worth saying', async () => {
    const mcp = await connect(newHome());
    const entry = { entity_path: 'a', key: 'k' };
    const written = await mcp.call('mem_write', { ...entry, value: { n: null } });
    expect(Object.keys(written.json)).toEqual(expect.arrayContaining(['entity_path', 'version', 'quality']));
    for (const member of ['value', 'content_hash', 'ttl_at']) expect(written.json).not.toHaveProperty(member);
    const { json } = await mcp.call('mem_read', entry);
    expect(json).toMatchObject({ ...entry, value: { n: null }, confidence: 0.7, evidence_status: 'untested' });
    for (const member of ['content_hash', 'ttl_at', 'failure_count']) expect(json).not.toHaveProperty(member);
  });

  it('takes null for what was left out, except for a value', async () => {
    const mcp = await connect(newHome());
    const written = await mcp.call('mem_write', { entity_path: 'a', key: 'k', value: null, confidence: null });
    expect(written.isError).toBe(false);
    expect((await mcp.call('mem_read', { entity_path: 'a', key: 'k', version: null })).json.value).toBeNull();
  });

  it('cuts long values in lists and never in exact reads', async () => {
    const mcp = await connect(newHome());
    const long = 'é'.repeat(5000);
    await mcp.call('mem_write', { entity_path: 'a', key: 'text', value: long });
    await mcp.call('mem_write', { entity_path: 'a', key: 'object', value: { long } });
    const { json } = await mcp.call('mem_list', { entity_path: 'a' });
    const [object, text] = json.entries as Record<string, unknown>[];
    expect(text).toMatchObject({ value: long.slice(0, 2000), value_truncated: true, value_chars: 5000 });
    expect(text?.full_value).toBe('mem_read {"entity_path":"a","key":"text","version":1}');
    expect(object).toMatchObject({ value_truncated: true, value_chars: 5011, value_format: 'json' });
    expect((await mcp.call('mem_read', { entity_path: 'a', key: 'text' })).json.value).toBe(long);
    expect((await mcp.call('mem_recall', { entity_path: 'a', key: 'object' })).json.value).toEqual({ long });
  });

  it('says where the memory is, and warns when a database is named beside a server', async () => {
    const env = newHome();
    let err = '';
    const onErr = (text: string) => {
      err += text;
    };
    const mcp = await connect(env, { onErr });
    await mcp.call('mem_stats');
    await until(() => err.includes('memory is at'));
    expect(err).toContain(`memory is at ${env.MEM_DATA_DIR}`);
    err = '';
    const both = { ...env, MEM_HTTP_URL: 'http://127.0.0.1:9', MEM_POSTGRES_DSN: 'postgres://nobody@127.0.0.1/none' };
    await connect(both, { onErr });
    await until(() => err.includes('warning'));
    expect(err).toContain('warning: MEM_HTTP_URL and MEM_POSTGRES_DSN are both set: MEM_HTTP_URL is used');
  });
});
