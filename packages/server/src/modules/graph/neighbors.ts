import type { Input, Output } from '@mem-service/contract';
import { entryName, pageBytes, reads, toIso } from '../../kernel/index.ts';
import { type EntryNames, edgeReaderOf } from './inherited.ts';
import type { NamedEntry } from './queries.ts';
import { entryNode } from './rules/edges.ts';
import {
  frontierOf,
  type GraphNode,
  type GraphWalk,
  isOver,
  metNodes,
  nextPart,
  startWalk,
  takeFound,
  type WalkSteps,
} from './rules/walk.ts';
import { findStart } from './start.ts';

export const neighbors = reads<'graph.neighbors'>(async (context, input) => {
  const { view, scan, services } = context;
  const readEdges = await edgeReaderOf(context);
  const start = await findStart(scan, view, input);
  const steps = stepsOf(input);
  const bytes = pageBytes(services);
  const limit = services.limits.max_scanned_entries;
  const walk = startWalk(start.nodes, { limit, bytes, truncated: start.truncated });
  const names: EntryNames = new Map(start.entries.map(nodeName));
  const isHidden = ({ type, id }: GraphNode) => type === 'entry' && names.get(id) === null;
  const shown = shownBy(names);
  for (let depth = 1; depth <= input.depth; depth++) {
    let frontier = frontierOf(walk, depth - 1);
    while (frontier.length > 0 && !isOver(walk, steps)) {
      const part = nextPart(walk, frontier, steps);
      const { rows, linesRead, isCut } = await readEdges({ steps, part, bytes, left: walk.left }, names);
      walk.left -= linesRead;
      if (isCut) walk.truncated = true;
      takeFound(walk, { ...part, rows, depth, isHidden, shown }, steps);
      frontier = frontier.slice(part.nodes.length);
      if (walk.left <= 0 && frontier.length > 0) walk.truncated = true;
    }
  }
  return toAnswer(input.entity, walk, names);
});

function stepsOf({ direction, relation, min_confidence, limit }: Input<'graph.neighbors'>): WalkSteps {
  const relations = relation === undefined ? [] : relation.split(',').map((one) => one.trim());
  return {
    sides: direction === 'both' ? ['out', 'in'] : [direction],
    relations: [...new Set(relations)],
    min_confidence,
    limit,
  };
}

const nodeName = ({ entry_id, entity_path, key }: NamedEntry): [string, string] => [
  entryNode(entry_id),
  entryName(entity_path, key),
];

const shownBy =
  (names: EntryNames) =>
  ({ type, id }: GraphNode): string =>
    type === 'entry' ? (names.get(id) ?? '') : id;

function toAnswer(entity: string, walk: GraphWalk, names: EntryNames): Output<'graph.neighbors'> {
  const shown = shownBy(names);
  const edges = [...walk.edges.values()].map(({ source, target, first_seen, last_seen, ...rest }) => ({
    source: shown(source),
    source_type: source.type,
    target: shown(target),
    target_type: target.type,
    ...rest,
    first_seen: toIso(first_seen),
    last_seen: toIso(last_seen),
  }));
  const nodes = metNodes(walk).map(({ node, depth }) => ({ name: shown(node), type: node.type, depth }));
  return { entity, edges, nodes, count: edges.length, truncated: walk.truncated };
}
