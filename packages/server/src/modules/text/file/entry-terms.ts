import { pathTermsOf } from '../path-terms.ts';
import { wordsOfEntry } from '../rules/words.ts';

/** What the index knows of an entry. */
export type EntryTerms = { words: readonly string[]; paths: readonly string[] };

/** Nothing of a deleted one. */
export function termsOfHead(branch: string, { deleted, document }: { deleted: number; document: string }): EntryTerms {
  if (deleted === 1) return { words: [], paths: [] };
  const entry = JSON.parse(document);
  return { words: wordsOfEntry(entry), paths: pathTermsOf(branch, entry.entity_path) };
}
