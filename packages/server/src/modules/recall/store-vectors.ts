import { hasOnlySince, type LogPosition, type Work } from '../../kernel/index.ts';
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
  /** Where the log ended before the heads were read. */
  since?: LogPosition | undefined;
};

/** Replaces the vectors of one embedder. What was written or erased since then is left to its own event, or to nobody. */
export async function storeVectors(work: Work, { written, parts, embedder, since }: NewVectors): Promise<void> {
  const { tx, dialect, account_id } = work;
  const same = await unchangedOf(work, written, since);
  if (same.length === 0) return;
  const ids = dialect.numbers(same.map(({ entry_id }) => entry_id));
  const removed = await listIndexed(tx, account_id, { ids, embedder, after: undefined, most: MAX_REPLACED });
  if (removed.length > 0) await deleteVectors(tx, account_id, { ids, embedder });
  const rows = rowsOf(account_id, same, { parts, embedder });
  if (rows.length > 0) await tx.insertMany(insertVectors, rows);
  await changeIndex(work, { removed, added: rows });
}

/** The heads that are still what they were. */
async function unchangedOf(
  { tx, account_id, start }: Work,
  written: readonly NamedHead[],
  since: LogPosition | undefined,
): Promise<readonly NamedHead[]> {
  if (since && (await hasOnlySince(tx, account_id, { from: since, to: start.seq, types: ['brief_compiled'] })))
    return written;
  const current = await findEntriesByNumber(tx, account_id, written);
  return written.filter(({ seq }, at) => current[at]?.seq === seq);
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
    return (byEntry.get(entry_id) ?? []).map(({ part, cluster, vector }) => {
      return { account_id, entry_id, part, branch, seq, embedder, cluster, owner, vector };
    });
  });
}
