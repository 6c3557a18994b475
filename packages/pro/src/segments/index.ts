import type { Module } from '@mem-service/server/module';
import { handlers } from './handlers.ts';

export { segmentsOf } from './handlers.ts';
export { causesOfRuns, readsOfRuns } from './reads-of-runs.ts';
export { type CutRun, dimensionsOf, valuesIn } from './rules/dimensions.ts';
export { type CollectedRuns, collectMatched, collectRuns, hasFailed, type RunsAsked, type TracedRun } from './runs.ts';

/** How often runs fail, cut by what they have in common. */
export const segments: Module = { name: 'segments', migrations: [], handlers };
