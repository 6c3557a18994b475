import { type Hooks, MAIN_BRANCH } from '@mem-service/server/module';
import { branchClosed } from './changes.ts';
import { KnownAccounts } from './known-accounts.ts';
import { getBranch } from './queries.ts';
import { findRef, lineageOf } from './resolve.ts';
import { parseRef } from './rules/refs.ts';

export const createHooks = (): Hooks => {
  const known = new KnownAccounts();
  return {
    ...lineages,
    hasBranches: (context) => known.has(context),
    committed(events, accountId) {
      if (events.some(({ event_type }) => event_type === 'branch_created')) known.drop(accountId);
    },
  };
};

const lineages: Hooks = {
  async lineage(branch, context) {
    const ref = parseRef(branch);
    // Whether a branch had a state at a place is for those to know who may read it.
    if ((ref?.kind === 'seq' || ref?.kind === 'time') && ref.branch !== MAIN_BRANCH) {
      if (!(await getBranch(context.read, context.account_id, ref.branch))) return undefined;
      await context.services.branchAccess.require(context.caller, ref.branch, 'read');
    }
    const found = await findRef(context, branch);
    return found?.lineage;
  },

  async lineageInWork(branch, work) {
    const row = await getBranch(work.tx, work.account_id, branch);
    if (!row) return undefined;
    if (row.status !== 'active') throw branchClosed(row);
    if (row.is_protected === 1) work.protectedBranches.add(branch);
    return lineageOf(row);
  },
};
