import { entryName, isNewestOfOneBranch, type ReadContext, splitEntryName, timesOfForks } from '../../kernel/index.ts';
import { findNumbersOf, findShown } from '../entries/index.ts';
import { listLedgerEdges } from './ledger.ts';
import { type EdgeSpan, listEntriesById, listIncident } from './queries.ts';
import { entryIdOf, entryNode } from './rules/edges.ts';
import { joinIncident } from './rules/ledger-edges.ts';
import type { FrontierPart, GraphNode, IncidentEdge, WalkSteps } from './rules/walk.ts';

/** Names of entries by number; null for those that the caller may not see. */
export type EntryNames = Map<string, string | null>;

/** Where a walk finds edges: in the store and in the ledger. */
export type WalkRead = { steps: WalkSteps; part: FrontierPart; bytes: number; left: number };
export type ReadEdges = { rows: IncidentEdge[]; linesRead: number; isCut: boolean };
type EdgeReader = (wanted: WalkRead, names: EntryNames) => Promise<ReadEdges>;

/** Reads the edges of nodes as a view shows them, and learns the names of the entries at their other ends. */
export async function edgeReaderOf(context: ReadContext): Promise<EdgeReader> {
  const { view, read } = context;
  if (isNewestOfOneBranch(view)) return (wanted, names) => readOwn(context, wanted, names);
  const times = await timesOfForks(read, view);
  const spans = view.lineage.map(({ branch }, i): EdgeSpan => ({ branch, until: times[i] ?? null }));
  return (wanted, names) => readInherited(context, wanted, { names, spans });
}

async function readOwn(context: ReadContext, wanted: WalkRead, names: EntryNames): Promise<ReadEdges> {
  const { view, scan, dialect } = context;
  const { steps, part, bytes, left } = wanted;
  const [stored, ledger] = await Promise.all([
    listIncident(scan, view, { ...steps, nodes: padded(part.nodes), limit: part.most + 1, bytes }),
    listLedgerEdges({ query: scan, dialect }, view, { ...steps, nodes: part.nodes, left }),
  ]);
  const rows = joinIncident(stored.rows, ledger.rows);
  const unknown = unknownIn(rows, names);
  const found = unknown.length === 0 ? [] : await listEntriesById(scan, view, dialect.numbers(unknown));
  const named = new Map(found.map((one) => [one.entry_id, nameOf(one)]));
  for (const id of unknown) names.set(entryNode(id), named.get(id) ?? null);
  return { rows, linesRead: ledger.linesRead, isCut: ledger.isCut || stored.more };
}

const nameOf = ({ entity_path, key }: { entity_path: string; key: string }) => entryName(entity_path, key);

const unknownIn = (rows: readonly IncidentEdge[], names: EntryNames): number[] => [
  ...new Set(rows.flatMap((row) => (row.other_type === 'entry' && !names.has(row.other) ? entryIdOf(row.other) : []))),
];

/** No agent has an empty name. */
const NO_NODE: GraphNode = { type: 'agent', id: '' };

/** Pads to the next power of two, so that there are few different statements to prepare. */
function padded(nodes: readonly GraphNode[]): GraphNode[] {
  const size = 2 ** Math.ceil(Math.log2(nodes.length));
  return [...nodes, ...Array.from({ length: size - nodes.length }, () => NO_NODE)];
}

/** Nodes of one statement for each branch of a lineage. */
const AT_ONCE = 16;

type Inherited = { names: EntryNames; spans: readonly EdgeSpan[] };

/**
 * An entry is one node, whatever its number was when an edge was stored. An edge of the branch that was forked from is shown if
 * it was there at the fork; how often it was seen is not known as of then.
 */
async function readInherited(
  context: ReadContext,
  { steps, part, bytes, left }: WalkRead,
  { names, spans }: Inherited,
): Promise<ReadEdges> {
  const { view, scan, dialect } = context;
  const aliases = await aliasesOf(context, part.nodes, names);
  const found: IncidentEdge[] = [];
  let isCut = false;
  let linesRead = 0;
  for (let from = 0; from < aliases.length; from += AT_ONCE) {
    const some = aliases.slice(from, from + AT_ONCE);
    const nodes = some.map(({ node }) => node);
    const stored = await Promise.all(
      spans.map((of) => listIncident(scan, view, { ...steps, nodes: padded(nodes), limit: part.most + 1, bytes, of })),
    );
    const ledger = await listLedgerEdges({ query: scan, dialect }, view, { ...steps, nodes, left: left - linesRead });
    linesRead += ledger.linesRead;
    isCut ||= ledger.isCut || stored.some(({ more }) => more);
    for (const row of [...stored.flatMap(({ rows }) => rows), ...ledger.rows])
      found.push({ ...row, place: some[row.place]?.place ?? 0 });
  }
  return { rows: await resolveEnds(context, found, names), linesRead, isCut };
}

type PlacedNode = { node: GraphNode; place: number };

/** The nodes, and for an entry all numbers that it has in the lineage. */
async function aliasesOf(
  { view, scan }: ReadContext,
  nodes: readonly GraphNode[],
  names: EntryNames,
): Promise<PlacedNode[]> {
  const entries = nodes.map(({ type, id }) => (type === 'entry' ? splitEntryName(names.get(id) ?? '') : undefined));
  const named = entries.flatMap((at) => at ?? []);
  const numbers = await findNumbersOf(scan, view, named);
  let next = 0;
  return nodes.flatMap((node, place): PlacedNode[] => {
    const ids = new Set((entries[place] ? numbers[next++] : undefined)?.map(({ entry_id }) => entry_id));
    if (ids.size === 0) return [{ node, place }];
    return [...ids].map((id) => ({ node: { type: 'entry', id: entryNode(id) }, place }));
  });
}

/** Gives each other end the number that the view shows, and adds up what is one edge then. */
async function resolveEnds(
  { view, scan }: ReadContext,
  rows: readonly IncidentEdge[],
  names: EntryNames,
): Promise<IncidentEdge[]> {
  const shown = await findShown(scan, view, { ids: unknownIn(rows, new Map()) });
  const resolved = rows.map((row): IncidentEdge => {
    const entry = row.other_type === 'entry' ? shown.get(entryIdOf(row.other)) : undefined;
    if (!entry) return row;
    names.set(entryNode(entry.entry_id), nameOf(entry));
    return { ...row, other: entryNode(entry.entry_id) };
  });
  for (const { other_type, other } of resolved) if (other_type === 'entry' && !names.has(other)) names.set(other, null);
  return joinIncident([], resolved);
}
