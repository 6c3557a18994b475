import type { Module } from '@mem-service/server/module';
import { handlers } from './handlers.ts';

export { type AttributedFailures, attributeRuns, type NumberedSuspect, type SuspectMemory } from './attribute.ts';
export { type LedgerOfVersion, ledgerOf } from './ledger.ts';
export { loadReadSets, type RunWithReads, versionIn, versionName } from './read-sets.ts';

/** The memory behind failures. */
export const attribution: Module = { name: 'attribution', migrations: [], handlers };
