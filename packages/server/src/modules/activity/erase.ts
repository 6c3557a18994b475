import type { AgentEraser, EntryEraser } from '../../kernel/index.ts';
import { deletePaths, eraseAgentUsage, listPaths } from './queries.ts';
import { namesOver } from './rules/forgotten.ts';

export const erasesEntries: EntryEraser = {
  async erase({ tx, account_id, dialect }, { heads }) {
    const paths = heads.map(({ entity_path }) => entity_path);
    const names = namesOver(await listPaths(tx, account_id), paths);
    if (names.length > 0) await deletePaths(tx, account_id, dialect.texts(names));
    return undefined;
  },
};

export const erasesAgent: AgentEraser = {
  async erase({ tx, account_id }, { agent_id }) {
    await eraseAgentUsage(tx, account_id, agent_id);
  },
};
