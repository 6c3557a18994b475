import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serve } from '../cli/support.ts';
import { until } from '../faults/support/mem-process.ts';
import { listen, openTestApp } from '../support/app.ts';
import { type ConnectedClient, connect, newHome, open } from './support.ts';

const ENTRY = 'mem://entries/{+entity_path}/{key}';

type PromptRef = { type: string; name?: string; uri?: string; given?: Record<string, string> };

/** The completions that a client offers while a user types. */
async function offered(mcp: ConnectedClient, { given = {}, ...ref }: PromptRef, typed: Record<string, string>) {
  const [[name, value]] = Object.entries(typed) as [[string, string]];
  const { completion } = await mcp.client.complete({
    ref: ref as never,
    argument: { name, value },
    context: { arguments: given },
  });
  return completion;
}

const prompt = (name: string) => ({ type: 'ref/prompt', name });
const entry = { type: 'ref/resource', uri: ENTRY };

describe('completion', () => {
  it('offers paths, keys, agents and results as far as they are typed', async () => {
    const mcp = await connect(newHome(), { name: 'typist' });
    for (const [entity_path, key] of [
      ['shop/checkout', 'retry-policy'],
      ['shop/checkout', 'owner'],
      ['shop/cart', 'limit'],
      ['billing', 'day'],
    ])
      await mcp.call('mem_write', { entity_path, key, value: 1 });
    expect(await offered(mcp, prompt('start-task'), { entity_path: '' })).toEqual({
      values: ['billing', 'shop/cart', 'shop/checkout'],
      total: 3,
      hasMore: false,
    });
    expect((await offered(mcp, prompt('hand-over'), { entity_path: 'shop/ch' })).values).toEqual(['shop/checkout']);
    expect((await offered(mcp, entry, { entity_path: 'CART' })).values).toEqual(['shop/cart']);
    const given = { entity_path: 'shop/checkout' };
    expect((await offered(mcp, { ...entry, given }, { key: '' })).values).toEqual(['owner', 'retry-policy']);
    expect((await offered(mcp, { ...entry, given }, { key: 'poli' })).values).toEqual(['retry-policy']);
    expect((await offered(mcp, entry, { key: '' })).values).toEqual([]);
    expect((await offered(mcp, { ...entry, given: { entity_path: '/not//a path' } }, { key: '' })).values).toEqual([]);
    expect((await offered(mcp, prompt('hand-over'), { to: 't' })).values).toEqual(['typist/ada']);
    expect((await offered(mcp, prompt('finish-task'), { outcome_type: 'crit' })).values).toEqual(['critical_failure']);
    expect((await offered(mcp, prompt('start-task'), { task: 'any' })).values).toEqual([]);
    expect((await mcp.call('mem_explain')).json).not.toHaveProperty('query_events');
  });

  it('gives no more than the protocol allows and says that there is more', async () => {
    const mcp = await connect(newHome(), { args: ['--toolset', 'all'] });
    const writes = Array.from({ length: 130 }, (_, n) => ({ entity_path: `p/${n}`, key: 'k', value: n }));
    await mcp.call('mem_commit_batch', { writes, message: 'many' });
    const { values, total, hasMore } = await offered(mcp, entry, { entity_path: 'p/' });
    expect({ count: values.length, total, hasMore }).toEqual({ count: 100, total: 130, hasMore: true });
  });

  it('refuses what is no prompt, no argument and no address', async () => {
    const mcp = await connect(newHome());
    await expect(offered(mcp, prompt('nothing'), { x: '' })).rejects.toThrow(
      /no prompt "nothing"; there are start-task/,
    );
    await expect(offered(mcp, prompt('start-task'), { x: '' })).rejects.toThrow(/no argument "x"/);
    await expect(offered(mcp, { type: 'ref/resource', uri: 'mem://x' }, { x: '' })).rejects.toThrow(/no x in mem/);
  });
});

const write = (mcp: ConnectedClient, key: string, value: unknown) =>
  mcp.call('mem_write', { entity_path: 'a b', key, value });

/** The addresses in the notifications to a client, in order. */
function updatedResources(mcp: ConnectedClient): string[] {
  const uris: string[] = [];
  mcp.client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    uris.push(params.uri);
  });
  return uris;
}

