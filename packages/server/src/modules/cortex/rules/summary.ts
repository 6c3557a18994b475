import { type CitedEntry, type CitedOutcome, type DigestType, sourceOf } from './cited.ts';
import { type CitedEdge, narrateMap } from './map-sentences.ts';
import { narrate, type Sentence } from './narrative.ts';
import { MOST_NAMES, type Sections, sectionsOf, witnessesOf } from './sections.ts';

/** What a reader may see of the entries behind a digest. */
export type VisibleParts = {
  digest_type: DigestType;
  scope: string;
  entries: readonly CitedEntry[];
  /** Newest first. */
  outcomes: readonly CitedOutcome[];
  /** The count of all shared entries of the scope; undefined for a reader who may not see all of them. */
  counted: { n: number; confidence_sum: number; last_at: number } | undefined;
  edges: readonly CitedEdge[];
  /** Entries at the other ends of edges. */
  ends: readonly CitedEntry[];
};

export type DigestFigures = {
  entry_count: number;
  total_keys: number;
  avg_confidence: number | null;
  last_at: number | null;
  agents: readonly string[];
  external_sources: readonly string[];
  entities: readonly string[];
  sections: Sections;
  sentences: readonly Sentence[];
};

const rounded = (n: number): number => Math.round(n * 1000) / 1000;

/** The figures and sentences of a digest, from what the reader may see of it. */
export function figuresOf(parts: VisibleParts): DigestFigures {
  const { digest_type, scope, entries, outcomes } = parts;
  const { n, confidence_sum, last_at } = parts.counted ?? countOf(entries);
  const authors = witnessesOf(entries, ({ agent_id }) => agent_id).map(({ name }) => name);
  const agents = authors.filter((agent) => sourceOf(agent) === undefined);
  const sections = sectionsOf(entries);
  const avg_confidence = n === 0 ? null : rounded(confidence_sum / n);
  const entry_count = entryCountOf(parts, n);
  const described = { digest_type, scope, entry_count, avg_confidence, agents: authors, sections, outcomes };
  return {
    entry_count,
    total_keys: n,
    avg_confidence,
    last_at: n === 0 ? null : last_at,
    agents,
    external_sources: authors.filter((agent) => sourceOf(agent) !== undefined),
    entities: witnessesOf(entries, ({ entity_path }) => entity_path).map(({ name }) => name),
    sections,
    sentences: SENTENCES[digest_type]?.(parts) ?? narrate(described),
  };
}

function entryCountOf({ digest_type, edges, outcomes }: VisibleParts, n: number): number {
  if (digest_type === 'connection_map') return edges.length;
  return digest_type === 'trace_pattern' ? outcomes.length : n;
}

function countOf(entries: readonly CitedEntry[]) {
  const confidence_sum = entries.reduce((sum, { confidence }) => sum + confidence, 0);
  const last_at = entries.reduce((latest, { written_at }) => Math.max(latest, written_at), 0);
  return { n: entries.length, confidence_sum, last_at };
}

/** Whether a reader sees anything of a digest: a name alone would say that there is something. */
export const isVisible = ({ digest_type, entries, outcomes, edges }: VisibleParts): boolean => {
  if (digest_type === 'connection_map') return edges.length > 0;
  if (digest_type === 'trace_pattern') return outcomes.length >= LEAST_SUCCESSES;
  return entries.length > 0;
};

/** Fewer successes make no pattern. */
export const LEAST_SUCCESSES = 3;
const TOP_READ = 10;

/** What successes have read most, the most first. */
export function topRead(outcomes: readonly CitedOutcome[]): { entry: CitedEntry; count: number }[] {
  const reads = new Map<number, { entry: CitedEntry; count: number }>();
  for (const { entries } of outcomes)
    for (const entry of entries) {
      const known = reads.get(entry.entry_id);
      if (known) known.count++;
      else reads.set(entry.entry_id, { entry, count: 1 });
    }
  return [...reads.values()].sort((a, b) => b.count - a.count || b.entry.seq - a.entry.seq).slice(0, TOP_READ);
}

export type RelationFigures = { count: number; targets: string[]; avg_confidence: number };
const MOST_TARGETS = 10;

/** Edges by their relation, the targets by name. */
export function relationsOf(edges: readonly CitedEdge[]): Record<string, RelationFigures> {
  const names = [...new Set(edges.map(({ relation }) => relation))].sort();
  return Object.fromEntries(
    names.map((name) => {
      const these = edges.filter(({ relation }) => relation === name);
      const avg_confidence = rounded(these.reduce((sum, { confidence }) => sum + confidence, 0) / these.length);
      const targets = [...new Set(these.map(({ target }) => target))].sort().slice(0, MOST_TARGETS);
      return [name, { count: these.length, targets, avg_confidence }];
    }),
  );
}

export const connectedTo = (edges: readonly CitedEdge[]): string[] =>
  [...new Set(edges.flatMap(({ is_path, target }) => (is_path ? target : [])))].sort().slice(0, MOST_NAMES);

/** Entries by the beginning of their keys, up to the first `-`. */
export function eventTypesOf(entries: readonly CitedEntry[]): Record<string, number> {
  const types = new Map<string, number>();
  for (const { key } of entries) {
    const type = key.split('-', 1)[0] as string;
    types.set(type, (types.get(type) ?? 0) + 1);
  }
  return Object.fromEntries([...types].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Patterns and maps have sentences of their own. */
const SENTENCES: Partial<Record<DigestType, (parts: VisibleParts) => Sentence[]>> = {
  trace_pattern: ({ scope, outcomes }) => {
    const top = topRead(outcomes).filter(({ count }) => count > 1);
    const of = outcomes.length;
    return top.map(({ entry, count }) => ({
      text: `${count} of ${of} successes at ${scope} have read ${entry.key}.`,
      entries: [entry],
    }));
  },
  connection_map: narrateMap,
};
