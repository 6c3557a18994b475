import { EVERYONE, entryName, MAIN_BRANCH, MAIN_LINEAGE, viewInWork, type Work } from '../../kernel/index.ts';
import { entryIdOf, entryNode, linkAllOnce, listEntriesById, listIncident } from '../graph/index.ts';
import type { Arrival } from './arrivals.ts';
import type { Place } from './things.ts';

/** An entry that left its place for another, with the number that it had. */
export type Moved = { arrival: Arrival; from: Place; at: Place; entry_id: number };

const MAX_EDGES = 500;
const MAX_EDGE_BYTES = 256 * 1024;

/** Edges to agents and patterns come with what is written. */
const MOVED_TYPES: readonly string[] = ['entry', 'entity'];
type MovedType = 'entry' | 'entity';

/** States the edges of entries that moved at their new places, and where their history is. */
export async function moveEdges(work: Work, moves: readonly Moved[]): Promise<void> {
  for (const move of moves) {
    await work.waitForSent();
    await linkAllOnce(work, await edgesAt(work, move), false);
  }
}

async function edgesAt(work: Work, { arrival, from, at, entry_id }: Moved) {
  const view = viewInWork(work, { lineage: MAIN_LINEAGE, agent_id: EVERYONE });
  const { rows } = await listIncident(work.tx, view, {
    nodes: [{ type: 'entry', id: entryNode(entry_id) }],
    sides: ['out', 'in'],
    relations: [],
    limit: MAX_EDGES,
    bytes: MAX_EDGE_BYTES,
  });
  const kept = rows.filter(({ other_type }) => MOVED_TYPES.includes(other_type));
  const ids = kept.flatMap(({ other_type, other }) => (other_type === 'entry' ? [entryIdOf(other)] : []));
  const found = ids.length === 0 ? [] : await listEntriesById(work.tx, view, work.dialect.numbers(ids));
  const names = new Map(found.map((entry) => [entryNode(entry.entry_id), entryName(entry.entity_path, entry.key)]));
  const here = { name: entryName(at.entity_path, at.key), type: 'entry' as const };
  const moved = kept.flatMap(({ side, relation, other_type, other }) => {
    const name = other_type === 'entry' ? names.get(other) : other;
    if (name === undefined) return [];
    const there = { name, type: other_type as MovedType };
    return [side === 'out' ? stated(arrival, relation, [here, there]) : stated(arrival, relation, [there, here])];
  });
  const old = { name: entryName(from.entity_path, from.key), type: 'entity' as const };
  return [...moved, stated(arrival, 'moved_from', [here, old])];
}

type End = { name: string; type: MovedType };

const stated = (arrival: Arrival, relation: string, [source, target]: [End, End]) => ({
  input: {
    source: source.name,
    source_type: source.type,
    relation,
    target: target.name,
    target_type: target.type,
    branch: MAIN_BRANCH,
    agent_id: arrival.sender,
    confidence: 1,
    shared: true,
  },
  caller: { ...arrival.caller, session_id: null },
  lineage: MAIN_LINEAGE,
});
