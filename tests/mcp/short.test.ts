import type { JsonObject } from '@mem-service/contract';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ageOf, toTable } from '../../packages/mcp/src/hits.ts';
import { listen, openTestApp } from '../support/app.ts';
import { send } from '../support/wire.ts';
import { connect, newHome, runMem } from './support.ts';

const HELLO = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a-pipe', version: '1' } };
const BIG = { entity_path: 'a', key: 'big' };
/** JSON.parse would change each of these numbers. */
const VALUE = '{"id":12345678901234567890,"ratio":1.0,"list":[0.1234567890123456789]}';
const WRITE = `{"entity_path": "a", "key": "big", "value": ${VALUE}}`;

describe('answers of tools', () => {
  it('with twenty hits of 120 characters take at most 4 kB, and say it once', async () => {
    const mcp = await connect(newHome());
    const value = 'retries '.repeat(15);
    expect(value).toHaveLength(120);
    for (let n = 0; n < 20; n++)
      await mcp.call('mem_write', { entity_path: 'checkout/payments', key: `note-${n}`, value });
    for (const [name, args] of [
      ['mem_search', { query: 'retries' }],
      ['mem_list', { entity_path: 'checkout/payments' }],
      ['mem_my_entries', {}],
    ] as const) {
      const result = await mcp.client.callTool({ name, arguments: args });
      expect(result).not.toHaveProperty('structuredContent');
      const answer = JSON.parse((result.content as { text: string }[])[0]?.text ?? '');
      expect(answer.entries).toHaveLength(20);
      expect(answer.columns).toEqual(['entity_path', 'key', 'confidence', 'evidence_status', 'age', 'value']);
      expect(answer.entries[0]).toEqual([
        'checkout/payments',
        expect.stringMatching(/^note-/),
        expect.any(Number),
        'untested',
        expect.stringMatching(/^\d+s$/),
        value,
      ]);
      expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(4096);
    }
  });

  it('name what is unusual about a hit, and nothing that is as usual', async () => {
    const mcp = await connect(newHome());
    await mcp.call('mem_write', { entity_path: 'a', key: 'usual', value: 1, confidence: 0.123456 });
    await mcp.call('mem_write', { entity_path: 'a', key: 'unusual', value: 2, memory_type: 'belief', shared: false });
    const { text } = await mcp.call('mem_list', { entity_path: 'a' });
    const { entries, ...rest } = JSON.parse(text);
    expect(Object.keys(rest)).toEqual(['columns']);
    expect(entries[0].at(-1)).toEqual({ memory_type: 'belief', shared: false });
    expect(entries[1].slice(0, 4)).toEqual(['a', 'usual', 0.12, 'untested']);
    expect(entries[1]).toHaveLength(6);
    for (const name of ['mem_read', 'mem_recall', 'mem_history']) {
      const answer = await mcp.call(name, { entity_path: 'a', key: 'usual' });
      expect(answer.text).not.toMatch(/"branch"|null|\[\]|"tier"|session_id|0\.123/);
    }
    const done = await mcp.call('mem_commit_outcome', { outcome_ref: 'r', outcome_type: 'success' });
    expect(done.text).not.toMatch(/"branch"|null|\[\]|session_id/);
  });

  it('to a question have scores, their parts where asked for, and say what was left undone', async () => {
    const mcp = await connect(newHome());
    await mcp.call('mem_write', { entity_path: 'people/ann', key: 'diet', value: 'Ann is allergic to peanuts.' });
    const asked = await mcp.call('mem_retrieve', { query: 'nuts allergy' });
    const { columns, entries, answerability, ...rest } = JSON.parse(asked.text) as JsonObject & {
      entries: unknown[][];
    };
    const names = ['entity_path', 'key', 'confidence', 'evidence_status', 'age', 'score', 'passage'];
    expect(columns, asked.text).toEqual(names);
    expect(entries).toHaveLength(1);
    const [, , , , , score, passage, ...more] = entries[0] as unknown[];
    expect([score, passage, more]).toEqual([expect.any(Number), 'Ann is allergic to peanuts.', []]);
    expect(answerability).toEqual({ chance: expect.any(Number) });
    expect(rest).toEqual({});
    const explained = await mcp.call('mem_retrieve', { query: 'nuts allergy', include_breakdown: true });
    const [row = []] = (JSON.parse(explained.text) as { entries: { breakdown: Record<string, number> }[][] }).entries;
    expect(Object.values(row.at(-1)?.breakdown ?? {}).reduce((sum, part) => sum + part, 0)).toBeCloseTo(
      score as number,
      4,
    );
    expect(score).toBeGreaterThan(0);
    const filtered = await mcp.call('mem_retrieve', { query: 'nuts allergy', max_confidence: 0.1, pattern_ref: 'p' });
    expect(JSON.parse(filtered.text)).toMatchObject({ entries: [] });
  });

  it('to a question that could not be answered as usual say so', () => {
    const usual = { entries: [], avoid: [], left_out: [], time: null, answerability: { chance: 0.5 }, skipped: [] };
    const table = (more: JsonObject) => {
      const index = { embedder: 'mem-static-256', behind: 0 };
      const { columns: _, entries: __, ...rest } = toTable({ ...usual, index, ...more }, { now: 0 });
      return rest;
    };
    expect(table({})).toEqual({ answerability: { chance: 0.5 } });
    const skipped = ['meaning', 'passages'];
    const late = { skipped, answerability: { chance: null }, index: { embedder: null, behind: 0 } };
    expect(table(late)).toEqual({ skipped });
    expect(table({ index: { embedder: null, behind: 3 } })).toMatchObject({ index: { embedder: 'none', behind: 3 } });
    const fallback = { from: 'some-model', reason: 'timeout' };
    expect(table({ index: { embedder: 'mem-static-256', behind: 0, fallback } })).toMatchObject({
      index: { fallback },
    });
    expect(table({ reranker: { model: 'm', reordered: 0, failure: 'timeout' } })).toMatchObject({
      reranker: { failure: 'timeout' },
    });
  });

  it('give ages in their largest unit', () => {
    const now = Date.parse('2026-06-01T00:00:00Z');
    const ago = (seconds: number) => ageOf(new Date(now - seconds * 1000).toISOString(), now);
    expect([5, 90, 7200, 3 * 86_400, 70 * 86_400, 800 * 86_400].map(ago)).toEqual([
      '5s',
      '1m',
      '2h',
      '3d',
      '2mo',
      '2y',
    ]);
    expect(ago(-10)).toBe('0s');
  });

  it('keep every digit of a number over standard input and output', async () => {
    const lines = [
      { id: 1, method: 'initialize', params: HELLO },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: { name: 'mem_write', arguments: '@' } },
    ].map((line) => JSON.stringify({ jsonrpc: '2.0', ...line }).replace('"@"', WRITE));
    const env = newHome();
    const { out } = await runMem(['mcp'], env, `${lines.join('\n')}\n`);
    expect(out).toContain('"id":2');
    const mcp = await connect(env);
    expect((await mcp.call('mem_read', BIG)).text).toContain(`"value":${VALUE}`);
    expect((await mcp.call('mem_list', { entity_path: 'a' })).text).toContain(VALUE);
    expect((await mcp.call('mem_explain')).text).toContain(`"value":${VALUE}`);
    await mcp.call('mem_commit_outcome', { outcome_ref: 'r', outcome_type: 'success' });
    for (const name of ['mem_get_trace', 'mem_explain'])
      expect((await mcp.call(name, { trace_id: 'last' })).text).toContain(`"value":${VALUE}`);
  });

  it('keep every digit of a number over HTTP', async () => {
    const app = await openTestApp('sqlite');
    const server = await listen(app);
    onTestFinished(() => server.close().then(() => app.close()));
    const post = (name: string, args: string) =>
      send(server.url, {
        method: 'POST',
        path: '/mcp',
        body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`,
        headers: { accept: 'application/json, text/event-stream' },
      });
    expect((await post('mem_write', WRITE)).status).toBe(200);
    expect((await post('mem_read', JSON.stringify(BIG))).text).toContain(JSON.stringify(VALUE).slice(1, -1));
  });
});
