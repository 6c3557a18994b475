import type { EntryChange, ErasedEntries, Projection, Work } from '../../kernel/index.ts';
import { addCounts, type CountRow, deleteEmptyCounts, refreshEntities, upsertCounts } from './queries.ts';
import { type CountDelta, deltasOf, standingDeltasOf, totalsOf } from './rules.ts';

const withAccount = ({ account_id }: Work, deltas: readonly CountDelta[]) =>
  deltas.map((delta) => ({ account_id, ...delta }));

async function change(work: Work, changes: readonly Pick<EntryChange, 'before' | 'after'>[]): Promise<void> {
  const deltas = deltasOf(changes);
  if (deltas.length === 0) return;
  const { tx } = work;
  // Changed entries do not change the numbers of names.
  if (deltas.every(({ n }) => n === 0)) return work.send(tx.insertMany(addCounts, withAccount(work, deltas)));
  const reached = await tx.insertMany<CountRow>(upsertCounts, withAccount(work, deltas));
  const totals = totalsOf(deltas, reached);
  if (totals.length > 0) work.send(tx.insertMany(upsertCounts, withAccount(work, totals)));
}

/** Subtracts erased entries from the counts. */
async function erase(work: Work, erased: ErasedEntries): Promise<undefined> {
  const { heads } = erased;
  await change(
    work,
    heads.map((head) => ({ before: head, after: { ...head, deleted: 1 } })),
  );
  const paths = [...new Set(heads.map((head) => head.entity_path))];
  await refreshEntities(work.tx, erased, work.dialect.texts(paths));
  await deleteEmptyCounts(work.tx, work.account_id);
}

/** Counts entries per path, agent, type and pattern, in the same transaction as the entries. */
export const countsOfEntries: Projection = {
  name: 'counts',
  tables: ['counts'],
  apply: change,
  applyQuarantine: change,
  applyStandings(work, changes) {
    const deltas = standingDeltasOf(changes);
    if (deltas.length > 0) work.send(work.tx.insertMany(addCounts, withAccount(work, deltas)));
  },
  erase,
};
