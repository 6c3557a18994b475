import { beforeEach, describe, expect, it } from 'vitest';
import { type ConnectedClient, connect, type JsonObject, newHome } from './support.ts';

const entry = { entity_path: 'shop/cart', key: 'limit' };
const WORD = 'forgettable';

describe('an entry that was deleted with mem_delete', () => {
  let mcp: ConnectedClient;
  beforeEach(async () => {
    mcp = await connect(newHome(), { args: ['--toolset', 'all'] });
    await mcp.call('mem_write', { ...entry, value: { note: WORD, n: 7 }, pattern_refs: ['p'] });
    await mcp.call('mem_write', { entity_path: 'shop', key: 'other', value: 'stays' });
    await mcp.call('mem_read', entry);
    const { json } = await mcp.call('mem_delete', entry);
    expect(json).toEqual({ ...entry, version: 2, deleted: true, hint: 'mem_restore brings it back' });
  });

  const text = async (name: string, args: JsonObject = {}) => (await mcp.call(name, args)).text;
  const shop = { entity_path: 'shop', include_descendants: true };

  it('comes up on no surface', async () => {
    for (const name of ['mem_read', 'mem_recall']) expect(await text(name, entry)).toContain('"not_found"');
    const { effective_identity } = (await mcp.call('mem_whoami')).json;
    expect(await text('mem_read_from', { ...entry, source_agent_id: effective_identity })).toContain('"not_found"');
    for (const name of ['mem_list', 'mem_my_entries']) expect(await text(name, shop)).not.toContain('limit');
    for (const args of [{ query: WORD }, shop, { pattern_ref: 'p' }])
      expect(await text('mem_search', args)).not.toContain(WORD);
    expect((await mcp.call('mem_aggregate', shop)).json).toMatchObject({ entries_scanned: 1 });
    expect((await mcp.call('mem_stats')).json).toMatchObject({ total_entries: 1 });
    for (const entity of ['shop', 'shop/cart', 'shop/cart/limit', effective_identity]) {
      const { edges, nodes } = (await mcp.call('mem_graph_neighbors', { entity, depth: 2 })).json;
      expect(JSON.stringify([edges, nodes])).not.toContain('shop/cart/limit');
    }
    expect(await text('mem_export', shop)).not.toContain(WORD);
    expect((await mcp.call('mem_delete', entry)).json).toMatchObject({ status: 'not_found' });
  });

  it('is in no resource and no completion', async () => {
    const read = async (uri: string) => JSON.stringify((await mcp.client.readResource({ uri })).contents);
    expect(await read('mem://entries')).not.toContain(WORD);
    await expect(read('mem://entries/shop/cart/limit')).rejects.toThrow();
    const ref = { type: 'ref/prompt', name: 'start-task' } as const;
    const { completion } = await mcp.client.complete({ ref, argument: { name: 'entity_path', value: 'shop' } });
    expect(completion.values).toEqual(['shop']);
  });

  it('is brought back by mem_restore, with what it held and with its history', async () => {
    const { json } = await mcp.call('mem_restore', entry);
    expect(json).toMatchObject({ ...entry, version: 3, restored_from: 1, value: { note: WORD, n: 7 } });
    expect((await mcp.call('mem_read', entry)).json).toMatchObject({ value: { note: WORD, n: 7 } });
    expect((await mcp.call('mem_search', { query: WORD })).json.entries).toHaveLength(1);
    expect((await mcp.call('mem_history', entry)).json.versions).toMatchObject([
      { version: 3 },
      { version: 2, deleted: true },
      { version: 1 },
    ]);
    expect((await mcp.call('mem_restore', entry)).json).toMatchObject({ unchanged: true, version: 3 });
    expect((await mcp.call('mem_restore', { ...entry, key: 'never' })).json).toMatchObject({ status: 'not_found' });
  });
});
