import type { LookedEntry } from './path-facts.ts';

/** Whether of two texts that speak of the same one says what the other denies. */
export type Contradicts = (one: string, other: string) => boolean;

/** Two entries of one path that speak of the same, and how many words they have in common. */
export type SimilarPair = { one: LookedEntry; other: LookedEntry; shared: number };

const SEED = 0x811c9dc5;
const PRIME = 0x01000193;

/** Words that turn a statement around, and numbers: texts that differ in these alone speak of the same. */
const LEFT_OUT: ReadonlySet<number> = new Set(
  [
    ...['not', 'no', 'never', 'none', 'without', 'cannot', 'disabled', 'enabled', 'on', 'off', 'true', 'false'],
    ...['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'],
  ].map(hashOf),
);
const MAX_WORDS = 200;

function mixed(hash: number): number {
  const high = hash ^ (hash >>> 15);
  return (Math.imul(high, 0x85ebca6b) ^ (high >>> 13)) >>> 0;
}

function hashOf(word: string): number {
  let hash = SEED;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), PRIME);
  return mixed(hash);
}

const FIRST_BEYOND_ASCII = 128;
const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || code >= FIRST_BEYOND_ASCII;

/** What a text speaks of: the hashes of its words, in order. Without a string for each of them, as there are many. */
export function topicOf(text: string): Uint32Array {
  const lower = text.toLowerCase();
  const words = new Set<number>();
  let hash = SEED;
  let isWord = false;
  for (let i = 0; i <= lower.length && words.size < MAX_WORDS; i++) {
    const code = i < lower.length ? lower.charCodeAt(i) : 0;
    if (isLetter(code)) {
      hash = Math.imul(hash ^ code, PRIME);
      isWord = true;
      continue;
    }
    const word = isWord ? mixed(hash) : undefined;
    if (word !== undefined && !LEFT_OUT.has(word)) words.add(word);
    hash = SEED;
    isWord = false;
  }
  return Uint32Array.from(words).sort();
}

/** Texts that have three quarters of their words in common share one of these bands in 99 of 100 cases; a fifth, in 2. */
const BANDS = 12;
const ROWS = 4;
const FACTORS = Int32Array.from({ length: BANDS * ROWS }, (_, i) => Math.imul(0x9e3779b1, 2 * i + 1) | 1);

/** Numbers that texts with much in common share: of each band the least hashes of their words. */
function bandsOf(words: Uint32Array): number[] {
  const least = new Uint32Array(FACTORS.length).fill(0xffffffff);
  for (const word of words)
    for (let i = 0; i < FACTORS.length; i++) {
      const hash = Math.imul(word, FACTORS[i] as number) >>> 0;
      if (hash < (least[i] as number)) least[i] = hash;
    }
  return Array.from({ length: BANDS }, (_, band) => {
    let mark = band;
    for (let row = 0; row < ROWS; row++) mark = Math.imul(mark ^ (least[ROWS * band + row] as number), 0x9e3779b1);
    return (mark >>> 0) * BANDS + band;
  });
}

/** Texts with fewer words say little without their key. */
const LEAST_WORDS = 4;
/** Entries in one band that each is compared with, and pairs of a path. */
const MAX_IN_BAND = 20;
const MAX_PAIRS = 2000;

/** How many words two texts have in common; undefined where that is less than this share. */
function sharedWords(one: Uint32Array, other: Uint32Array, threshold: number): number | undefined {
  const [few, many] = one.length < other.length ? [one, other] : [other, one];
  if (few.length < threshold * many.length) return undefined;
  let shared = 0;
  for (let i = 0, j = 0; i < few.length && j < many.length; ) {
    const difference = (few[i] as number) - (many[j] as number);
    if (difference === 0) shared += 1;
    if (difference <= 0) i += 1;
    if (difference >= 0) j += 1;
  }
  return shared >= threshold * (few.length + many.length - shared) ? shared : undefined;
}

type Topic = { entry: LookedEntry; words: Uint32Array };

/** In steps: a path may have many texts. */
export function* similarPairs(entries: readonly LookedEntry[], threshold: number): Generator<void, SimilarPair[]> {
  if (entries.length < 2) return [];
  const bands = new Map<number, Topic[]>();
  const pairs: SimilarPair[] = [];
  for (const entry of entries) {
    if (entry.text === undefined) continue;
    yield;
    const words = topicOf(entry.text);
    if (words.length < LEAST_WORDS) continue;
    const compared = new Set<LookedEntry>();
    for (const band of bandsOf(words)) {
      const others = bands.get(band);
      if (!others) {
        bands.set(band, [{ entry, words }]);
        continue;
      }
      for (let i = Math.max(0, others.length - MAX_IN_BAND); i < others.length; i++) {
        const other = others[i] as Topic;
        if (compared.has(other.entry) || pairs.length >= MAX_PAIRS) continue;
        compared.add(other.entry);
        const shared = sharedWords(words, other.words, threshold);
        if (shared !== undefined) pairs.push({ one: other.entry, other: entry, shared });
      }
      others.push({ entry, words });
    }
  }
  return pairs;
}

const numbersIn = (text: string): string => (text.match(/\d+/g) ?? []).join(' ');

/** Keys that are numbered differently name different things: `shard-1` and `shard-2`. */
export const isNumberedApart = (one: LookedEntry, other: LookedEntry): boolean =>
  numbersIn(one.key) !== numbersIn(other.key);

/** How much the words of two keys have in common. */
export function sharedKeyWords(one: LookedEntry, other: LookedEntry): number {
  const [a, b] = [one, other].map(({ family }) => new Set(family.split(' ')));
  if (!a || !b) return 0;
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared / (a.size + b.size - shared);
}
