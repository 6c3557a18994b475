import { type Input, utf8Length } from '@mem-service/contract';

export type NodeType = Input<'graph.link'>['source_type'];

/** The value of `visible_to` for everyone. */
const EVERYONE = '';

/**
 * Something that happened once or several times between two nodes. The account and the time are added when it is stored.
 */
export type Edge = {
  branch: string;
  source_type: NodeType;
  source: string;
  visible_to: string;
  relation: string;
  target_type: NodeType;
  target: string;
  confidence: number;
  evidence_count: number;
};

/** An entry's number, padded to a fixed length: in the order of the index the newest is then the last. */
export const entryNode = (entryId: number): string => String(entryId).padStart(16, '0');
export const entryIdOf = (node: string): number => Number(node);

/** A version as it was written; `pattern_refs` is JSON. */
export type LinkedVersion = {
  branch: string;
  entry_id: number;
  agent_id: string;
  shared: number;
  deleted: number;
  pattern_refs: string;
};

export function writeEdges(written: readonly LinkedVersion[]): Edge[] {
  const edges: Edge[] = [];
  for (const { branch, entry_id, agent_id, shared, deleted, pattern_refs } of written) {
    if (deleted === 1) continue;
    const visible_to = shared === 1 ? EVERYONE : agent_id;
    const entry = entryNode(entry_id);
    edges.push({
      branch,
      source_type: 'agent',
      source: agent_id,
      visible_to,
      relation: 'wrote',
      target_type: 'entry',
      target: entry,
      confidence: 1,
      evidence_count: 1,
    });
    if (pattern_refs === '[]') continue;
    for (const ref of new Set(JSON.parse(pattern_refs) as string[]))
      edges.push({
        branch,
        source_type: 'entry',
        source: entry,
        visible_to,
        relation: 'references',
        target_type: 'pattern',
        target: ref,
        confidence: 1,
        evidence_count: 1,
      });
  }
  return edges;
}

/** An entry as it was read, `count` times. */
export type EntryReadCount = {
  branch: string;
  entry_id: number;
  agent_id: string;
  visible_to: string;
  written_by: string;
  count: number;
};

/** An agent that reads another agent's entry has learned from that agent. */
export function readEdges(reads: readonly EntryReadCount[]): Edge[] {
  return reads.flatMap(({ branch, entry_id, agent_id, visible_to, written_by, count }) => {
    const from = { branch, source_type: 'agent', source: agent_id, visible_to } as const;
    const weight = { confidence: 1, evidence_count: count };
    const read: Edge = { relation: 'read', target_type: 'entry', target: entryNode(entry_id), ...from, ...weight };
    if (written_by === agent_id) return [read];
    return [read, { relation: 'learned_from', target_type: 'agent', target: written_by, ...from, ...weight }];
  });
}

/** The edges that entries and reads make by themselves: what they are between, and how long an end can be. */
export const MADE_BY_ENTRIES = {
  wrote: ['agent', 'entry'],
  read: ['agent', 'entry'],
  references: ['entry', 'pattern'],
  learned_from: ['agent', 'agent'],
} as const;
export const LONGEST_MADE_END = 256;

/**
 * The texts of an edge that count as storage of its account. Those of edges that entries and reads make do not: finding out
 * which of them are new would cost each write and each read.
 */
export function textsOfEdge(
  edge: Pick<Edge, 'source_type' | 'source' | 'relation' | 'target_type' | 'target'>,
): string[] {
  const { source_type, source, relation, target_type, target } = edge;
  const [from, to] = MADE_BY_ENTRIES[relation as keyof typeof MADE_BY_ENTRIES] ?? [];
  const isShort = utf8Length(source) <= LONGEST_MADE_END && utf8Length(target) <= LONGEST_MADE_END;
  return from === source_type && to === target_type && isShort ? [] : [source, relation, target];
}

export const edgeKey = (edge: Edge): string =>
  `${edge.branch}\0${edge.source_type}\0${edge.source}\0${edge.visible_to}\0${edge.relation}\0${edge.target_type}\0${edge.target}`;

/** Merges equal edges: a statement of PostgreSQL may not change a row twice. */
export function mergeEdges(edges: readonly Edge[]): Edge[] {
  if (edges.length < 2) return [...edges];
  const merged = new Map<string, Edge>();
  for (const edge of edges) {
    const id = edgeKey(edge);
    const known = merged.get(id);
    if (!known) {
      merged.set(id, edge);
      continue;
    }
    known.evidence_count += edge.evidence_count;
    known.confidence = Math.max(known.confidence, edge.confidence);
  }
  return [...merged.values()];
}
