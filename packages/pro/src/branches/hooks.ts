import type { Hooks } from '@mem-service/server/module';
import { branchClosed } from './changes.ts';
import { getBranch } from './queries.ts';
import { findRef, lineageOf } from './resolve.ts';

export const createHooks = (): Hooks => ({
  async lineage(branch, context) {
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
});
