import { type AgentEraser, addStored, type EntryEraser } from '@mem-service/server/module';
import * as queries from './erase-queries.ts';

/** Deletes reviews of erased entries. */
export const erasesEntries: EntryEraser = {
  async erase(work, erased) {
    addStored(work, { storage_bytes: -(await queries.sumReviewsAbout(work.tx, erased)) });
    await queries.deleteReviewsAbout(work.tx, erased);
    return undefined;
  },
};

/** The declarations of the tables empty the texts. */
export const erasesAgent: AgentEraser = {
  async erase(work, agent) {
    addStored(work, { storage_bytes: -(await queries.sumOfAgent(work.tx, agent)) });
  },
};
