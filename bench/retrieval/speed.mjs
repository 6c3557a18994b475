// How many texts the embedder encodes in a second of processor time, how long it takes to load and how much memory it needs.
//   npm run build && node --expose-gc bench/retrieval/speed.mjs [--reference FILE]
// A reference is a module with `loadEmbedder(folder)`, which gives `encode(text)`. Both are measured in short turns.
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { loadEmbedder } from '../../packages/embedder/dist/index.js';

const ROUNDS = 60;
const { values } = parseArgs({ options: { reference: { type: 'string' } } });

const memories = readFileSync(join(import.meta.dirname, 'memories.jsonl'), 'utf8')
  .trim()
  .split('\n');
const texts = Array.from({ length: 2000 }, (_, at) => {
  const { value } = JSON.parse(memories[at % memories.length]);
  return `${value} ${JSON.parse(memories[(7 * at + 3) % memories.length]).value}`.slice(0, 124);
});

const memory = () => {
  globalThis.gc?.();
  return process.memoryUsage().rss;
};
const before = memory();
const embedder = loadEmbedder();
const idle = memory() - before;
let startedAt = performance.now();
await embedder.prepare();
console.log(`loaded in ${(performance.now() - startedAt).toFixed(0)} ms`);
for (const text of texts) embedder.encode(text);
const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
console.log(
  `memory: ${megabytes(idle)} MB before the first use, ${megabytes(memory() - before)} MB after ${texts.length} texts`,
);

const sides = [['embedder', (text) => embedder.encode(text)]];
if (values.reference) {
  const file = resolve(values.reference);
  const { loadEmbedder: load } = await import(pathToFileURL(file));
  startedAt = performance.now();
  const reference = load(dirname(file));
  console.log(`the reference loaded in ${(performance.now() - startedAt).toFixed(0)} ms`);
  sides.push(['reference', (text) => reference.encode(text)]);
}

const rates = new Map(sides.map(([name]) => [name, []]));
for (let round = 0; round < ROUNDS; round++)
  for (const [name, encode] of round % 2 ? sides : sides.toReversed()) {
    const from = process.cpuUsage();
    for (const text of texts) encode(text);
    const { user, system } = process.cpuUsage(from);
    // The first rounds run before the code is compiled.
    if (round >= ROUNDS / 4) rates.get(name).push((texts.length * 1e6) / (user + system));
  }
const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];
for (const [name, list] of rates) console.log(`${name}: ${Math.round(median(list))} texts/s of 124 characters`);
if (rates.size === 2) {
  const [own, reference] = rates.values();
  console.log(`ratio: ${median(own.map((rate, at) => rate / reference[at])).toFixed(2)} (≥ 0.95)`);
}
