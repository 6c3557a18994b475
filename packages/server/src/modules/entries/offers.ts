/**
 * What this module offers to the modules that it depends on. Nothing here imports those modules; all other modules import
 * the same functions from `index.ts`.
 */
export * from './by-name.ts';
export * from './by-number.ts';
export { refuseProtected } from './check-draft.ts';
export * from './inherited.ts';
export * from './overlay.ts';
export {
  entriesAt,
  entriesIn,
  entryKeysIn,
  type Including,
  isEntryIn,
  isSeqIn,
  isVersionVisible,
  placesIn,
  shownIn,
  versionsIn,
  withDocuments,
} from './relation.ts';
export { entryNamed } from './relation-by-name.ts';
export { entriesNumbered, isCommitIn, stoodEntriesNumbered } from './relation-look-ups.ts';
export { type EntryRow, entryColumns, type VersionRow } from './rows.ts';
export { addRecalls, upsertNewestLines } from './standings.ts';
export { findStoodHeads, type StoodHead } from './stood-heads.ts';
