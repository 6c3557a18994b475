import type { AgentEraser, EntryEraser } from '../../kernel/index.ts';
import { forgetAgent, forgetPaths } from './queries.ts';

export const erasesEntries: EntryEraser = {
  async erase({ tx, account_id }, { heads }) {
    const paths = heads.map(({ entity_path }) => entity_path);
    await forgetPaths(tx, account_id, paths);
    return undefined;
  },
};

export const erasesAgent: AgentEraser = {
  async erase({ tx, account_id }, { agent_id }) {
    await forgetAgent(tx, account_id, agent_id);
  },
};
