import { type AgentEraser, addStored, type EntryEraser } from '../../../kernel/index.ts';
import { deleteWordsOfTraces } from '../age/index.ts';
import * as queries from './queries.ts';

export const erasesEntries: EntryEraser = {
  count: async ({ tx }, erased) => ({ trace_parts: await queries.countTraceItems(tx, erased) }),
  async erase(work, erased) {
    const { tx } = work;
    addStored(work, { storage_bytes: -(await queries.sumTraceItems(tx, erased)) });
    return { trace_parts: await queries.eraseTraceItems(tx, erased) };
  },
};

/** Erases what belongs to the agent's traces; the declaration of the tables covers the traces themselves. */
export const erasesAgent: AgentEraser = {
  async erase(work, agent) {
    addStored(work, { storage_bytes: -(await queries.sumTracesOf(work.tx, agent)) });
    if (work.dialect.engine === 'sqlite') await deleteWordsOfTraces(work, await queries.listTraceSeqs(work.tx, agent));
    await queries.deleteItemsOf(work.tx, agent);
  },
};
