import {
  addToCounts,
  type EntryErasureCounts,
  type ErasedEntries,
  type TenantTable,
  type Work,
} from '../../kernel/index.ts';
import { markUncompacted } from './compact.ts';
import { blankNames, deleteNamed } from './queries.ts';

const nothing = (): EntryErasureCounts => ({
  entries: 0,
  versions: 0,
  index_rows: 0,
  log_events: 0,
  stored_answers: 0,
  commits: 0,
  session_records: 0,
  evidence: 0,
  trace_parts: 0,
  edges: 0,
});

/** Returns the counts that `eraseEntries` would return. */
export async function countErased(work: Work, erased: ErasedEntries): Promise<EntryErasureCounts> {
  const counts = nothing();
  for (const eraser of work.services.erasers.entries) addToCounts(counts, await eraser.count?.(work, erased));
  return counts;
}

/** Erases entries and everything that refers to them: each module erases them from its own tables. */
export async function eraseEntries(work: Work, erased: ErasedEntries): Promise<EntryErasureCounts> {
  const counts = nothing();
  for (const table of work.services.tables) await eraseNames(work, table, erased);
  for (const eraser of work.services.erasers.entries) addToCounts(counts, await eraser.erase(work, erased));
  if (work.dialect.engine === 'sqlite') await markUncompacted(work.tx);
  return counts;
}

/** Follows the declaration of a table. */
async function eraseNames(work: Work, { table, entries = {} }: TenantTable, erased: ErasedEntries): Promise<void> {
  const of = (done: string) => Object.keys(entries).filter((column) => entries[column] === done);
  if (of('delete the row').length > 0) await deleteNamed(work.tx, { table, hasKey: 'key' in entries }, erased);
  else if (of('set to null').length > 0)
    await blankNames(work.tx, { table, hasKey: 'key' in entries, columns: of('set to null') }, erased);
}
