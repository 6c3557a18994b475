import type { Dialect, Query } from '../../db/index.ts';
import type { EntryView } from '../../kernel/index.ts';
import { listOutcomeLines, listOutcomesOf, MOST_OUTCOMES } from '../ledger/index.ts';
import { entryIdOf } from './rules/edges.ts';
import { type EdgeFilter, incidentTo, type LedgerLine, ledgerEdges } from './rules/ledger-edges.ts';
import type { GraphNode, IncidentEdge } from './rules/walk.ts';

/** Relations derived from the ledger are not stored as edges as well. */
const LEDGER_RELATIONS = ['informed', 'co_occurs_with'];

const OUTCOMES_PER_STATEMENT = 200;

export type LedgerEdges = { rows: IncidentEdge[]; linesRead: number; isCut: boolean };

type GraphStore = { query: Query; dialect: Dialect };
type LedgerEdgesQuery = EdgeFilter & {
  /** About how many lines may be read. */
  left: number;
};

/** Derives edges of nodes from their newest outcomes. */
export async function listLedgerEdges(
  { query, dialect }: GraphStore,
  view: EntryView,
  wanted: LedgerEdgesQuery,
): Promise<LedgerEdges> {
  const { relations, left } = wanted;
  const nodes = wanted.nodes.filter(({ type }) => type === 'entry' || type === 'outcome');
  const isWanted = relations.length === 0 || relations.some((relation) => LEDGER_RELATIONS.includes(relation));
  if (nodes.length === 0 || !isWanted) return { rows: [], linesRead: 0, isCut: false };
  const placed = await listOutcomesOf(query, view, padded(nodes).map(askedOf));
  const { seqs, isCut } = newestOf(placed);
  const { lines, isWhole } = await readLines({ query, dialect }, view, { seqs, most: left });
  return { rows: incidentTo(ledgerEdges(lines).values(), wanted), linesRead: lines.length, isCut: isCut || !isWhole };
}

const askedOf = ({ type, id }: GraphNode) => (type === 'entry' ? { entry_id: entryIdOf(id) } : { outcome_ref: id });

/** No entry has this number. */
const NO_SEQ: GraphNode = { type: 'entry', id: '0' };

/** Pads to the next power of two, so that there are few different statements to prepare. */
function padded(nodes: readonly GraphNode[]): GraphNode[] {
  const size = 2 ** Math.ceil(Math.log2(nodes.length));
  return [...nodes, ...Array.from({ length: size - nodes.length }, () => NO_SEQ)];
}

function newestOf(placed: readonly { place: number; seq: number }[]): { seqs: number[]; isCut: boolean } {
  const counts = new Map<number, number>();
  const kept = placed.filter(({ place }) => {
    const count = (counts.get(place) ?? 0) + 1;
    counts.set(place, count);
    return count <= MOST_OUTCOMES;
  });
  return { seqs: [...new Set(kept.map(({ seq }) => seq))], isCut: kept.length < placed.length };
}

type LinesQuery = { seqs: readonly number[]; most: number };

/** One statement at a time, until there are enough. */
export async function readLines({ query, dialect }: GraphStore, view: EntryView, { seqs, most }: LinesQuery) {
  const lines: LedgerLine[] = [];
  let at = 0;
  for (; at < seqs.length && lines.length < most; at += OUTCOMES_PER_STATEMENT) {
    const some = seqs.slice(at, at + OUTCOMES_PER_STATEMENT);
    lines.push(...(await listOutcomeLines(query, view, dialect.numbers(some))));
  }
  return { lines, isWhole: at >= seqs.length };
}
