import type { EntryEraser, Module } from '../../kernel/index.ts';
import { collectGolden } from './collect.ts';
import { handlers } from './handlers.ts';
import { migrations } from './migrations.ts';
import { eraseGolden } from './queries.ts';
import { tables } from './tables.ts';

export { type GoldenQuestion, goldenQueriesNaming } from './offers.ts';

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
