import { stem } from './stem.ts';
import { isUnspaced, parts } from './words.ts';

/** Consecutive words; with `prefix` the last one may be the beginning of a word. */
export type Term = { words: string[]; prefix: boolean };

const MAX_TERMS = 20;
const MAX_PHRASE_WORDS = 32;

/**
 * A "quoted phrase", or a run of letters, digits and the characters that join them in identifiers, with a star for a
 * prefix.
 */
const PIECE = /"([^"]*)"|([\p{L}\p{N}\p{M}\p{Join_Control}\u00ad_.'’-]+)(\*?)/gu;

/** Parses a search query. Every text is valid: unknown syntax is skipped. */
export function parseQuery(text: string): Term[] {
  const terms = new Map<string, Term>();
  for (const [, quoted, run = '', star = ''] of text.matchAll(PIECE)) {
    const term = termOf(parts(quoted ?? run).slice(0, MAX_PHRASE_WORDS), star !== '');
    if (term) terms.set(`${term.prefix} ${term.words.join(' ')}`, term);
    if (terms.size === MAX_TERMS) break;
  }
  return [...terms.values()];
}

function termOf(words: string[], starred: boolean): Term | undefined {
  const last = words.at(-1);
  if (last === undefined) return undefined;
  const stemmed = words.map(stem);
  if (starred) return { words: [...stemmed.slice(0, -1), prefixOf(last)], prefix: true };
  return { words: stemmed, prefix: isLoneLetter(last) };
}

/** The index holds stems: `policy*` has to find `polici`, which is the stem of policy and policies. */
function prefixOf(word: string): string {
  const stemmed = stem(word);
  let end = 0;
  while (end < stemmed.length && stemmed[end] === word[end]) end++;
  return word.slice(0, end);
}

/** The index holds pairs of such letters, so a single one is found only as the beginning of a pair. */
function isLoneLetter(word: string): boolean {
  return isUnspaced(word) && Array.from(word).length === 1;
}
