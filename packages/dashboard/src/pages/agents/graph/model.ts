import type { Output } from '../../../data/client.ts';
import { isFailure } from '../../../data/events.ts';

type GraphOverview = Output<'graph.overview'>;
export type MapKind = 'agent' | 'entity' | 'outcome';
export type MapTone = 'good' | 'bad' | 'mute';

export type MapNode = {
  /** `agent:deploy-bot`: unique, also between answers. */
  id: string;
  kind: MapKind;
  name: string;
  weight: number;
  lastSeen: string;
  /** Of an outcome: how it went. */
  tone: MapTone;
  radius: number;
};

export type MapEdge = {
  source: number;
  target: number;
  relation: string;
  weight: number;
  /** Drawn only with the selection: what informed an outcome, which would be most of the lines. */
  isQuiet: boolean;
};

export type MapModel = {
  nodes: readonly MapNode[];
  edges: readonly MapEdge[];
  /** By node, its edges. */
  edgesOf: readonly (readonly MapEdge[])[];
  indexOf: ReadonlyMap<string, number>;
};

export type MapFilter = { relation: string /** Only what was seen since. */; since: string | undefined };

function toneOf(outcomeType: string | null): MapTone {
  if (outcomeType === null) return 'mute';
  return isFailure(outcomeType) ? 'bad' : 'good';
}

export const idOf = (kind: string, name: string): string => `${kind}:${name}`;

function radiusOf(kind: MapKind, weight: number): number {
  if (kind === 'agent') return Math.min(11, 5 + Math.sqrt(weight) * 0.5);
  return kind === 'entity' ? 4.5 : 4;
}

/** The graph as it is drawn: what the filter leaves, without things that nothing is connected with any more. */
export function modelOf(graph: GraphOverview, { relation, since }: MapFilter): MapModel {
  const kept = graph.edges.filter(
    (edge) => (relation === '' || edge.relation === relation) && (since === undefined || edge.last_seen >= since),
  );
  const used = new Set(kept.flatMap(({ source, target }) => [source, target]));
  const isWhole = relation === '' && since === undefined;
  const places = new Map<number, number>();
  const nodes: MapNode[] = [];
  for (const [i, { type, name, weight, last_seen, outcome_type }] of graph.nodes.entries()) {
    if (!used.has(i) && !(isWhole && type === 'agent')) continue;
    const kind: MapKind = type === 'agent' || type === 'outcome' ? type : 'entity';
    places.set(i, nodes.length);
    const tone = toneOf(outcome_type);
    nodes.push({ id: idOf(kind, name), kind, name, weight, lastSeen: last_seen, tone, radius: radiusOf(kind, weight) });
  }
  const edges = kept.map(({ source, target, relation: how, weight }) => ({
    source: places.get(source) as number,
    target: places.get(target) as number,
    relation: how,
    weight,
    isQuiet: how === 'informed' && relation !== 'informed',
  }));
  const edgesOf: MapEdge[][] = nodes.map(() => []);
  for (const edge of edges) {
    edgesOf[edge.source]?.push(edge);
    edgesOf[edge.target]?.push(edge);
  }
  return { nodes, edges, edgesOf, indexOf: new Map(nodes.map(({ id }, i) => [id, i])) };
}

export const otherEnd = ({ source, target }: MapEdge, node: number): number => (source === node ? target : source);

/** The node itself and what it is connected with. */
export function neighbourhoodOf({ edgesOf }: MapModel, node: number): ReadonlySet<number> {
  return new Set([node, ...(edgesOf[node] ?? []).map((edge) => otherEnd(edge, node))]);
}

export type MapConnection = { node: MapNode; relation: string; weight: number };

/** What a node is connected with by one relation, the heaviest first. */
export function connectionsOf(model: MapModel, node: number, relation: string): MapConnection[] {
  return (model.edgesOf[node] ?? [])
    .map((edge) => ({
      node: model.nodes[otherEnd(edge, node)] as MapNode,
      relation: edge.relation,
      weight: edge.weight,
    }))
    .filter((found) => found.relation === relation)
    .sort((a, b) => b.weight - a.weight);
}

export const countOf = ({ nodes }: MapModel, kind: MapKind, tone?: MapTone): number =>
  nodes.filter((node) => node.kind === kind && (tone === undefined || node.tone === tone)).length;
