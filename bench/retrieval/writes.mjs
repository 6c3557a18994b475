// What the work that follows writes costs them: vectors, digests and lists for briefings. Run it by hand, after npm run build:
//   node --conditions=source --import tsx bench/retrieval/writes.mjs [--writes 10000] [--rounds 4] [--rate 100] [--seconds 15]
//     [--only burst,steady]
// Rounds with and without it take turns, each in a store of its own, and each ends when nothing is left to do, so that no round
// pays for another one.
// burst: as fast as 50 writers go. steady: so many writes a second, with the work that follows them in the same time.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { madeEntry, openStore, wordsOfMemories } from './made-store.mjs';
import { readOwnSet } from './own-set.mjs';

const { values } = parseArgs({
  options: {
    writes: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '4' },
    rate: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '15' },
    only: { type: 'string', default: 'burst,steady' },
  },
});
const TOGETHER = 50;
const PATHS = 300;
const FOLLOWERS = /^(?:recall|cortex|briefing)\./;
const SIDES = { on: {}, off: { embedder: 'off', cortex: 'off' } };
const words = wordsOfMemories(readOwnSet().memories);
const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];
const share = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];

/** Over many paths, so that each has a digest of its own to compile. */
const entryAt = (at) => ({ ...madeEntry(at, words), entity_path: `made/${at % PATHS}`, key: `k${at}` });

async function burst(store) {
  const count = Number(values.writes);
  const times = [];
  let next = 0;
  const started = performance.now();
  const writer = async () => {
    while (next < count) {
      const from = performance.now();
      await store.call('entries.write', entryAt(next++));
      times.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, writer));
  return { count, times, seconds: (performance.now() - started) / 1000 };
}

async function steady(store) {
  const rate = Number(values.rate);
  const count = rate * Number(values.seconds);
  const times = [];
  const pending = [];
  const started = performance.now();
  for (let at = 0; at < count; at++) {
    const due = started + (at * 1000) / rate;
    if (due > performance.now()) await sleep(due - performance.now());
    const from = performance.now();
    pending.push(store.call('entries.write', entryAt(at)).then(() => times.push(performance.now() - from)));
  }
  await Promise.all(pending);
  return { count, times, seconds: (performance.now() - started) / 1000 };
}

/** When vectors, and when everything that follows the log, have caught up with it. */
async function untilAtRest(store) {
  const from = performance.now();
  let indexedMs;
  for (;;) {
    const { last_seq, consumers } = await store.call('consumers.list', {});
    // Others want few events, and are moved past the rest now and then.
    const behind = consumers.filter(({ consumer, seq }) => FOLLOWERS.test(consumer) && seq < last_seq);
    if (!behind.some(({ consumer }) => consumer.startsWith('recall.'))) indexedMs ??= performance.now() - from;
    if (behind.length === 0) return { indexedMs, restMs: performance.now() - from };
    await sleep(50);
  }
}

async function measure(load, side) {
  const dataDir = mkdtempSync(join(tmpdir(), 'mem-writes-'));
  const store = await openStore({ dataDir, settings: SIDES[side] });
  try {
    for (let at = 0; at < 500; at++) await store.call('entries.write', entryAt(1_000_000 + at));
    if (side === 'on') await untilAtRest(store);
    const cpu = process.cpuUsage();
    const { count, times, seconds } = await load(store);
    const held = monitorEventLoopDelay({ resolution: 5 });
    held.enable();
    const rest = side === 'on' ? await untilAtRest(store) : { indexedMs: 0, restMs: 0 };
    held.disable();
    const { user, system } = process.cpuUsage(cpu);
    const sorted = times.toSorted((a, b) => a - b);
    const [p50, p99] = [share(sorted, 0.5), share(sorted, 0.99)];
    return {
      ...{ rate: count / seconds, whole: count / (seconds + rest.restMs / 1000), p50, p99 },
      ...{ cost: (user + system) / count, ...rest, heldMs: side === 'on' ? held.max / 1e6 : 0 },
    };
  } finally {
    await store.app.close();
    rmSync(dataDir, { recursive: true });
  }
}

const awake = setInterval(() => {}, 1000);
const loads = { burst, steady };
for (const name of values.only.split(',')) {
  const found = { on: [], off: [] };
  for (let round = 0; round < Number(values.rounds); round++)
    for (const side of round % 2 ? ['on', 'off'] : ['off', 'on']) found[side].push(await measure(loads[name], side));
  const of = (side, figure) => median(found[side].map((one) => one[figure]));
  const both = (figure, digits = 0) =>
    `${of('on', figure).toFixed(digits)} with, ${of('off', figure).toFixed(digits)} without`;
  const seconds = (figure) => (of('on', figure) / 1000).toFixed(2);
  const last = name === 'burst' ? `a burst of ${values.writes}` : `${values.rate} writes a second`;
  console.log(
    `${name}: writes a second: ${both('rate')}, ratio ${(of('on', 'rate') / of('off', 'rate')).toFixed(3)} (≥ 0.95)`,
  );
  console.log(`  the same up to where nothing is left to do: ${of('on', 'whole').toFixed(0)}`);
  console.log(
    `  p50: ${both('p50', 2)} ms; p99: ${both('p99', 2)} ms; p99/p50 ${(of('on', 'p99') / of('on', 'p50')).toFixed(1)} (≤ 5)`,
  );
  console.log(`  processor time of a write until all is done: ${both('cost')} µs`);
  console.log(`  after ${last}: vectors ${seconds('indexedMs')} s (≤ 2), all at rest ${seconds('restMs')} s`);
  const each = (figure) => found.on.map((one) => one[figure].toFixed(0)).join(', ');
  console.log(`  longest hold of the event loop by work that follows: ${of('on', 'heldMs').toFixed(0)} ms (≤ 50)`);
  console.log(`  of each round: vectors ${each('indexedMs')} ms, all ${each('restMs')} ms, held ${each('heldMs')} ms`);
}
clearInterval(awake);
