import type { Module } from '@mem-service/server/module';
import { decideHandlers } from './decide.ts';
import { followBranches } from './follow-branches.ts';
import { migrations } from './migrations.ts';
import { policyHandlers } from './policy.ts';
import { proposeHandlers } from './propose.ts';
import { readHandlers } from './reads.ts';
import { tables } from './tables.ts';

/** Repairs of memory on branches of their own, and whether they held. */
export const fixes: Module = {
  name: 'fixes',
  migrations,
  tables,
  handlers: { ...proposeHandlers, ...decideHandlers, ...readHandlers, ...policyHandlers },
  consumers: [followBranches],
};