describe('a client that watches a resource', () => {
  it.each(['local', 'remote'] as const)('is notified of changes by another process, %s', async (mode) => {
    const env = newHome();
    const server = mode === 'remote' ? await serve(env) : undefined;
    onTestFinished(async () => void (await server?.stop()));
    const where = server ? { ...env, MEM_HTTP_URL: server.url } : env;
    const other = await connect(where, { name: 'other' });
    await write(other, 'k', 1);
    const mcp = await connect(where, { name: 'watcher' });
    expect(mcp.client.getServerCapabilities()?.resources).toEqual({ subscribe: true });
    const uris = updatedResources(mcp);
    const uri = 'mem://entries/a%20b/k';
    await mcp.client.subscribeResource({ uri });
    await write(other, 'another', 1);
    await write(other, 'k', 2);
    await until(() => uris.includes(uri));
    await mcp.client.subscribeResource({ uri: 'mem://stats' });
    await mcp.client.unsubscribeResource({ uri });
    uris.length = 0;
    await write(other, 'k', 3);
    await until(() => uris.length > 0);
    expect(new Set(uris)).toEqual(new Set(['mem://stats']));
    await mcp.client.unsubscribeResource({ uri: 'mem://stats' });
    await expect(mcp.client.subscribeResource({ uri: 'mem://nothing' })).rejects.toThrow(/not found/);
    await mcp.close();
    await other.close();
  });

  it('hears of its timeline only what is its own', async () => {
    const env = newHome();
    const [mcp, other] = await Promise.all([connect(env, { name: 'watcher' }), connect(env, { name: 'other' })]);
    const uris = updatedResources(mcp);
    for (const uri of ['mem://timeline', 'mem://entries']) await mcp.client.subscribeResource({ uri });
    await write(other, 'k', 1);
    await until(() => uris.length > 0);
    expect(uris).not.toContain('mem://timeline');
    await write(mcp, 'k', 2);
    await until(() => uris.includes('mem://timeline'));
  });

  it('needs no handshake, over standard input and output or over HTTP', async () => {
    const app = await openTestApp('sqlite');
    const server = await listen(app);
    onTestFinished(() => server.close().then(() => app.close()));
    const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`));
    const far = await open('watcher', transport, true);
    const near = await connect(newHome(), { name: 'watcher', modern: true });
    for (const mcp of [far, near]) {
      const uris = updatedResources(mcp);
      const uri = 'mem://entries/a%20b/k';
      const listening = await mcp.client.listen({ resourceSubscriptions: [uri, 'mem://nothing'] });
      await write(mcp, 'another', 1);
      await write(mcp, 'k', 1);
      await until(() => uris.length > 0);
      expect(uris).toEqual([uri]);
      await listening.close();
      expect((await mcp.call('mem_whoami')).json.effective_identity).toMatch(/^watcher/);
    }
  });

  it('over HTTP with a handshake is not offered', async () => {
    const app = await openTestApp('sqlite');
    const server = await listen(app);
    onTestFinished(() => server.close().then(() => app.close()));
    const mcp = await open('watcher', new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)));
    expect(mcp.client.getServerCapabilities()?.resources).toEqual({});
    expect(mcp.client.getServerCapabilities()?.completions).toEqual({});
    await write(mcp, 'k', 1);
    expect((await offered(mcp, entry, { entity_path: 'a' })).values).toEqual(['a b']);
  });

  it('does not keep a server from stopping', async () => {
    const env = newHome();
    const server = await serve(env);
    const mcp = await open('watcher', new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)), true);
    await mcp.client.listen({ resourceSubscriptions: ['mem://entries'] });
    expect(await server.stop()).toBe(0);
  });
});

it('long work reports its progress', async () => {
  const mcp = await connect(newHome(), { args: ['--toolset', 'all'] });
  await write(mcp, 'k', 1);
  const steps: unknown[] = [];
  // What arrives together with the answer, this client's `onprogress` no longer gets.
  mcp.client.setNotificationHandler('notifications/progress', ({ params }) => {
    steps.push(params);
  });
  await mcp.client.callTool({ name: 'mem_export', arguments: { entity_path: 'a b' } }, { onprogress: () => {} });
  expect(steps).toEqual([{ progressToken: expect.any(Number), progress: 1, message: '1 entries read' }]);
});
