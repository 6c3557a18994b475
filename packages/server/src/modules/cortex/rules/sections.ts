import type { CitedEntry } from './cited.ts';
import { SHOWN_WHOLE, sortedNumbers } from './lists.ts';

/** Entries of one section. */
const SECTION = 5;
/** Authors or paths that a digest names. */
export const MOST_NAMES = 20;
/** Later entries that stand in for a refuted one. */
const REPLACEMENTS = 3;

export type Replaced = { entry: CitedEntry; replaced_by: readonly CitedEntry[] };

export type Sections = {
  top_keys: readonly CitedEntry[];
  newest: readonly CitedEntry[];
  most_recalled: readonly CitedEntry[];
  validated: readonly CitedEntry[];
  contested: readonly CitedEntry[];
  discredited: readonly Replaced[];
  procedures: readonly CitedEntry[];
  risks: readonly CitedEntry[];
};

type Rank = (entry: CitedEntry) => number;

const trust: Rank = ({ confidence }) => confidence;
const recalls: Rank = ({ recall_count }) => recall_count;
const successes: Rank = ({ success_count }) => success_count;
const failures: Rank = ({ failure_count }) => failure_count;
const place: Rank = ({ seq }) => seq;

/** The highest first; no two entries have the same `seq`, so that there is one order only. */
const byRanks =
  (...ranks: readonly Rank[]) =>
  (a: CitedEntry, b: CitedEntry): number => {
    for (const rank of [...ranks, place]) {
      const difference = rank(b) - rank(a);
      if (difference !== 0) return difference;
    }
    return 0;
  };

const isRefuted = ({ status }: CitedEntry): boolean => status === 'discredited';
const isKnown = ({ status }: CitedEntry): boolean => status === 'untested' || status === 'validated';

/** Each section by name: which entries, in which order, and how many of them are kept in reserve. */
const KINDS = {
  top_keys: { has: (entry) => !isRefuted(entry), order: byRanks(trust, recalls), reserve: 30 },
  newest: { has: () => true, order: byRanks(place), reserve: 60 },
  most_recalled: { has: ({ recall_count }) => recall_count > 0, order: byRanks(recalls), reserve: 30 },
  validated: { has: ({ status }) => status === 'validated', order: byRanks(successes, trust), reserve: 30 },
  contested: { has: ({ status }) => status === 'contested', order: byRanks(failures), reserve: 15 },
  discredited: { has: isRefuted, order: byRanks(failures), reserve: 15 },
  procedures: {
    has: (entry) => entry.memory_type === 'procedure' && !isRefuted(entry),
    order: byRanks(successes, trust),
    reserve: 10,
  },
  risks: { has: ({ key }) => key.startsWith('risk-'), order: byRanks(trust), reserve: 10 },
} as const satisfies Record<
  keyof Sections,
  { has: (entry: CitedEntry) => boolean; order: ReturnType<typeof byRanks>; reserve: number }
>;

/** As many entries as a digest keeps in reserve: what may come into a section when others leave it. */
export const MOST_KEPT = Object.values(KINDS).reduce((sum, { reserve }) => sum + reserve, 0);

const first = (entries: readonly CitedEntry[], name: keyof Sections, n: number): CitedEntry[] =>
  entries.filter(KINDS[name].has).sort(KINDS[name].order).slice(0, n);

export function sectionsOf(entries: readonly CitedEntry[]): Sections {
  const section = (name: keyof Sections) => first(entries, name, SECTION);
  return {
    top_keys: section('top_keys'),
    newest: section('newest'),
    most_recalled: section('most_recalled'),
    validated: section('validated'),
    contested: section('contested'),
    discredited: section('discredited').map((entry) => ({ entry, replaced_by: replacementsOf(entry, entries) })),
    procedures: section('procedures'),
    risks: section('risks'),
  };
}

const WORD = /\p{L}{3,}/gu;
const wordsOf = (key: string): string[] => key.toLowerCase().match(WORD) ?? [];

/** Later entries at the same path that have a word of its key in theirs and that no outcome speaks against. */
export function replacementsOf(refuted: CitedEntry, entries: readonly CitedEntry[]): CitedEntry[] {
  const words = new Set(wordsOf(refuted.key));
  const common: Rank = ({ key }) => wordsOf(key).filter((word) => words.has(word)).length;
  return entries
    .filter((entry) => entry.entity_path === refuted.entity_path && entry.seq > refuted.seq && isKnown(entry))
    .filter((entry) => common(entry) > 0)
    .sort(byRanks(common, successes, trust))
    .slice(0, REPLACEMENTS);
}

/** The newest entry of each author or path, those with the most entries first. */
export function witnessesOf(
  entries: readonly CitedEntry[],
  nameOf: (entry: CitedEntry) => string,
): { name: string; entry: CitedEntry; n: number }[] {
  const found = new Map<string, { name: string; entry: CitedEntry; n: number }>();
  for (const entry of entries.toSorted(byRanks(place))) {
    const name = nameOf(entry);
    const known = found.get(name);
    if (known) known.n++;
    else found.set(name, { name, entry, n: 1 });
  }
  return [...found.values()].sort((a, b) => b.n - a.n || b.entry.seq - a.entry.seq).slice(0, MOST_NAMES);
}

/** The numbers of the entries that a digest shows, and of those that it keeps in reserve. Of a few entries it shows all. */
export function chooseEntries(entries: readonly CitedEntry[]): { shown: number[]; reserve: number[] } {
  if (entries.length <= SHOWN_WHOLE)
    return { shown: sortedNumbers(entries.map(({ entry_id }) => entry_id)), reserve: [] };
  const sections = sectionsOf(entries);
  const { discredited, ...others } = sections;
  const shown = new Set(Object.values(others).flatMap((section) => section.map(({ entry_id }) => entry_id)));
  for (const { entry, replaced_by } of discredited)
    for (const { entry_id } of [entry, ...replaced_by]) shown.add(entry_id);
  for (const nameOf of [(one: CitedEntry) => one.agent_id, (one: CitedEntry) => one.entity_path])
    for (const { entry } of witnessesOf(entries, nameOf)) shown.add(entry.entry_id);
  const names = Object.keys(KINDS) as (keyof Sections)[];
  const kept =
    entries.length <= MOST_KEPT ? entries : names.flatMap((name) => first(entries, name, KINDS[name].reserve));
  const reserve = new Set(kept.map(({ entry_id }) => entry_id));
  for (const entry_id of shown) reserve.delete(entry_id);
  return { shown: sortedNumbers(shown), reserve: sortedNumbers(reserve) };
}
