import { measureGrowth } from '../growth.mjs';
import { explainSession, listAgents, readOldTimeline, readTimeline } from '../requests.mjs';

const figures = [
  { name: 'explain an open session (10 reads)', requests: () => explainSession },
  { name: 'timeline page (100)', requests: () => readTimeline },
  { name: 'timeline page (100), of an agent long gone', requests: () => readOldTimeline },
  { name: 'agents (21)', requests: () => listAgents },
];

/** Operations on a long log, against the same on a short one. */
export async function* measureEvents(harness) {
  const { small, large } = harness.options;
  const stores = [await harness.events(small), await harness.events(large)];
  yield* measureGrowth(harness, { figures, stores, backend: 'SQLite', what: ' events' });
}
