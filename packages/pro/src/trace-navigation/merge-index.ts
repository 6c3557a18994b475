import { giveWay, type MaintenanceTask, mergeWords } from '@mem-service/server/module';
import { wordIndexes } from './tables.ts';

/** The size of a step, a transaction of a millisecond or two. */
const PAGES_PER_STEP = 16;
/** Other tasks wait for a run: what is left is for the next one. */
const STEPS_PER_RUN = 300;
/** A rest between two steps is short: a service that stops waits for it. */
const NEVER = new AbortController().signal;

/**
 * Merges what indexing has left in parts: a search looks into each of them for each of its words. Of each size at most one part is
 * left, so a trace is written again as often as the index has doubled since.
 */
export const mergeIndex: MaintenanceTask = {
  name: 'trace-navigation.merge_index',
  only_on: 'sqlite',
  async run({ services: { database } }, isStopping) {
    for (const { table } of wordIndexes)
      for (let step = 0; step < STEPS_PER_RUN && !isStopping(); step++) {
        const started = performance.now();
        const isMore = await database.maintenanceTransaction((tx) => mergeWords(tx, table, PAGES_PER_STEP));
        if (!isMore) break;
        await giveWay(performance.now() - started, NEVER);
      }
  },
};
