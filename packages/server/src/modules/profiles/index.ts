import { type AgentEraser, addStored, bytesOfTexts, type Module } from '../../kernel/index.ts';
import { defaultBranchHooks } from './default-branch.ts';
import { getProfile, textsOfProfile } from './queries.ts';
import { tables } from './tables.ts';

export * from './queries.ts';

/** The declaration of the table deletes the profile of an agent. */
const erasesAgent: AgentEraser = {
  async erase(work, { account_id, agent_id }) {
    const row = await getProfile(work.tx, account_id, agent_id);
    if (row) addStored(work, { storage_bytes: -bytesOfTexts(textsOfProfile(row)) });
  },
};

/** What was declared about agents. Its operations belong to the module `agents`. */
export const profiles: Module = {
  name: 'profiles',
  migrations: [],
  tables,
  erasesAgent,
  handlers: {},
  hooks: defaultBranchHooks,
};
