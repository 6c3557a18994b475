import { canonicalJson } from '@mem-service/contract';
import type { ForeignData, ForeignEntry, ForeignLink } from './foreign.ts';

export type SimilarEntry = { entity_path: string; key: string; like: { entity_path: string; key: string } };

export type PreparedImport = {
  /** In the order in which they are to be written: the versions of a key by their times. */
  entries: ForeignEntry[];
  links: ForeignLink[];
  notes: string[];
  /** The same key with the same value and time, more than once in what was read. */
  repeated: number;
  /** Other keys that say nearly the same. */
  similar: SimilarEntry[];
};

const entryText = ({ entity_path, key }: ForeignEntry) => `${entity_path}\n${key}`;

const canonical = (value: unknown) => canonicalJson(JSON.stringify(value));

/** Letters and digits of all texts, without case, accents, spaces and signs. */
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

/** Orders what was read and finds what it says twice. */
export function prepareImport({ entries, links, notes }: ForeignData): PreparedImport {
  const byKey = new Map<string, ForeignEntry[]>();
  for (const entry of entries) byKey.set(entryText(entry), [...(byKey.get(entryText(entry)) ?? []), entry]);
  let repeated = 0;
  const kept = [...byKey.values()].flatMap((versions) => {
    // Without a time it is the newest: it is what the other system says now.
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

/** Compares what each key says last. */
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
