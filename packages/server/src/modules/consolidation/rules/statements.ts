/** What a text states, as far as it can be compared without a model. */

const NUMBER_WORDS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const DENIALS = /\b(?:not|no|never|none|without|cannot|disabled?|forbidden|off|false|failed|fails)\b|n't\b/gi;
const NUMBERS = new RegExp(`\\d+(?:[.,]\\d+)*|\\b(?:${NUMBER_WORDS.join('|')})\\b`, 'gi');

function numbersIn(text: string): string {
  const found = [...text.matchAll(NUMBERS)].map(([number]) => {
    const word = NUMBER_WORDS.indexOf(number.toLowerCase());
    return word < 0 ? number.replaceAll(',', '') : String(word);
  });
  return found.sort().join(' ');
}

const isDenied = (text: string): boolean => [...text.matchAll(DENIALS)].length % 2 === 1;

/** Of two texts that speak of the same: whether their numbers differ, or one denies what the other says. */
export function isContradiction(one: string, other: string): boolean {
  const [a, b] = [numbersIn(one), numbersIn(other)];
  if (a !== b && a !== '' && b !== '') return true;
  return isDenied(one) !== isDenied(other);
}

const WORD = /[\p{L}\p{N}]+/gu;
const wordsIn = (text: string): Set<string> => new Set((text.toLowerCase().match(WORD) ?? []).map((word) => word));

/** The share of the words of the shorter text that the other has too. */
export function sharedWords(one: string, other: string): number {
  const [a, b] = [wordsIn(one), wordsIn(other)];
  const [few, many] = a.size < b.size ? [a, b] : [b, a];
  if (few.size === 0) return 0;
  return [...few].filter((word) => many.has(word)).length / few.size;
}

/** A value with fewer words says nothing without its name: `true` at two places is no duplicate. */
const LEAST_WORDS = 4;

export const saysMuch = (text: string): boolean => (text.match(WORD) ?? []).length >= LEAST_WORDS;

/** Words of keys that say nothing about what they name. */
const FILLERS = new Set(['copy', 'new', 'old', 'latest', 'final', 'current']);

/** How a key is written alike by everybody: `timeoutMs`, `timeout_ms` and `timeout-ms` are one family. */
export function familyOf(key: string): string {
  const parts = key.replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2').toLowerCase();
  const words = (parts.match(WORD) ?? []).filter((word) => !FILLERS.has(word));
  return words.join(' ');
}
