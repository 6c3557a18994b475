import type { Module } from '../../kernel/index.ts';
import { analysisHandlers } from './analysis.ts';
import { erasesAgent, erasesEntries } from './erase/index.ts';
import { sweepExpired } from './expiry.ts';
import { migrations } from './migrations.ts';
import { readHandlers } from './reads.ts';
import { tables } from './tables.ts';
import { writeHandlers } from './writes.ts';

export { EntrySet } from './apply.ts';
export { type AuthoredRow, getAuthored } from './authored.ts';
export {
  type ChangedHead,
  findEarlierVersions,
  listAuthoredHeads,
  listChangedHeads,
  newestChangeOn,
  rangeOfChanges,
} from './changed.ts';
export { refuseProtected } from './check-draft.ts';
export { checkWrites } from './check-write.ts';
export {
  type CommittedName,
  type ComparedRow,
  findComparedIn,
  findVersionTexts,
  listCommittedNames,
  type VersionText,
} from './compared.ts';
export { countChanged } from './count-changed.ts';
export { documentsInOrder, findVersionSizes } from './documents-in-order.ts';
export { confidenceWithin, fadedConfidence, fadedMember } from './effective.ts';
export {
  type AuthoredEntry,
  countVersionsOf,
  type ErasureTarget,
  erasedEntries,
  findCounted,
  findErased,
  listAuthored,
  listHeadsNamed,
  newestLeft,
  targetsOf,
} from './erase/index.ts';
export type { EntryPlace } from './inherited-rows.ts';
export { liveEntries } from './live-entries.ts';
export * from './offers.ts';
export { prepareWrites } from './prepare.ts';
export { projectionConsumer, withProjectionConsumers } from './projection-consumer.ts';
export { restoreQuarantined, setQuarantine } from './quarantine.ts';
export {
  countLiveEntries,
  type EntryKey,
  type EntryRowKey,
  findEntriesIn,
  getLiveEntry,
  headStatements,
} from './queries.ts';
export { contentHash, fromDocument, quarantinedMember, toEntry, toVersion } from './rows.ts';
export { isArtifact } from './rules/artifact.ts';
export { type EvidenceStatus, evidenceRank, evidenceSignal, evidenceStatus } from './rules/evidence.ts';
export { type EntryDraft, isLive, mayAgentSee } from './rules/next.ts';
export { mayHoldSecret, newScanBudget, secretsInEntry } from './rules/secrets.ts';
export { isQuarantined } from './rules/state.ts';
export { rawValue, shortValue } from './short-value.ts';
export { type Standing, standingOf, UNTOUCHED } from './standing.ts';
export { findFirstVersions } from './version-queries.ts';
export { authorOf, checkUnchanged, staleReadsInScope, staleReadsOf, toDraft } from './writes.ts';

export const entries: Module = {
  name: 'entries',
  migrations,
  tables,
  erasesEntries,
  erasesAgent,
  handlers: { ...readHandlers, ...writeHandlers, ...analysisHandlers },
  maintenance: [{ name: 'entries.expire', run: sweepExpired }],
};
export type { EntryAddress } from './rows.ts';
export { getVersion } from './version-queries.ts';
export { createWordsView } from './words-view.ts';
