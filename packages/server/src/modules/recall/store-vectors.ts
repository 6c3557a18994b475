import type { Work } from '../../kernel/index.ts';
import { findEntriesByNumber, type NamedHead } from '../entries/index.ts';
import { deleteVectors, type IndexedVector, insertVectors, listIndexed } from './queries.ts';
import type { EmbeddedPart } from './stored-part.ts';
import { changeIndex } from './vector-index.ts';
import { ownerNumber, SHARED } from './vector-names.ts';

/** More than the passages of a batch of entries. */
const MAX_REPLACED = 100_000;

export type NewVectors = {
  /** Heads as they were when they were embedded. */
  written: readonly NamedHead[];
  parts: readonly EmbeddedPart[];
  embedder: number;
};

/** Replaces the vectors of one embedder. What was written or erased since then is left to its own event, or to nobody. */
export async function storeVectors(work: Work, { written, parts, embedder }: NewVectors): Promise<void> {
  const { tx, dialect, account_id } = work;
  const current = await findEntriesByNumber(tx, account_id, written);
  const same = written.filter(({ seq }, at) => current[at]?.seq === seq);
  if (same.length === 0) return;
  const ids = dialect.numbers(same.map(({ entry_id }) => entry_id));
  const removed = await listIndexed(tx, account_id, { ids, embedder, after: undefined, most: MAX_REPLACED });
  if (removed.length > 0) await deleteVectors(tx, account_id, { ids, embedder });
  const rows = rowsOf(account_id, same, { parts, embedder });
  if (rows.length > 0) await tx.insertMany(insertVectors, rows);
  await changeIndex(work, { removed, added: rows });
}

function rowsOf(
  account_id: string,
  written: readonly NamedHead[],
  { parts, embedder }: Pick<NewVectors, 'parts' | 'embedder'>,
): (IndexedVector & { account_id: string; seq: number })[] {
  const byEntry = new Map<number, EmbeddedPart[]>();
  for (const part of parts) {
    const known = byEntry.get(part.entry_id);
    if (known) known.push(part);
    else byEntry.set(part.entry_id, [part]);
  }
  return written.flatMap(({ entry_id, branch, seq, shared, agent_id }) => {
    const owner = shared === 1 ? SHARED : ownerNumber(agent_id);
    return (byEntry.get(entry_id) ?? []).map(({ part, cluster, vector }) => ({
      ...{ account_id, entry_id, part, branch, seq, embedder, cluster, owner, vector },
    }));
  });
}
