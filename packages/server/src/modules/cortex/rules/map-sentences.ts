import type { CitedEntry } from './cited.ts';
import { listed, type Sentence } from './narrative.ts';
import { MOST_NAMES } from './sections.ts';

/** An edge between the path of a map and something that the reader may see. `side`: whether it leaves the path. */
export type CitedEdge = {
  side: 'out' | 'in';
  relation: string;
  target: string;
  is_path: boolean;
  /** Of an end that is an entry. */
  entry_id: number | undefined;
  confidence: number;
};

export const TOGETHER = 'co_occurs_with';

/** Other ends that a sentence names. */
const NAMED = 3;
const MOST_RELATIONS = 8;
/** Entries at the path of the map that a sentence points at. */
const OWN = 2;

type RelationGroup = { side: CitedEdge['side']; relation: string; named: readonly CitedEdge[]; more: number };

/** Edges by relation and direction, with the ends that are named. */
export function groupEdges(edges: readonly CitedEdge[]): RelationGroup[] {
  const groups = new Map<string, Map<string, CitedEdge>>();
  for (const edge of edges) {
    const name = `${edge.relation}\n${edge.relation === TOGETHER ? 'out' : edge.side}`;
    const group = groups.get(name) ?? new Map<string, CitedEdge>();
    groups.set(name, group.set(edge.target, edge));
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, MOST_RELATIONS)
    .map(([name, group]) => {
      const [relation = '', side] = name.split('\n');
      const all = [...group.values()].sort((a, b) => (a.target < b.target ? -1 : 1));
      const named = all.slice(0, NAMED);
      return { side: side === 'in' ? 'in' : 'out', relation, named, more: all.length - named.length };
    });
}

const wordsOf = (relation: string): string =>
  relation === TOGETHER ? 'was used together with' : relation.replaceAll(/[_-]+/g, ' ');

const isAt = ({ is_path, target }: CitedEdge, { entity_path, key }: CitedEntry): boolean =>
  (is_path ? entity_path : `${entity_path}/${key}`) === target;

type DescribedMap = {
  scope: string;
  /** At the path itself. */
  entries: readonly CitedEntry[];
  /** At other ends of its edges. */
  ends: readonly CitedEntry[];
  edges: readonly CitedEdge[];
};

/** A sentence for each relation, and for entries that follow patterns. Each points at entries of the paths it names. */
export function narrateMap({ scope, entries, ends, edges }: DescribedMap): Sentence[] {
  const ties = groupEdges(edges).map(({ side, relation, named, more }): Sentence => {
    const names = listed([...named.map(({ target }) => target), ...(more > 0 ? [`${more} more`] : [])]);
    const verb = wordsOf(relation);
    const all = named.length + more > 1 ? `Each of ${names}` : names;
    const text = side === 'out' ? `${scope} ${verb} ${names}.` : `${all} ${verb} ${scope}.`;
    const others = named.flatMap((edge) => ends.find((entry) => isAt(edge, entry)) ?? []);
    return { text, entries: [...entries.slice(0, OWN), ...others] };
  });
  const patterns = entries.flatMap((entry): Sentence[] => {
    const refs = JSON.parse(entry.pattern_refs) as string[];
    if (refs.length === 0) return [];
    return [{ text: `${entry.key} at ${scope} follows ${refs.slice(0, 3).join(', ')}.`, entries: [entry] }];
  });
  return [...ties, ...patterns].filter((sentence) => sentence.entries.length > 0).slice(0, MOST_NAMES);
}
