import { type AgentEraser, addStored, type EntryEraser } from '@mem-service/server/module';
import * as queries from './erase-queries.ts';

/** Deletes conflicts about erased entries, and empties the messages of merges that wrote nothing else. */
export const erasesEntries: EntryEraser = {
  async erase(work, erased) {
    const { tx } = work;
    const bytes = (await queries.sumConflictsAbout(tx, erased)) + (await queries.sumEmptiedMessages(tx, erased));
    addStored(work, { storage_bytes: -bytes });
    await queries.deleteConflictsAbout(tx, erased);
    await queries.emptyMessages(tx, erased);
    return undefined;
  },
};

/** The declarations of the tables delete the conflicts and empty the messages. */
export const erasesAgent: AgentEraser = {
  async erase(work, agent) {
    addStored(work, { storage_bytes: -(await queries.sumOfAgent(work.tx, agent)) });
  },
};
