// What the index of meaning costs writes, and how soon it has caught up with a burst. Run it by hand, after npm run build:
//   node --conditions=source --import tsx bench/retrieval/writes.mjs [--writes 10000] [--rounds 4]
// Rounds with and without the index take turns, each in a store of its own. A round writes over and over for a few seconds
// with 50 writes at a time, as the index follows.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { madeEntry, openStore, untilCaughtUp, wordsOfMemories } from './made-store.mjs';
import { readOwnSet } from './own-set.mjs';

const { values } = parseArgs({
  options: { writes: { type: 'string', default: '10000' }, rounds: { type: 'string', default: '4' } },
});
const TOGETHER = 50;
const awake = setInterval(() => {}, 1000);
const words = wordsOfMemories(readOwnSet().memories);
const seconds = (ms) => (ms / 1000).toFixed(2);
const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

const rates = { on: [], off: [] };
const costs = { on: [], off: [] };
for (let round = 0; round < Number(values.rounds); round++)
  for (const side of round % 2 ? ['on', 'off'] : ['off', 'on']) {
    const { rate, cost, caughtUpMs } = await writeBurst(side);
    rates[side].push(rate);
    costs[side].push(cost);
    if (caughtUpMs !== undefined) console.log(`caught up ${seconds(caughtUpMs)} s after ${values.writes} writes`);
  }
clearInterval(awake);
console.log(
  `writes a second: ${Math.round(median(rates.on))} with the index, ${Math.round(median(rates.off))} without`,
);
console.log(`ratio: ${(median(rates.on) / median(rates.off)).toFixed(3)} (≥ 0.95)`);
const perWrite = (side) => `${(median(costs[side]) * 1000).toFixed(0)} µs`;
console.log(
  `processor time of a write until all is done: ${perWrite('on')} with the index, ${perWrite('off')} without`,
);

async function writeBurst(side) {
  const dataDir = mkdtempSync(join(tmpdir(), 'mem-writes-'));
  const store = await openStore({ dataDir, settings: side === 'off' ? { embedder: 'off' } : {} });
  try {
    for (let at = 0; at < 500; at++) await store.call('entries.write', madeEntry(1_000_000 + at, words));
    const [cpu, started] = [process.cpuUsage(), performance.now()];
    const count = Number(values.writes);
    let next = 0;
    const write = async () => {
      while (next < count) await store.call('entries.write', madeEntry(next++, words));
    };
    await Promise.all(Array.from({ length: TOGETHER }, write));
    const written = performance.now();
    if (side === 'on') await untilCaughtUp(store);
    const caughtUpMs = side === 'on' ? performance.now() - written : undefined;
    const { user, system } = process.cpuUsage(cpu);
    return { rate: (count * 1000) / (written - started), cost: (user + system) / 1000 / count, caughtUpMs };
  } finally {
    await store.app.close();
    rmSync(dataDir, { recursive: true });
  }
}
