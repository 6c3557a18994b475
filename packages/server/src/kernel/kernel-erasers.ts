import { entryName } from './entry-name.ts';
import type { AgentEraser, EntryEraser } from './erasers.ts';
import * as queries from './kernel-eraser-queries.ts';

/** Removes entries from the log, the audit trail and the stored answers. */
export const kernelErasesEntries: EntryEraser = {
  async count({ tx }, erased) {
    return {
      log_events: await queries.countReadEvents(tx, erased),
      stored_answers: await queries.countAnswers(tx, erased),
    };
  },
  async erase({ tx, dialect }, erased) {
    await queries.redactAudit(
      tx,
      erased,
      dialect.texts(erased.heads.map(({ entity_path, key }) => entryName(entity_path, key))),
    );
    return {
      log_events: await queries.redactEvents(tx, erased),
      stored_answers: await queries.deleteAnswers(tx, erased),
    };
  },
};

export const kernelErasesAgent: AgentEraser = {
  async erase({ tx, dialect }, agent) {
    await queries.renameInAudit(tx, agent);
    await queries.redactAudit(tx, agent, dialect.texts([agent.agent_id]));
    await queries.deleteAnswersNaming(tx, agent);
  },
};
