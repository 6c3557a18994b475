import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ask } from '../harness.mjs';
import { measureServerMemory } from '../peers/server-memory.mjs';

/** Other memory servers, where somebody has put one within reach: in node_modules, or named by a variable. */
const peers = [
  {
    name: '@modelcontextprotocol/server-memory',
    file: 'dist/index.js',
    variable: 'BENCH_SERVER_MEMORY',
    measure: measureServerMemory,
  },
];

const ENTRIES = 1000;
const AT_ONCE = 50;

const facts = [
  { name: 'write_per_s', figure: `one write at a time, to ${ENTRIES} entries`, unit: '/s' },
  { name: 'search_per_s', figure: `one search at a time in ${ENTRIES} entries`, unit: '/s' },
  { name: 'kept', figure: `kept of ${AT_ONCE} writes at once`, unit: 'kept' },
];

function find({ name, file, variable }) {
  if (process.env[variable]) return process.env[variable];
  try {
    return createRequire(import.meta.url).resolve(`${name}/${file}`);
  } catch {
    return undefined;
  }
}

/** Facts to set beside each other, without a reach: a peer speaks over its own transport, we over HTTP. */
export async function* measurePeers(harness) {
  for (const peer of peers) {
    const file = find(peer);
    if (file === undefined) {
      console.log(`skipped ${peer.name}: not installed (set ${peer.variable} to its program to include it)`);
      continue;
    }
    const store = join(harness.folder, 'peer.jsonl');
    const theirs = await peer.measure({ file, store, entries: ENTRIES, atOnce: AT_ONCE });
    const ours = await measureOurs(harness);
    for (const { name, figure, unit } of facts)
      yield { figure: `peer ${peer.name}: ${figure}`, unit, floor: theirs[name], ours: ours[name] };
  }
}

async function measureOurs(harness) {
  const service = await harness.service(harness.emptyPlace('peer'));
  const write = (key) =>
    ask(service, {
      method: 'POST',
      path: '/api/v1/entries',
      body: JSON.stringify({ entity_path: 'peer', key, value: `the note of ${key}` }),
    });
  const rate = async (count, run) => {
    const started = performance.now();
    for (let i = 0; i < count; i++) await run(i);
    return (count / (performance.now() - started)) * 1000;
  };
  const write_per_s = await rate(ENTRIES, (i) => write(`k${i}`));
  const search = (query) => ask(service, { method: 'POST', path: '/api/v1/search', body: JSON.stringify({ query }) });
  const search_per_s = await rate(200, (i) => search(`k${i}`));
  await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => write(`once${i}`)));
  const { entries } = JSON.parse(
    await ask(service, { path: '/api/v1/entries?entity_path=peer&sort=recent&limit=100' }),
  );
  return { write_per_s, search_per_s, kept: entries.filter(({ key }) => key.startsWith('once')).length };
}
