import type { EntryEraser, Module } from '../../kernel/index.ts';
import { collectGolden } from './collect.ts';
import { handlers } from './handlers.ts';
import { migrations } from './migrations.ts';
import { eraseGolden } from './queries.ts';
import { tables } from './tables.ts';

export { retrievalFigures } from './figures.ts';
export { type GoldenQuestion, goldenQueriesNaming } from './offers.ts';
export { type RecentQuestion, recentQuestions } from './recent.ts';
export {
  askableGolden,
  dueForWeights,
  dueGolden,
  type GoldenPair,
  isStale,
  type ReplayedGolden,
  saveReplayed,
  saveWeights,
  sharedGolden,
} from './replays.ts';
export { type FusionWeights, readFittedWeights } from './weights.ts';

const erasesEntries: EntryEraser = {
  async erase({ tx }, erased) {
    await eraseGolden(tx, erased);
    return undefined;
  },
};

/** Questions whose answers are known from outcomes. */
export const golden: Module = {
  name: 'golden',
  migrations,
  tables,
  erasesEntries,
  handlers,
  consumers: [collectGolden],
};
