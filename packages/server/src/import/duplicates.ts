import { canonicalJson } from '@mem-service/contract';
import type { ForeignData, ForeignEntry, ForeignLink } from './foreign.ts';

export type SimilarEntry = { entity_path: string; key: string; like: { entity_path: string; key: string } };

export type PreparedImport = {
  /** In the order of writing: the versions of a key by their times. */
  entries: ForeignEntry[];
  links: ForeignLink[];
  notes: string[];
  /** How often the same key occurred again with the same value and time. */
  repeated: number;
  /** Different keys with nearly the same content. */
  similar: SimilarEntry[];
};

const entryText = ({ entity_path, key }: ForeignEntry) => `${entity_path}\n${key}`;

const canonical = (value: unknown) => canonicalJson(JSON.stringify(value));

/** The letters and digits of all texts, without case, accents, spaces and punctuation. */
function wordsOf(value: unknown): string {
  const texts: string[] = [];
  JSON.stringify(value, (_, member) => {
    if (typeof member === 'string') texts.push(member);
    return member;
  });
  return texts
    .join(' ')
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** Sorts imported entries and finds duplicates. */
export function prepareImport({ entries, links, notes }: ForeignData): PreparedImport {
  const byKey = new Map<string, ForeignEntry[]>();
  for (const entry of entries) byKey.set(entryText(entry), [...(byKey.get(entryText(entry)) ?? []), entry]);
  let repeated = 0;
  const kept = [...byKey.values()].flatMap((versions) => {
    // An entry without a time is the newest: it is the current state of the other system.
    const ordered = versions.sort((a, b) => (a.written_at ?? '9').localeCompare(b.written_at ?? '9'));
    const changes = ordered.filter((version, i) => {
      const before = ordered[i - 1];
      return !before || canonical(before.value) !== canonical(version.value);
    });
    repeated += ordered.length - changes.length;
    return changes;
  });
  const uniqueLinks = [...new Map(links.map((link) => [JSON.stringify(link), link])).values()];
  return { entries: kept, links: uniqueLinks, notes, repeated, similar: similarIn(byKey) };
}

/** Compares the last version of each key. */
function similarIn(byKey: ReadonlyMap<string, ForeignEntry[]>): SimilarEntry[] {
  const first = new Map<string, ForeignEntry>();
  const found: SimilarEntry[] = [];
  for (const versions of byKey.values()) {
    const newest = versions.at(-1) as ForeignEntry;
    const words = wordsOf(newest.value);
    const like = first.get(words);
    if (words === '') continue;
    if (like)
      found.push({
        entity_path: newest.entity_path,
        key: newest.key,
        like: { entity_path: like.entity_path, key: like.key },
      });
    else first.set(words, newest);
  }
  return found;
}
