import { type AgentEraser, addStored, type Module } from '@mem-service/server/module';
import { handlers } from './handlers.ts';
import { createHooks } from './hooks.ts';
import { migrations } from './migrations.ts';
import { sumDescriptions } from './queries.ts';
import { tables } from './tables.ts';

/** The declaration of the table empties the descriptions. */
const erasesAgent: AgentEraser = {
  async erase(work, { account_id, agent_id }) {
    addStored(work, { storage_bytes: -(await sumDescriptions(work.tx, account_id, agent_id)) });
  },
};

export const tags: Module = { name: 'tags', migrations, tables, erasesAgent, handlers, hooks: createHooks };
