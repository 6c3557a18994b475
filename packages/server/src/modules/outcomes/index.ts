import type { Module } from '../../kernel/index.ts';
import { commit } from './commit-handler.ts';
import { migrations } from './migrations.ts';
import { readHandlers } from './reads.ts';

export { commitTogether } from './commit.ts';
export { isSuccess, parseOutcomeType } from './rules/outcome-types.ts';
export { type SharedEvidence, shareEvidence } from './share-evidence.ts';

export const outcomes: Module = {
  name: 'outcomes',
  migrations,
  handlers: { 'outcomes.commit': commit, ...readHandlers },
};
