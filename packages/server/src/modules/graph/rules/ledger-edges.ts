import { type Edge, edgeKey } from './edges.ts';
import { outcomeEdges } from './outcome-edges.ts';
import { addStrengths, type EdgeSide, type EdgeStrength, type GraphNode, type IncidentEdge } from './walk.ts';

/** A ledger line with its outcome. */
export type LedgerLine = {
  seq: number;
  outcome_ref: string;
  outcome_type: string;
  outcome_visible_to: string;
  committed_at: number;
  branch: string;
  entry_id: number | null;
  visible_to: string;
};

export const SUCCESSES: readonly string[] = ['success', 'clean_deploy'];

export type LedgerEdge = Edge & EdgeStrength;

/** Derives the edges of outcomes, with repeated edges added up. Lines of one outcome must be adjacent. */
export function ledgerEdges(lines: readonly LedgerLine[]): Map<string, LedgerEdge> {
  const edges = new Map<string, LedgerEdge>();
  for (let from = 0, to = 0; from < lines.length; from = to) {
    const first = lines[from] as LedgerLine;
    while (lines[to]?.seq === first.seq) to++;
    const { outcome_ref, outcome_type, outcome_visible_to, committed_at: at } = first;
    const success = SUCCESSES.includes(outcome_type);
    const outcome = { outcome_ref, visible_to: outcome_visible_to, success, causes: lines.slice(from, to) };
    for (const edge of outcomeEdges(outcome)) add(edges, { ...edge, first_seen: at, last_seen: at });
  }
  return edges;
}

function add(edges: Map<string, LedgerEdge>, edge: LedgerEdge): void {
  const key = edgeKey(edge);
  const known = edges.get(key);
  if (!known) edges.set(key, edge);
  else Object.assign(known, addStrengths(known, edge));
}

export type EdgeFilter = { nodes: readonly GraphNode[]; sides: readonly EdgeSide[]; relations: readonly string[] };

/** The edges as seen from the given nodes. */
export function incidentTo(edges: Iterable<LedgerEdge>, { nodes, sides, relations }: EdgeFilter): IncidentEdge[] {
  const places = new Map(nodes.map(({ type, id }, place) => [`${type}\0${id}`, place]));
  const found: IncidentEdge[] = [];
  for (const edge of edges) {
    const { relation, visible_to, confidence, evidence_count, first_seen, last_seen } = edge;
    if (relations.length > 0 && !relations.includes(relation)) continue;
    const strength = { relation, visible_to, confidence, evidence_count, first_seen, last_seen };
    const source = places.get(`${edge.source_type}\0${edge.source}`);
    const target = places.get(`${edge.target_type}\0${edge.target}`);
    if (source !== undefined && sides.includes('out'))
      found.push({ place: source, side: 'out', other_type: edge.target_type, other: edge.target, ...strength });
    if (target !== undefined && sides.includes('in'))
      found.push({ place: target, side: 'in', other_type: edge.source_type, other: edge.source, ...strength });
  }
  return found;
}

/** Stored and derived edges in the order of the answer, added up where edge and visibility are the same. */
export function joinIncident(stored: readonly IncidentEdge[], fromLedger: readonly IncidentEdge[]): IncidentEdge[] {
  if (fromLedger.length === 0) return [...stored];
  const rows = new Map<string, IncidentEdge>();
  for (const row of [...stored, ...fromLedger]) {
    const key = [row.place, row.side, row.relation, row.other_type, row.other, row.visible_to].join('\0');
    const known = rows.get(key);
    rows.set(key, known ? { ...known, ...addStrengths(known, row) } : row);
  }
  return [...rows.values()].sort(inOrder);
}

/** The order of the index, backwards. */
const inOrder = (a: IncidentEdge, b: IncidentEdge): number =>
  a.place - b.place ||
  descending(a.side, b.side) ||
  descending(a.relation, b.relation) ||
  descending(a.other_type, b.other_type) ||
  descending(a.other, b.other);

/** Compares bytes, as the stores do. */
const descending = (a: string, b: string): number => (a === b ? 0 : Buffer.compare(Buffer.from(b), Buffer.from(a)));
