import type { NodeType } from './edges.ts';

/** `id` is the name, or the number of an entry. */
export type GraphNode = { type: NodeType; id: string };
export type EdgeSide = 'out' | 'in';

export type EdgeStrength = { confidence: number; evidence_count: number; first_seen: number; last_seen: number };

/** An edge as seen from the node at a position of the requested list; `other` is its other end. */
export type IncidentEdge = EdgeStrength & {
  place: number;
  side: EdgeSide;
  relation: string;
  other_type: NodeType;
  other: string;
  visible_to: string;
};

export type WalkedEdge = EdgeStrength & { source: GraphNode; relation: string; target: GraphNode; depth: number };

export type WalkSteps = {
  sides: readonly EdgeSide[];
  /** Any relation when the list is empty. */
  relations: readonly string[];
  min_confidence: number;
  limit: number;
};

/** The state of a walk: what was found, and how many edges it may still read. */
export type GraphWalk = {
  nodes: Map<string, { node: GraphNode; depth: number }>;
  edges: Map<string, WalkedEdge>;
  /** How many of the edges end at a node. */
  degrees: Map<string, number>;
  left: number;
  /** How many bytes of names it may still show. */
  bytes: number;
  truncated: boolean;
  /** There is no room for another edge. */
  isFull: boolean;
  /** How many nodes to read together: as long as they have few edges, twice as many each time. */
  nextNodes: number;
};

const keyOf = ({ type, id }: GraphNode) => `${type}\0${id}`;

export function startWalk(
  nodes: readonly GraphNode[],
  { limit, bytes, truncated }: { limit: number; bytes: number; truncated: boolean },
): GraphWalk {
  const starts = new Map(nodes.map((node) => [keyOf(node), { node, depth: 0 }]));
  const found = { edges: new Map(), degrees: new Map() };
  return { nodes: starts, ...found, left: limit, bytes, truncated, isFull: false, nextNodes: 1 };
}

export const frontierOf = (walk: GraphWalk, depth: number): GraphNode[] =>
  [...walk.nodes.values()].filter((one) => one.depth === depth).map(({ node }) => node);

/** Full, and already known to be truncated: further steps would change nothing. */
export const isOver = ({ edges, truncated, left, isFull }: GraphWalk, { limit }: WalkSteps): boolean =>
  truncated && (left <= 0 || isFull || edges.size >= limit);

/** A statement has a part for each range of an index: this many are planned and run quickly on both engines. */
const MAX_RANGES = 128;
/** The most rows that a statement returns, where every node has more edges than can matter. */
const MAX_ROWS = 20_000;
/** Nodes that together have no more edges than this have few. */
const FEW_ROWS = 2_000;
/** Weak edges may come before strong ones, and it is unknown how many; this many of a range are read. */
const WEAK_AND_STRONG = 1000;

export type FrontierPart = { nodes: readonly GraphNode[]; most: number };

/** The next nodes of the frontier to read together, and how many edges of each range can matter. */
export function nextPart(
  walk: GraphWalk,
  frontier: readonly GraphNode[],
  { sides, relations, min_confidence, limit }: WalkSteps,
): FrontierPart {
  // Visible to everyone, and to the caller only.
  const ranges = sides.length * 2 * Math.max(1, relations.length);
  const nodes = frontier.slice(0, Math.floor(MAX_RANGES / ranges));
  const known = Math.max(...nodes.map((node) => walk.degrees.get(keyOf(node)) ?? 0));
  const wanted = Math.max(limit - walk.edges.size + known, min_confidence > 0 ? WEAK_AND_STRONG : 0);
  const most = Math.max(1, Math.min(wanted, walk.left));
  const safe = Math.floor(MAX_ROWS / (ranges * most));
  return { nodes: nodes.slice(0, Math.max(safe, walk.nextNodes)), most };
}

export type FrontierEdges = FrontierPart & {
  /** Edges of the nodes, in order, with up to one more than `most` of each range. */
  rows: readonly IncidentEdge[];
  depth: number;
  isHidden: (node: GraphNode) => boolean;
  /** The name of a node as it is shown. */
  shown: (node: GraphNode) => string;
};

