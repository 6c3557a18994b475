import type { Input, Output } from '@mem-service/contract';
import { entryName, pageBytes, type ReadContext, reads, requireNewest, toIso } from '../../kernel/index.ts';
import { listLedgerEdges } from './ledger.ts';
import { listEntriesById, listIncident, type NamedEntry } from './queries.ts';
import { entryIdOf, entryNode } from './rules/edges.ts';
import { joinIncident } from './rules/ledger-edges.ts';
import {
  frontierOf,
  type GraphNode,
  type GraphWalk,
  type IncidentEdge,
  isOver,
  metNodes,
  nextPart,
  startWalk,
  takeFound,
  type WalkSteps,
} from './rules/walk.ts';
import { findStart } from './start.ts';

/** Names of entries by number; null for those that the caller may not see. */
type EntryNames = Map<string, string | null>;

export const neighbors = reads<'graph.neighbors'>(async (context, input) => {
  const { view, scan, services, dialect } = context;
  requireNewest(view, 'how things are tied together');
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
      const [stored, ledger] = await Promise.all([
        listIncident(scan, view, { ...steps, nodes: padded(part.nodes), limit: part.most + 1, bytes }),
        listLedgerEdges({ query: scan, dialect }, view, { ...steps, nodes: part.nodes, left: walk.left }),
      ]);
      const rows = joinIncident(stored.rows, ledger.rows);
      await learnNames(context, { rows, names });
      walk.left -= ledger.linesRead;
      if (ledger.isCut || stored.more) walk.truncated = true;
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

/** No agent has an empty name. */
const NO_NODE: GraphNode = { type: 'agent', id: '' };

/** Pads to the next power of two, so that there are few different statements to prepare. */
function padded(nodes: readonly GraphNode[]): GraphNode[] {
  const size = 2 ** Math.ceil(Math.log2(nodes.length));
  return [...nodes, ...Array.from({ length: size - nodes.length }, () => NO_NODE)];
}

const nodeName = ({ entry_id, entity_path, key }: NamedEntry): [string, string] => [
  entryNode(entry_id),
  entryName(entity_path, key),
];

async function learnNames(
  { scan, dialect, view }: ReadContext,
  { rows, names }: { rows: readonly IncidentEdge[]; names: EntryNames },
): Promise<void> {
  const unknown = new Set(
    rows.flatMap((row) => (row.other_type === 'entry' && !names.has(row.other) ? row.other : [])),
  );
  if (unknown.size === 0) return;
  const ids = dialect.numbers([...unknown].map(entryIdOf));
  const found = new Map((await listEntriesById(scan, view, ids)).map(nodeName));
  for (const node of unknown) names.set(node, found.get(node) ?? null);
}

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
