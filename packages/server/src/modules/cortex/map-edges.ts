import type { Query } from '../../db/index.ts';
import type { EntryView } from '../../kernel/index.ts';
import { entryName } from '../../kernel/index.ts';
import { entryIdOf, type IncidentEdge, listEntriesById, listIncident } from '../graph/index.ts';
import { isSuccess, parseOutcomeType } from '../outcomes/index.ts';
import type { CitedOutcome } from './rules/cited.ts';
import { type CitedEdge, TOGETHER } from './rules/map-sentences.ts';

/** Edges of one path, on each side. */
const MOST_EDGES = 50;
/** Each path is two ranges of an index for everybody and two for the caller. */
const PATHS_AT_ONCE = 30;
const EDGE_BYTES = 256 * 1024;

/** What paths are tied to by edges that everybody may see and whose ends the view shows. */
export async function findEdges(
  query: Query,
  view: EntryView,
  paths: readonly string[],
): Promise<Map<string, readonly CitedEdge[]>> {
  const found = new Map<string, readonly CitedEdge[]>();
  for (let from = 0; from < paths.length; from += PATHS_AT_ONCE) {
    const some = paths.slice(from, from + PATHS_AT_ONCE);
    const { rows } = await listIncident(query, view, {
      nodes: some.map((id) => ({ type: 'entity', id })),
      sides: ['out', 'in'],
      relations: [],
      limit: MOST_EDGES,
      bytes: EDGE_BYTES,
    });
    const shared = rows.filter(({ visible_to }) => visible_to === '');
    const names = await entryNames(query, view, shared);
    const byPlace = some.map((): CitedEdge[] => []);
    for (const edge of shared) byPlace[edge.place]?.push(...toCited(edge, names));
    for (const [place, path] of some.entries()) found.set(path, byPlace[place] ?? []);
  }
  return found;
}

async function entryNames(query: Query, view: EntryView, edges: readonly IncidentEdge[]): Promise<Map<string, string>> {
  const nodes = [...new Set(edges.flatMap(({ other_type, other }) => (other_type === 'entry' ? other : [])))];
  if (nodes.length === 0) return new Map();
  // Private entries of the caller are not part of a digest.
  const found = await listEntriesById(query, { ...view, agent_id: '' }, view.dialect.numbers(nodes.map(entryIdOf)));
  const byId = new Map(found.map(({ entry_id, entity_path, key }) => [entry_id, entryName(entity_path, key)]));
  return new Map(nodes.flatMap((node) => (byId.has(entryIdOf(node)) ? [[node, byId.get(entryIdOf(node)) ?? '']] : [])));
}

function toCited(edge: IncidentEdge, names: ReadonlyMap<string, string>): CitedEdge[] {
  const { side, relation, other_type, other, confidence } = edge;
  const target = other_type === 'entry' ? names.get(other) : other;
  if (target === undefined) return [];
  const entry_id = other_type === 'entry' ? entryIdOf(other) : undefined;
  return [{ side, relation, target, is_path: other_type === 'entity', entry_id, confidence }];
}

/** Other paths that outcomes tie a path to. */
const MOST_TIES = 50;
const AFTER_SUCCESS = 1;
const AFTER_FAILURE = 0.7;

/** The paths that outcomes have used together with a path, the newest first, as edges between the paths. */
export function tiesOf(
  scope: string,
  outcomes: readonly Pick<CitedOutcome, 'outcome_type' | 'entries'>[],
): CitedEdge[] {
  const ties = new Map<string, CitedEdge>();
  for (const { outcome_type, entries } of outcomes) {
    if (!entries.some(({ entity_path }) => entity_path === scope)) continue;
    const type = parseOutcomeType(outcome_type);
    const confidence = type !== undefined && isSuccess(type) ? AFTER_SUCCESS : AFTER_FAILURE;
    for (const { entity_path: target } of entries) {
      if (target === scope) continue;
      const known = ties.get(target);
      if (known) known.confidence = Math.max(known.confidence, confidence);
      else if (ties.size < MOST_TIES)
        ties.set(target, { side: 'out', relation: TOGETHER, target, is_path: true, entry_id: undefined, confidence });
    }
  }
  return [...ties.values()];
}
