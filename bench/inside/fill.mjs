// Fills a store through the service's own code, a thousand writes a commit. The order comes as JSON in the first argument.
import { entryOf, HISTORIES, HISTORY_LENGTH, noteOf } from '../corpus.mjs';
import { caller, open } from './open.mjs';

const { entries, ...place } = JSON.parse(process.argv[2]);
const app = await open(place);
const commit = (writes) => app.kernel.invoke('commits.create', { writes, message: 'fill' }, caller);
const BATCH = 1000;

const started = performance.now();
let told = started;
for (let from = 0; from < entries; from += BATCH) {
  await commit(Array.from({ length: Math.min(BATCH, entries - from) }, (_, i) => entryOf(from + i)));
  if (performance.now() - told < 10_000) continue;
  told = performance.now();
  const done = from + BATCH;
  process.stderr.write(`  ${done} of ${entries}, ${Math.round((done / (told - started)) * 1000)} a second\n`);
}
const rate = entries / ((performance.now() - started) / 1000);

/** A few entries with a long history, the same in every store. */
for (let version = 0; version < HISTORY_LENGTH; version++) {
  await commit(
    Array.from({ length: HISTORIES }, (_, i) => ({
      entity_path: 'bench/history',
      key: `h${i}`,
      value: { note: noteOf(2 ** 30 + version * HISTORIES + i), step: version },
    })),
  );
}
await app.close();
process.stdout.write(JSON.stringify({ entries_per_s: rate }));
