import { hash } from 'node:crypto';
import { EVERYONE, type Work } from '../../kernel/index.ts';
import { deleteEdgesOf, deleteStatements, type Erased, listEdgesOf } from './queries.ts';
import { type Edge, entryNode } from './rules/edges.ts';

/** Made of what tells edges apart; an entry is in it by its number, so that it outlives no name. */
export function edgeIdOf(edge: Edge): string {
  const { branch, source_type, source, visible_to, relation, target_type, target } = edge;
  const parts = [branch, source_type, source, visible_to, relation, target_type, target];
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22);
}

/** On whose behalf entries go, and from which branch. */
type Eraser = { branch: string; agent_id: string };

const erasedOf = ({ account_id, dialect }: Work, { branch }: Eraser, entryIds: readonly number[]): Erased => ({
  account_id,
  branch,
  nodes: dialect.texts(entryIds.map(entryNode)),
});

/** Nobody learns from a count what others keep to themselves. */
const countSeen = (edges: readonly Edge[], { agent_id }: Eraser) =>
  edges.filter(({ visible_to }) => visible_to === EVERYONE || visible_to === agent_id).length;

/** How many edges `forgetEdges` would say it has removed. */
export async function countEdges(work: Work, eraser: Eraser, entryIds: readonly number[]): Promise<number> {
  return countSeen(await listEdgesOf(work.tx, erasedOf(work, eraser, entryIds)), eraser);
}

/** Removes every edge that ends at one of the entries, whoever sees it, and what the log says of it. */
export async function forgetEdges(work: Work, eraser: Eraser, entryIds: readonly number[]): Promise<number> {
  const { tx, account_id, dialect } = work;
  const erased = erasedOf(work, eraser, entryIds);
  const edges = await listEdgesOf(tx, erased);
  await deleteStatements(tx, account_id, dialect.texts(edges.map(edgeIdOf)));
  await deleteEdgesOf(tx, erased);
  return countSeen(edges, eraser);
}
