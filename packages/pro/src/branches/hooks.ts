import type { Hooks } from '@mem-service/server/module';
import { findRef } from './resolve.ts';

export const createHooks = (): Hooks => ({
  async lineage(branch, context) {
    const found = await findRef(context, branch);
    return found?.lineage;
  },
});
