import { join } from 'node:path';
import { compare } from '../compare.mjs';
import { findServerMemory, openServerMemory } from '../peers/server-memory.mjs';
import { startStdio } from '../peers/stdio.mjs';
import { root } from '../places.mjs';
import { measureMcpWrites } from './mcp-writes.mjs';

const program = join(root, 'packages', 'mcp', 'dist', 'mem-mcp.js');
const SIZES = [1_000, 10_000];
const AT_ONCE = 50;
const CALLS = 100;

const numbers = (count, name) => Array.from({ length: count }, (_, i) => `${name}${i}`);

/** MCP over standard input and output: the time until the tools are listed, and their speed beside a peer's. */
export async function* measureMcp(harness) {
  yield await coldStart(harness);
  yield* measureMcpWrites(harness, program);
  const peer = findServerMemory();
  if (peer === undefined)
    console.log('without @modelcontextprotocol/server-memory: set BENCH_SERVER_MEMORY to its program');
  for (const size of SIZES) {
    const ours = await measure(() => openOurs(harness, `mcp-${size}`), size);
    const theirs =
      peer && (await measure(() => openServerMemory(peer, join(harness.folder, `peer-${size}.jsonl`)), size));
    for (const [name, unit] of Object.entries({ read: '/s', write: '/s', kept: 'kept' })) {
      const what = name === 'kept' ? `kept of ${AT_ONCE} writes at once` : `one ${name} at a time`;
      const figure = `MCP over stdio, ${size.toLocaleString('en-US')} entries: ${what}`;
      yield {
        figure,
        unit,
        floor: theirs?.[name],
        ours: ours[name],
        note: 'beside @modelcontextprotocol/server-memory',
      };
    }
  }
}

async function coldStart(harness) {
  const { starts, repeats } = harness.options;
  const times = Math.max(starts, repeats);
  const time = async (file, env) => {
    const started = performance.now();
    const client = await startStdio(file, env);
    await client.request('tools/list', {});
    const value = performance.now() - started;
    await client.stop();
    return { value };
  };
  const floor = () => time(harness.programs.mcp, {});
  const ours = () => time(program, envOf(harness, 'mcp-start'));
  for (const warm of [floor, ours]) await warm();
  const result = await compare(times, floor, ours);
  return {
    figure: 'MCP over stdio: start to tools/list',
    unit: 'ms',
    target: { most: 2 },
    ...result,
    note: `${times} starts each`,
  };
}

const envOf = (harness, name) => {
  const { dataDir } = harness.emptyPlace(name);
  return { MEM_DATA_DIR: dataDir, HOME: harness.folder, USERPROFILE: harness.folder };
};

async function openOurs(harness, name) {
  const client = await startStdio(program, { ...envOf(harness, name), MEM_TOOLSET: 'core,data' });
  const draft = (key) => ({ entity_path: 'peer', key, value: `the note of ${key}` });
  return {
    write: (key) => client.call('mem_write', draft(key)),
    fill: (keys) => client.call('mem_commit_batch', { writes: keys.map(draft) }),
    read: (key) => client.call('mem_read', { entity_path: 'peer', key }),
    async countOf(keys) {
      const found = await Promise.all(keys.map((key) => client.call('mem_read', { entity_path: 'peer', key })));
      return found.length;
    },
    stop: () => client.stop(),
  };
}

/** At one store size: reads of existing entries, writes of new ones, and many concurrent writes. */
async function measure(open, size) {
  const server = await open();
  const rate = async (run) => {
    const started = performance.now();
    for (let i = 0; i < CALLS; i++) await run(i);
    return (CALLS / (performance.now() - started)) * 1000;
  };
  try {
    for (let from = 0; from < size; from += 1000)
      await server.fill(Array.from({ length: 1000 }, (_, i) => `k${from + i}`));
    const read = await rate((i) => server.read(`k${(i * 7919) % size}`));
    const write = await rate((i) => server.write(`new${i}`));
    const names = numbers(AT_ONCE, 'once');
    await Promise.all(names.map((name) => server.write(name)));
    return { read, write, kept: await server.countOf(names) };
  } finally {
    await server.stop();
  }
}
