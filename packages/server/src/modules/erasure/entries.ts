import {
  addToCounts,
  type CountingWork,
  type EntryErasureCounts,
  type ErasedEntries,
  type Scope,
  type TenantTable,
  type Work,
} from '../../kernel/index.ts';
import { type ErasureTarget, findCounted, findErased } from '../entries/index.ts';
import { markUncompacted } from './compact.ts';
import { type FormerPlaces, formerPlaces } from './former-places.ts';
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

/** On SQLite off the main thread, where a transaction has its own connection. */
export function countingWork({ account_id, dialect, now, services, tx }: Work): CountingWork {
  const isElsewhere = dialect.engine === 'sqlite';
  return { account_id, dialect, now, tx: isElsewhere ? services.database.forAccount(account_id).scan : tx };
}

/** Returns the counts that `eraseEntries` would return, with the former places of what is erased. */
export async function countErased(
  work: Work,
  targets: readonly ErasureTarget[],
  scope: Scope | undefined,
): Promise<EntryErasureCounts> {
  const [target, ...others] = targets;
  if (!target || others.length > 0) return tryErasing(work, targets, scope);
  const counts = nothing();
  const counting = countingWork(work);
  const erased = await findCounted(counting, target);
  for (const part of [erased, ...(await formerPlaces(counting, erased, { scope, receipt_id: '' }))])
    for (const eraser of work.services.erasers.entries) addToCounts(counts, await eraser.count?.(counting, part));
  return counts;
}

/** Over several branches a row may belong to more than one of them, and only what erases it knows that it counts once. */
async function tryErasing(
  work: Work,
  targets: readonly ErasureTarget[],
  scope: Scope | undefined,
): Promise<EntryErasureCounts> {
  const mark = work.mark();
  let counts = nothing();
  const undone = new Error('undone');
  const trying = work.tx.savepoint(async () => {
    const parts = withFormerPlaces(work, findErased(work, targets, ''), { scope, receipt_id: '' });
    counts = (await eraseEntries(work, parts)).erased;
    await work.waitForSent();
    throw undone;
  });
  await trying.catch((error: unknown) => {
    if (error !== undone) throw error;
  });
  work.reset(mark);
  return counts;
}

/** Each part, and the former places of what it names. */
export async function* withFormerPlaces(
  work: Work,
  parts: AsyncIterable<ErasedEntries>,
  places: FormerPlaces,
): AsyncGenerator<ErasedEntries> {
  for await (const part of parts) {
    const former = await formerPlaces(work, part, places);
    yield part;
    yield* former;
  }
}

export type ErasedParts = AsyncIterable<ErasedEntries> | Iterable<ErasedEntries>;

/** Erases entries and everything that refers to them, part by part: each module erases them from its own tables. */
export async function eraseEntries(
  work: Work,
  parts: ErasedParts,
): Promise<{ erased: EntryErasureCounts; isPrivate: boolean }> {
  const erased = nothing();
  let isPrivate = true;
  for await (const part of parts) {
    isPrivate &&= part.heads.every(({ shared }) => shared === 0);
    for (const table of work.services.tables) await eraseNames(work, table, part);
    for (const eraser of work.services.erasers.entries) addToCounts(erased, await eraser.erase(work, part));
  }
  if (work.dialect.engine === 'sqlite') await markUncompacted(work.tx);
  return { erased, isPrivate: isPrivate && erased.entries > 0 };
}

/** Follows the declaration of a table. */
async function eraseNames(work: Work, { table, entries = {} }: TenantTable, erased: ErasedEntries): Promise<void> {
  const of = (done: string) => Object.keys(entries).filter((column) => entries[column] === done);
  if (of('delete the row').length > 0) await deleteNamed(work.tx, { table, hasKey: 'key' in entries }, erased);
  else if (of('set to null').length > 0)
    await blankNames(work.tx, { table, hasKey: 'key' in entries, columns: of('set to null') }, erased);
}
