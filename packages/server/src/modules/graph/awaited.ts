import { EVERYONE, MAIN_BRANCH, type Work } from '../../kernel/index.ts';
import { listEdgesToNames, upsertEdges } from './queries.ts';
import { entryNode, mergeEdges } from './rules/edges.ts';
import { toRow } from './stored-edges.ts';

/** A new entry, by the name that edges may have been stated to before it was there. */
export type NewEntry = { name: string; entry_id: number };

/** Leads edges to names on to the entries that have these names now. */
export async function linkAwaited(work: Work, entries: readonly NewEntry[]): Promise<void> {
  const { account_id, dialect, tx } = work;
  const numbers = new Map(entries.map(({ name, entry_id }) => [name, entry_id]));
  const names = dialect.texts([...numbers.keys()]);
  const awaiting = await listEdgesToNames(tx, { account_id, branch: MAIN_BRANCH, visible_to: EVERYONE, names });
  if (awaiting.length === 0) return;
  const found = awaiting.map(({ account_id: _, first_seen: __, last_seen: ___, ...edge }) => ({
    ...edge,
    target_type: 'entry' as const,
    target: entryNode(numbers.get(edge.target) ?? 0),
    evidence_count: 1,
  }));
  const rows = mergeEdges(found).map((edge) => toRow(work, edge));
  work.send(tx.insertMany(upsertEdges, rows));
}
