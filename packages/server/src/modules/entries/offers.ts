/**
 * What the owner of `entries` and `versions` offers to modules that it uses itself. It imports none of them; everybody else
 * finds the same in `index.ts`.
 */
export * from './by-name.ts';
export * from './by-number.ts';
export {
  entriesIn,
  type Including,
  isCommitIn,
  isEntryIn,
  isSeqIn,
  isVersionVisible,
  placesIn,
  shownIn,
  versionsIn,
} from './relation.ts';
export { type EntryRow, entryColumns } from './rows.ts';