/** About as much as an edge takes in an answer beside its names, which its nodes may show again. */
const EDGE_BYTES = 256;

const bytesOfEdge = ({ source, target }: WalkedEdge, { shown }: FrontierEdges): number =>
  EDGE_BYTES + 2 * (Buffer.byteLength(shown(source)) + Buffer.byteLength(shown(target)));

export function takeFound(walk: GraphWalk, found: FrontierEdges, steps: WalkSteps): void {
  walk.left -= found.rows.length;
  walk.nextNodes = found.rows.length <= FEW_ROWS ? 2 * found.nodes.length : 1;
  const { rows, isCut } = cutRanges(found, steps);
  if (isCut) walk.truncated = true;
  for (const row of mergeTwins(rows)) {
    if (row.confidence < steps.min_confidence || found.isHidden(otherOf(row))) continue;
    const edge = toEdge(row, found.nodes[row.place] as GraphNode, found.depth);
    const key = `${keyOf(edge.source)}\0${edge.relation}\0${keyOf(edge.target)}`;
    if (walk.edges.has(key)) continue;
    walk.bytes -= bytesOfEdge(edge, found);
    if (walk.edges.size >= steps.limit || (walk.bytes < 0 && walk.edges.size > 0)) {
      walk.truncated = true;
      walk.isFull = true;
      return;
    }
    walk.edges.set(key, edge);
    for (const end of [edge.source, edge.target]) addNode(walk, end, found.depth);
  }
}

function addNode(walk: GraphWalk, node: GraphNode, depth: number): void {
  const key = keyOf(node);
  walk.degrees.set(key, (walk.degrees.get(key) ?? 0) + 1);
  if (!walk.nodes.has(key)) walk.nodes.set(key, { node, depth });
}

/** The start, if any edge ends there, and all nodes that were found. */
export const metNodes = ({ nodes, degrees }: GraphWalk) =>
  [...nodes.values()].filter(({ node }) => degrees.has(keyOf(node)));

function cutRanges({ rows, most }: FrontierEdges, { relations }: WalkSteps): { rows: IncidentEdge[]; isCut: boolean } {
  const counts = new Map<string, number>();
  const kept = rows.filter(({ place, side, relation, visible_to }) => {
    const range = `${place}\0${side}\0${relations.length > 0 ? relation : ''}\0${visible_to}`;
    const count = (counts.get(range) ?? 0) + 1;
    counts.set(range, count);
    return count <= most;
  });
  return { rows: kept, isCut: kept.length < rows.length };
}

const otherOf = ({ other_type, other }: IncidentEdge): GraphNode => ({ type: other_type, id: other });

/** Merges the public and the private row of an edge, which are adjacent, into one for the caller. */
function mergeTwins(rows: readonly IncidentEdge[]): IncidentEdge[] {
  const merged: IncidentEdge[] = [];
  for (const row of rows) {
    const last = merged.at(-1);
    if (last && isTwin(last, row)) merged[merged.length - 1] = { ...last, ...addStrengths(last, row) };
    else merged.push(row);
  }
  return merged;
}

const isTwin = (a: IncidentEdge, b: IncidentEdge) =>
  a.place === b.place &&
  a.side === b.side &&
  a.relation === b.relation &&
  a.other_type === b.other_type &&
  a.other === b.other;

export const addStrengths = (a: EdgeStrength, b: EdgeStrength): EdgeStrength => ({
  confidence: Math.max(a.confidence, b.confidence),
  evidence_count: a.evidence_count + b.evidence_count,
  first_seen: Math.min(a.first_seen, b.first_seen),
  last_seen: Math.max(a.last_seen, b.last_seen),
});

function toEdge(row: IncidentEdge, node: GraphNode, depth: number): WalkedEdge {
  const { relation, confidence, evidence_count, first_seen, last_seen } = row;
  const [source, target] = row.side === 'out' ? [node, otherOf(row)] : [otherOf(row), node];
  return { source, relation, target, confidence, evidence_count, first_seen, last_seen, depth };
}
