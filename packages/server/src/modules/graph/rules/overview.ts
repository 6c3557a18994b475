import type { NodeType } from './edges.ts';

export type OverviewEnd = { type: NodeType; name: string };
/** `n`: how often it was seen; `last_at`: when it last was. */
export type OverviewLink = { source: OverviewEnd; relation: string; target: OverviewEnd; n: number; last_at: number };
export type OverviewNode = OverviewEnd & { weight: number; last_at: number };
/** Ends are the places of nodes. */
export type OverviewEdge = { source: number; relation: string; target: number; weight: number; last_at: number };

const idOf = ({ type, name }: OverviewEnd): string => `${type}\n${name}`;

/** The things that links lead to, those with the most of them first. */
export function heaviestNodes(links: readonly OverviewLink[]): OverviewNode[] {
  const nodes = new Map<string, OverviewNode>();
  for (const { source, target, n, last_at } of links)
    for (const end of [source, target]) {
      const known = nodes.get(idOf(end)) ?? { type: end.type, name: end.name, weight: 0, last_at: 0 };
      known.weight += n;
      known.last_at = Math.max(known.last_at, last_at);
      nodes.set(idOf(end), known);
    }
  return [...nodes.values()].sort((a, b) => b.weight - a.weight || (idOf(a) < idOf(b) ? -1 : 1));
}

/** The links between some nodes, the heaviest first. */
export function edgesBetween(nodes: readonly OverviewNode[], links: readonly OverviewLink[]): OverviewEdge[] {
  const places = new Map(nodes.map((node, place) => [idOf(node), place]));
  const edges = links.flatMap(({ source: from, target: to, relation, n, last_at }): OverviewEdge[] => {
    const [source, target] = [places.get(idOf(from)), places.get(idOf(to))];
    return source === undefined || target === undefined ? [] : [{ source, relation, target, weight: n, last_at }];
  });
  return edges.sort((a, b) => b.weight - a.weight || a.source - b.source || a.target - b.target);
}
