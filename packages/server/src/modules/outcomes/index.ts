import type { Module } from '../../kernel/index.ts';
import { commit } from './commit-handler.ts';
import { listStaleReads } from './list-stale.ts';
import { migrations } from './migrations.ts';
import { readHandlers } from './reads.ts';
import { tables } from './tables.ts';

export { commitTogether } from './commit.ts';
export { countVerdicts, type VerdictsOnTrace, type WeighedVerdict } from './count-verdicts.ts';
export { measureCalibration } from './measure-calibration.ts';
export { FAILURE_TYPES, isSuccess, parseOutcomeType } from './rules/outcome-types.ts';
export { type SharedEvidence, shareEvidence } from './share-evidence.ts';

export const outcomes: Module = {
  name: 'outcomes',
  migrations,
  tables,
  handlers: { 'outcomes.commit': commit, 'stale_reads.list': listStaleReads, ...readHandlers },
};
