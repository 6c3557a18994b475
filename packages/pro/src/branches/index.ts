import { type AgentEraser, addStored, type Module } from '@mem-service/server/module';
import { handlers } from './handlers.ts';
import { createHooks } from './hooks.ts';
import { migrations } from './migrations.ts';
import { sumDescriptions } from './queries.ts';
import { tables } from './tables.ts';

export { branchClosed, changeBranch, closeBranch } from './changes.ts';
export { createBranch } from './create.ts';
export {
  type BranchRow,
  type BranchStatus,
  getBranch,
  getProtection,
  listActiveAfter,
  listCreatedBy,
} from './queries.ts';
export { toProtection } from './render.ts';
export { findRef, lineageOf, noBranch, type RefSource, type ResolvedRef, resolveRef, stateAt } from './resolve.ts';
export { parseRef, type Ref } from './rules/refs.ts';

/** The declaration of the table empties the descriptions. */
const erasesAgent: AgentEraser = {
  async erase(work, { account_id, agent_id }) {
    addStored(work, { storage_bytes: -(await sumDescriptions(work.tx, account_id, agent_id)) });
  },
};

/** Lines of memory of their own that begin as the memory of their parent. */
export const branches: Module = { name: 'branches', migrations, tables, erasesAgent, handlers, hooks: createHooks };
