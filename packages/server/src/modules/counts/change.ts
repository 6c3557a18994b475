import type { Work } from '../../kernel/index.ts';
import { addCounts, type CountRow, deleteEmptyCounts, refreshEntities, upsertCounts } from './queries.ts';
import { type Change, deltasOf, totalsOf } from './rules.ts';

/** Keeps the counts in step with the entries, in the same transaction. */
export async function changeCounts(work: Work, changes: readonly Change[]): Promise<void> {
  const deltas = deltasOf(changes);
  if (deltas.length === 0) return;
  const { account_id, tx } = work;
  const withAccount = (delta: (typeof deltas)[number]) => ({ account_id, ...delta });
  // Entries that only stand anew are as many as before.
  if (deltas.every(({ n }) => n === 0)) return work.send(tx.insertMany(addCounts, deltas.map(withAccount)));
  const reached = await tx.insertMany<CountRow>(upsertCounts, deltas.map(withAccount));
  const totals = totalsOf(deltas, reached);
  if (totals.length > 0) work.send(tx.insertMany(upsertCounts, totals.map(withAccount)));
}

/** Takes entries out of the counts as if they had never been; they are gone from the tables already. */
export async function forgetCounts(work: Work, branch: string, entries: readonly Change['after'][]): Promise<void> {
  await changeCounts(
    work,
    entries.map((entry) => ({ before: entry, after: { ...entry, deleted: 1 } })),
  );
  const paths = [...new Set(entries.map((entry) => entry.entity_path))];
  await refreshEntities(work.tx, { account_id: work.account_id, branch }, work.dialect.texts(paths));
  await deleteEmptyCounts(work.tx, work.account_id);
}
