import { expect, it } from 'vitest';
import { serve } from '../cli/support.ts';
import { connect, newHome, runMem } from './support.ts';

const WRITES = 25;

it('three MCP processes and a server on one folder write at once, and nothing is lost', async () => {
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
  const { code, out } = await runMem(['verify', '--json'], env);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ corrupted: [], chain_breaks: [], total_checked: 2 * all.length * WRITES });
}, 60_000);
