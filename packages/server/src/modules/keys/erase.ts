import type { AgentEraser } from '../../kernel/index.ts';
import { listKeysBoundTo, updateAgentIds } from './queries.ts';

/** A key that is bound to an erased agent is bound to the name that replaces it: it can act as nobody else instead. */
export const erasesAgent: AgentEraser = {
  async erase(work, { account_id, agent_id, alias }) {
    const rows = await listKeysBoundTo(work.tx, account_id, agent_id);
    const renamed = rows.map(({ key_id, agent_ids }) => {
      const ids = (JSON.parse(agent_ids) as string[]).map((pattern) => (pattern === agent_id ? alias : pattern));
      return { account_id, key_id, agent_ids: JSON.stringify(ids) };
    });
    if (renamed.length === 0) return;
    await work.tx.updateMany(updateAgentIds, renamed);
    work.afterCommit(() => {
      for (const { key_hash } of rows) work.services.keys.invalidate(key_hash);
    });
  },
};
