import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HttpClient } from '../faults/support/client.ts';
import { memProgram, runMem, startMem, until } from '../faults/support/mem-process.ts';
import { expectAll, folderStore, postgresStore, readContents } from '../faults/support/store.ts';
import { startLoad } from '../faults/support/workload.ts';
import { backends, newPlace } from '../support/app.ts';
import { otherRuntime } from './runtimes.ts';

/** The version that runs the tests is tested by all others. */
const others = ['22', '24'].filter((version) => version !== process.versions.node.split('.')[0]);
const runtimes = await Promise.all(others.map(otherRuntime));
for (const { version, why } of runtimes) if (why) console.warn(`Node ${version} cannot be had here: ${why}`);

describe.each(runtimes)('on Node $version', ({ version, node = '' }) => {
  it.skipIf(node === '').each(backends)(
    'nothing acknowledged is lost by a kill on %s, and all is found',
    async (backend) => {
      const { options, remove } = await newPlace(backend);
      onTestFinished(remove);
      const { postgresDsn, dataDir } = options;
      const { env } = postgresDsn ? postgresStore(postgresDsn, dataDir) : folderStore(dataDir);
      const first = await startMem(env, { node });
      const load = startLoad(new HttpClient(first.url), { name: `node${version}`, writers: 8 });
      await until(() => load.outcome.acknowledged.length > 100, { what: 'writes to be acknowledged' });
      await first.stop('SIGKILL');
      const { acknowledged, wrong } = await load.stop();
      expect(wrong).toEqual([]);
      const second = await startMem(env, { node });
      const client = new HttpClient(second.url);
      expectAll(await readContents(client), acknowledged);
      await client.write('found', 'needle', 'an unmistakable haystack');
      const { json } = await client.post('/api/v1/search', { query: 'unmistakable haystack' });
      expect(json.entries[0]).toMatchObject({ entity_path: 'found', key: 'needle' });
      expect(await second.stop()).toEqual({ code: 0, signal: null });
      expect(second.output()).not.toContain('Warning');
    },
  );

  it.skipIf(node === '')('an MCP client reads what the command line wrote', async () => {
    const { options, remove } = await newPlace('sqlite');
    onTestFinished(remove);
    const env = { MEM_DATA_DIR: options.dataDir, HOME: options.dataDir };
    const wrote = await runMem(env, { node, args: ['write', 'notes', 'first', '"hello"'] });
    expect(wrote).toMatchObject({ code: 0 });
    const client = new Client({ name: 'test', version: '1' });
    const transport = new StdioClientTransport({ command: node, args: [await memProgram(), 'mcp'], env });
    await client.connect(transport);
    onTestFinished(() => client.close());
    const read = await client.callTool({ name: 'mem_read', arguments: { entity_path: 'notes', key: 'first' } });
    expect(JSON.stringify(read.content)).toContain('hello');
  });
});
