import { join } from 'node:path';
import { ask } from '../harness.mjs';
import { findServerMemory, openServerMemory } from '../peers/server-memory.mjs';

const PEER = '@modelcontextprotocol/server-memory';
const ENTRIES = 1000;
const AT_ONCE = 50;

const facts = [
  { name: 'write_per_s', figure: `one write at a time, to ${ENTRIES} entries`, unit: '/s' },
  { name: 'search_per_s', figure: `one search at a time in ${ENTRIES} entries`, unit: '/s' },
  { name: 'kept', figure: `kept of ${AT_ONCE} writes at once`, unit: 'kept' },
];

/** Figures for comparison, without a target: a peer uses its own transport, the service HTTP. */
export async function* measurePeers(harness) {
  const file = findServerMemory();
  if (file === undefined) {
    console.log(`skipped ${PEER}: not installed (set BENCH_SERVER_MEMORY to its program to include it)`);
    return;
  }
  const theirs = await measureTheirs(file, join(harness.folder, 'peer.jsonl'));
  const ours = await measureOurs(harness);
  for (const { name, figure, unit } of facts)
    yield { figure: `peer ${PEER}: ${figure}`, unit, floor: theirs[name], ours: ours[name] };
}

async function rate(count, run) {
  const started = performance.now();
  for (let i = 0; i < count; i++) await run(i);
  return (count / (performance.now() - started)) * 1000;
}

async function measureTheirs(file, store) {
  const peer = await openServerMemory(file, store);
  try {
    const write_per_s = await rate(ENTRIES, (i) => peer.write(`k${i}`));
    const search_per_s = await rate(200, (i) => peer.search(`k${i}`));
    const names = Array.from({ length: AT_ONCE }, (_, i) => `once${i}`);
    await Promise.all(names.map((name) => peer.write(name)));
    return { write_per_s, search_per_s, kept: await peer.countOf(names) };
  } finally {
    await peer.stop();
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
  const write_per_s = await rate(ENTRIES, (i) => write(`k${i}`));
  const search = (query) => ask(service, { method: 'POST', path: '/api/v1/search', body: JSON.stringify({ query }) });
  const search_per_s = await rate(200, (i) => search(`k${i}`));
  await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => write(`once${i}`)));
  const { entries } = JSON.parse(
    await ask(service, { path: '/api/v1/entries?entity_path=peer&sort=recent&limit=100' }),
  );
  return { write_per_s, search_per_s, kept: entries.filter(({ key }) => key.startsWith('once')).length };
}
