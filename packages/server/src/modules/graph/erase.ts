import { hash } from 'node:crypto';
import {
  type AgentEraser,
  addStored,
  bytesOfTexts,
  type CountingWork,
  type ErasedEntries,
  EVERYONE,
  eraseEventDetails,
  viewInWork,
  type Work,
} from '../../kernel/index.ts';
import { pause } from '../../turns.ts';
import { listOutcomesOfEntries } from '../ledger/index.ts';
import { readLines } from './ledger.ts';
import {
  countAgentEdges,
  deleteAgentEdges,
  deleteEdgesOf,
  deleteStatements,
  type EntryEdges,
  listAgentEdges,
  listEdgesOf,
  listSeqs,
  statementsOf,
} from './queries.ts';
import { type Edge, edgeKey, entryNode, textsOfEdge } from './rules/edges.ts';
import { ledgerEdges } from './rules/ledger-edges.ts';

/** A hash of what identifies an edge; it contains entries by number, so that it reveals no erased name. */
export function edgeIdOf(edge: Edge): string {
  const { branch, source_type, source, visible_to, relation, target_type, target } = edge;
  const parts = [branch, source_type, source, visible_to, relation, target_type, target];
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22);
}

const edgesAt = (
  { dialect }: CountingWork,
  { account_id, branch, ids }: Pick<ErasedEntries, 'account_id' | 'branch' | 'ids'>,
): EntryEdges => ({
  account_id,
  branch,
  nodes: dialect.texts(ids.map(entryNode)),
});

/** A count must not reveal edges that are private to other agents. */
const isSeen =
  ({ agent_id }: ErasedEntries) =>
  (edge: Edge) =>
    edge.visible_to === EVERYONE || edge.visible_to === agent_id;

/** Counts stored edges and those derived from the ledger. */
async function countSeen(work: CountingWork, erased: ErasedEntries, seen: Set<string>): Promise<number> {
  const { branch, agent_id, ids } = erased;
  const view = viewInWork(work, { lineage: [{ branch, up_to_seq: null }], agent_id });
  const seqs = await listOutcomesOfEntries(work.tx, erased);
  const store = { query: work.tx, dialect: work.dialect };
  const nodes = new Set(ids.map(entryNode));
  const isOfThem = ({ source, source_type, target, target_type }: Edge) =>
    (source_type === 'entry' && nodes.has(source)) || (target_type === 'entry' && nodes.has(target));
  for (let at = 0; at < seqs.length; at += OUTCOMES_AT_ONCE) {
    const some = seqs.slice(at, at + OUTCOMES_AT_ONCE);
    const { lines } = await readLines(store, view, { seqs: some, most: Number.POSITIVE_INFINITY });
    for (const [key, edge] of ledgerEdges(lines)) if (isOfThem(edge)) seen.add(key);
  }
  return seen.size;
}

const OUTCOMES_AT_ONCE = 1000;
const ENTRIES_AT_ONCE = 500;

/** Returns the count that `eraseEdges` would return. */
export async function countEdges(work: CountingWork, erased: ErasedEntries): Promise<number> {
  const seen = new Set<string>();
  for (let at = 0; at < erased.ids.length; at += ENTRIES_AT_ONCE) {
    const ids = erased.ids.slice(at, at + ENTRIES_AT_ONCE);
    const stored = await listEdgesOf(work.tx, edgesAt(work, { ...erased, ids }));
    for (const edge of stored.filter(isSeen(erased))) seen.add(edgeKey(edge));
    await pause();
  }
  return countSeen(work, erased, seen);
}

/**
 * Deletes every edge of the entries, regardless of who may see it, and its details in the log. Edges derived from the
 * ledger vanish when the ledger erases the entries, which happens later.
 */
export async function eraseEdges(work: Work, erased: ErasedEntries): Promise<number> {
  const edges = edgesAt(work, erased);
  const stored = await listEdgesOf(work.tx, edges);
  const count = await countSeen(work, erased, new Set(stored.filter(isSeen(erased)).map(edgeKey)));
  await eraseStatements(work, stored);
  await deleteEdgesOf(work.tx, edges);
  return count;
}

/** Removes the details of asserted edges from events. The events themselves stay, so that `seq` has no gaps. */
async function eraseStatements(work: Work, stored: readonly Edge[]): Promise<void> {
  const { tx, account_id, dialect } = work;
  addStored(work, { storage_bytes: -bytesOfTexts(stored.flatMap(textsOfEdge)) });
  const statements = statementsOf(account_id, dialect.texts(stored.map(edgeIdOf)));
  await eraseEventDetails(tx, account_id, listSeqs(statements));
  await deleteStatements(tx, statements);
}

const EDGES_AT_ONCE = 1000;

/** Deletes edges of an agent, and those that only it may see. */
export const erasesAgent: AgentEraser = {
  count: async ({ tx, account_id }, { agent_id }) => ({ edges: await countAgentEdges(tx, account_id, agent_id) }),
  async erase(work, { account_id, agent_id }) {
    const { tx } = work;
    for (;;) {
      const edges = await listAgentEdges(tx, { account_id, agent_id, limit: EDGES_AT_ONCE });
      await eraseStatements(work, edges);
      await deleteAgentEdges(tx, { account_id, agent_id, limit: EDGES_AT_ONCE });
      if (edges.length < EDGES_AT_ONCE) return;
    }
  },
};
