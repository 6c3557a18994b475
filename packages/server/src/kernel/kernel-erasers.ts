import { pause } from '../turns.ts';
import { hashOfAgent, hashOfEntry } from './answer-names.ts';
import { entryName } from './entry-name.ts';
import type { AgentEraser, EntryEraser } from './erasers.ts';
import * as queries from './kernel-eraser-queries.ts';
import type { EntryHead } from './projection.ts';

async function hashesOf(heads: readonly EntryHead[]): Promise<string[]> {
  const hashes: string[] = [];
  for (const head of heads) {
    hashes.push(hashOfEntry(head));
    await pause();
  }
  return hashes;
}

/** Removes entries from the log, the audit trail and the stored answers. */
export const kernelErasesEntries: EntryEraser = {
  async count({ tx, account_id, dialect }, erased) {
    const log_events = await queries.countOtherEvents(tx, erased);
    // An erasure of nothing voids no answer.
    if (erased.heads.length === 0) return { log_events };
    const names = dialect.texts(await hashesOf(erased.heads));
    return { log_events, stored_answers: await queries.countAnswersNaming(tx, account_id, names) };
  },
  async erase({ tx, account_id, dialect }, erased) {
    await queries.redactAudit(
      tx,
      erased,
      dialect.texts(erased.heads.map(({ entity_path, key }) => entryName(entity_path, key))),
    );
    const log_events = await queries.redactEvents(tx, erased);
    if (erased.heads.length === 0) return { log_events };
    const names = dialect.texts(await hashesOf(erased.heads));
    return { log_events, stored_answers: await queries.eraseAnswersNaming(tx, account_id, names) };
  },
};

export const kernelErasesAgent: AgentEraser = {
  async erase({ tx, dialect }, agent) {
    await queries.renameInAudit(tx, agent);
    await queries.redactAudit(tx, agent, dialect.texts([agent.agent_id]));
    await queries.eraseAnswersNaming(tx, agent.account_id, dialect.texts([hashOfAgent(agent.agent_id)]));
  },
};
