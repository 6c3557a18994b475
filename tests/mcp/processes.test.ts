import { describe, expect, it } from 'vitest';
import { serve } from '../cli/support.ts';
import { startMem, until } from '../faults/support/mem-process.ts';
import { type ConnectedClient, connect, newHome, runMem } from './support.ts';

const WRITES = 25;

/** At the end, all chains verify and nothing is missing. */
async function verified(env: Record<string, string>): Promise<number> {
  const { code, out } = await runMem(['verify', '--json'], env);
  expect(code).toBe(0);
  const checked = JSON.parse(out);
  expect(checked).toMatchObject({ corrupted: [], chain_breaks: [] });
  return checked.total_checked;
}

describe('several MCP processes and a server on one folder', () => {
  it('write at once, and nothing is lost', async () => {
    const env = newHome();
    const server = await serve(env);
    const nearby = await Promise.all([1, 2, 3].map((n) => connect(env, { name: `near-${n}` })));
    const remote = await connect({ ...env, MEM_HTTP_URL: server.url }, { name: 'far' });
    const all = [...nearby, remote];
    await Promise.all(
      all.flatMap((mcp, i) =>
        Array.from({ length: WRITES }, async (_, n) => {
          const own = await mcp.call('mem_write', { entity_path: 'own', key: `p${i}-${n}`, value: n });
          expect(own).toMatchObject({ isError: false, json: { version: 1 } });
          const shared = await mcp.call('mem_write', { entity_path: 'shared', key: 'one', value: `p${i}-${n}` });
          expect(shared.isError).toBe(false);
        }),
      ),
    );
    const [first] = nearby;
    expect((await first?.call('mem_stats'))?.json.total_entries).toBe(all.length * WRITES + 1);
    for (const mcp of all) {
      const { json } = await mcp.call('mem_read', { entity_path: 'shared', key: 'one' });
      expect(json.version).toBe(all.length * WRITES);
    }
    await Promise.all(all.map((mcp) => mcp.close()));
    expect(await server.stop()).toBe(0);
    expect(await verified(env)).toBe(2 * all.length * WRITES);
  });

  it('are killed in the middle, and what was answered is there', async () => {
    const env = newHome();
    const server = await startMem(env);
    const [killed, survivor] = await Promise.all([
      connect(env, { name: 'killed' }),
      connect(env, { name: 'survivor' }),
    ]);
    const far = await connect({ ...env, MEM_HTTP_URL: server.url }, { name: 'far' });
    const kept = { killed: new Set<string>(), survivor: new Set<string>(), far: new Set<string>() };
    let over = false;
    const write = async (who: keyof typeof kept, mcp: ConnectedClient) => {
      for (let n = 0; !over; n++) {
        const key = `${who}-${n}`;
        const answer = await mcp.call('mem_write', { entity_path: 'all', key, value: n }).catch(() => undefined);
        // A client whose server was killed sends nothing more.
        if (!answer || answer.isError) return;
        kept[who].add(key);
        await mcp.call('mem_write', { entity_path: 'all', key: 'shared', value: key }).catch(() => undefined);
      }
    };
    const writing = [write('killed', killed), write('survivor', survivor), write('far', far)];
    const reached = (who: keyof typeof kept, count: number) => until(() => kept[who].size >= count, { seconds: 60 });
    await Promise.all([reached('killed', 10), reached('far', 10)]);
    process.kill(killed.pid as number, 'SIGKILL');
    await writing[0];
    await server.stop('SIGKILL');
    await reached('survivor', kept.survivor.size + 10);
    over = true;
    await Promise.all([writing[1], far.close()]);
    await writing[2];

    const again = await connect(env, { name: 'again', args: ['--toolset', 'all'] });
    const names = new Set<unknown>();
    for (let cursor: unknown; cursor !== null; ) {
      const page = (await again.call('mem_list', { entity_path: 'all', fields: 'meta', limit: 1000, cursor })).json;
      for (const { key } of page.entries as { key: string }[]) names.add(key);
      cursor = page.next_cursor ?? null;
    }
    for (const keys of Object.values(kept)) for (const key of keys) expect(names).toContain(key);
    await Promise.all([survivor.close(), again.close()]);
    expect(await verified(env)).toBeGreaterThan(names.size);
  });
});
