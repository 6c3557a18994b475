import { setTimeout as sleep } from 'node:timers/promises';
import { noteOf } from '../corpus.mjs';
import { measureGrowth } from '../growth.mjs';
import { ask } from '../harness.mjs';

const LIMIT = 20;
const INDEXED_WITHIN_MS = 60 * 60_000;
/** In so many seconds the parts of the index are merged, as they are on a service that has time. */
const MERGED_SECONDS = 15;

const search = (query, limit) => ({
  method: 'POST',
  path: '/api/v1/pro/traces/search',
  body: JSON.stringify({ query, attributes: { outcome_type: 'success' }, limit }),
});

/** Two words of every trace, and an attribute of three in four. */
const common = ['known look', 'came act', 'done step'].map((query) => search(query, LIMIT));
/** Two words of one note in a thousand; the small store has two such traces, so that in both there is one after the answer. */
const rare = Array.from({ length: 100 }, (_, i) => {
  const words = noteOf(3 * 2 ** 30 + 10 * i + 1)
    .slice(0, 200)
    .split(/\W+/)
    .filter((word) => word.length > 6);
  return search(`${words[0]} ${words[1]}`, 1);
});

const figures = [
  { name: 'trace search, two common words and an attribute', requests: () => common },
  { name: 'trace search, two rare words and an attribute', requests: () => rare },
];

/** Waits until the index has the traces that were not sealed through the service, and is at rest. */
async function indexed(harness, store) {
  const service = await harness.service(store, { env: { MEM_TTL_SWEEP_SECONDS: '1' } });
  const end = Date.now() + INDEXED_WITHIN_MS;
  while (!JSON.parse(await ask(service, common[0])).complete) {
    if (Date.now() > end) throw new Error('the index of traces is not complete');
    await sleep(1000);
  }
  await sleep(MERGED_SECONDS * 1000);
  await harness.stopServers();
}

/** Searches among many sealed traces, against the same among few. */
export async function* measureTraceSearch(harness) {
  const { fewTraces, manyTraces } = harness.options;
  const stores = [await harness.traces(fewTraces), await harness.traces(manyTraces)];
  for (const store of stores) await indexed(harness, store);
  yield* measureGrowth(harness, { figures, stores, backend: 'SQLite', what: ' traces' });
}
