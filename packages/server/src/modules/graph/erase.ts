import { hash } from 'node:crypto';
import { EVERYONE, viewInWork, type Work } from '../../kernel/index.ts';
import { readLines } from './ledger.ts';
import {
  deleteAgentEdges,
  deleteEdgesOf,
  deleteStatements,
  type Erased,
  listAgentEdges,
  listEdgesOf,
  listSeqsOf,
} from './queries.ts';
import { type Edge, edgeKey, entryNode } from './rules/edges.ts';
import { toldEdges } from './rules/told-edges.ts';

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
const isSeen =
  ({ agent_id }: Eraser) =>
  (edge: Edge) =>
    edge.visible_to === EVERYONE || edge.visible_to === agent_id;

type Gone = { erased: Erased; entryIds: readonly number[]; stored: readonly Edge[] };

/** Those that are stored, and those that the ledger tells. */
async function countSeen(work: Work, eraser: Eraser, { erased, entryIds, stored }: Gone): Promise<number> {
  const { branch, agent_id } = eraser;
  const view = viewInWork(work, { lineage: [{ branch, up_to_seq: null }], agent_id });
  const seqs = (await listSeqsOf(work.tx, erased)).map(({ seq }) => seq);
  const store = { query: work.tx, dialect: work.dialect };
  const nodes = new Set(entryIds.map(entryNode));
  const isOfThem = ({ source, source_type, target, target_type }: Edge) =>
    (source_type === 'entry' && nodes.has(source)) || (target_type === 'entry' && nodes.has(target));
  const seen = new Set(stored.filter(isSeen(eraser)).map(edgeKey));
  for (let at = 0; at < seqs.length; at += OUTCOMES_AT_ONCE) {
    const some = seqs.slice(at, at + OUTCOMES_AT_ONCE);
    const { lines } = await readLines(store, view, { seqs: some, most: Number.POSITIVE_INFINITY });
    for (const [key, edge] of toldEdges(lines)) if (isOfThem(edge)) seen.add(key);
  }
  return seen.size;
}

const OUTCOMES_AT_ONCE = 1000;

/** How many edges `forgetEdges` would say it has removed. */
export async function countEdges(work: Work, eraser: Eraser, entryIds: readonly number[]): Promise<number> {
  const erased = erasedOf(work, eraser, entryIds);
  return countSeen(work, eraser, { erased, entryIds, stored: await listEdgesOf(work.tx, erased) });
}

/**
 * Removes every edge that ends at one of the entries, whoever sees it, and what the log says of it. What the ledger
 * tells goes when the ledger forgets the entries, which comes after.
 */
export async function forgetEdges(work: Work, eraser: Eraser, entryIds: readonly number[]): Promise<number> {
  const { tx, account_id, dialect } = work;
  const erased = erasedOf(work, eraser, entryIds);
  const stored = await listEdgesOf(tx, erased);
  const count = await countSeen(work, eraser, { erased, entryIds, stored });
  await deleteStatements(tx, account_id, dialect.texts(stored.map(edgeIdOf)));
  await deleteEdgesOf(tx, erased);
  return count;
}

/** Edges that end at an agent, or that only it may see. */
export const countAgentEdges = async ({ tx, account_id }: Work, agentId: string): Promise<number> =>
  (await listAgentEdges(tx, account_id, agentId)).length;

export async function forgetAgentEdges({ tx, account_id, dialect }: Work, agentId: string): Promise<void> {
  const stored = await listAgentEdges(tx, account_id, agentId);
  await deleteStatements(tx, account_id, dialect.texts(stored.map(edgeIdOf)));
  await deleteAgentEdges(tx, account_id, agentId);
}
