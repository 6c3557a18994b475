import { TRACED_ENTRIES } from '../corpus.mjs';
import { measureGrowth } from '../growth.mjs';
import { commitOutcomes, listTraces, listTracesOf } from '../requests.mjs';

const figures = [
  { name: 'trace page (50)', requests: () => listTraces },
  { name: 'trace page (50), of one agent', requests: () => listTracesOf },
  { name: 'outcome of 10 entries', requests: () => commitOutcomes(TRACED_ENTRIES) },
];

/** Pages of sealed traces in a large store, against a small one. */
export async function* measureTraces(harness) {
  const { fewTraces, manyTraces } = harness.options;
  const stores = [await harness.traces(fewTraces), await harness.traces(manyTraces)];
  yield* measureGrowth(harness, { figures, stores, backend: 'SQLite', what: ' traces' });
}
