import { addStored, bytesOfTexts, EVERYONE, MAIN_BRANCH, type Work } from '../../kernel/index.ts';
import { edgeIdOf } from './erase.ts';
import { deleteEdgesToName, type EdgeRow, listEdgesToNames, renameStatements, upsertEdges } from './queries.ts';
import { entryNode, textsOfEdge } from './rules/edges.ts';

/** A new entry, by the name that edges may have been stated to before it was there. */
export type NewEntry = { name: string; entry_id: number };

/** Leads edges to names on to the entries that have these names now, and are erased with them. */
export async function linkAwaited(work: Work, entries: readonly NewEntry[]): Promise<void> {
  const { account_id, dialect, tx } = work;
  const numbers = new Map(entries.map(({ name, entry_id }) => [name, entry_id]));
  const at = { account_id, branch: MAIN_BRANCH, visible_to: EVERYONE };
  const awaiting = await listEdgesToNames(tx, { ...at, names: dialect.texts([...numbers.keys()]) });
  if (awaiting.length === 0) return;
  const led = awaiting.map(
    (edge): EdgeRow => ({ ...edge, target_type: 'entry', target: entryNode(numbers.get(edge.target) ?? 0) }),
  );
  const bytesOf = (edges: readonly EdgeRow[]) => bytesOfTexts(edges.flatMap(textsOfEdge));
  addStored(work, { storage_bytes: bytesOf(led) - bytesOf(awaiting) });
  await tx.insertMany(upsertEdges, led);
  for (const [i, edge] of awaiting.entries()) {
    const [from, to] = [edgeIdOf(edge), edgeIdOf(led[i] as EdgeRow)];
    await renameStatements(tx, { account_id, from, to });
  }
  for (const target of new Set(awaiting.map((edge) => edge.target))) await deleteEdgesToName(tx, { ...at, target });
}
