const SEED = 0x811c9dc5;
const PRIME = 0x01000193;

function mixed(hash: number): number {
  const high = hash ^ (hash >>> 15);
  return Math.imul(high, 0x85ebca6b) ^ (high >>> 13);
}

function hashOf(word: string): number {
  let hash = SEED;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), PRIME);
  return mixed(hash);
}

/** Words that turn a statement around, and numbers: texts that differ in these alone speak of the same. */
const LEFT_OUT: ReadonlySet<number> = new Set(
  [
    ...['not', 'no', 'never', 'none', 'without', 'cannot', 'disabled', 'enabled', 'on', 'off', 'true', 'false'],
    ...['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'],
  ].map(hashOf),
);

const FIRST_BEYOND_ASCII = 128;
const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || code >= FIRST_BEYOND_ASCII;

/** Words of a text that are compared. */
export const MAX_WORDS = 200;
const SLOTS = 512;
/** Of the text that is read: which of its words is in a slot, from 1 on. */
const slots = new Uint8Array(SLOTS);

/** The slot of a word, or the free one for it. */
function slotOf(word: number, words: Int32Array, from: number): number {
  for (let slot = word & (SLOTS - 1); ; slot = (slot + 1) & (SLOTS - 1)) {
    const n = slots[slot] as number;
    if (n === 0 || words[from + n - 1] === word) return slot;
  }
}

/**
 * Puts what a text speaks of into `words`, from a place on: the hash of each of its words, once. Returns how many there are.
 * Without a string for each of them, as there are many.
 */
export function readTopic(text: string, words: Int32Array, from: number): number {
  const lower = text.toLowerCase();
  slots.fill(0);
  let count = 0;
  let hash = SEED;
  let isWord = false;
  for (let i = 0; i <= lower.length && count < MAX_WORDS; i++) {
    const code = i < lower.length ? lower.charCodeAt(i) : 0;
    if (isLetter(code)) {
      hash = Math.imul(hash ^ code, PRIME);
      isWord = true;
      continue;
    }
    if (!isWord) continue;
    const word = mixed(hash);
    const slot = slotOf(word, words, from);
    if (slots[slot] === 0 && !LEFT_OUT.has(word)) {
      words[from + count++] = word;
      slots[slot] = count;
    }
    hash = SEED;
    isWord = false;
  }
  return count;
}

/** Texts that have three quarters of their words in common share one of these bands in 99 of 100 cases; a fifth, in 2. */
export const BANDS = 12;
const ROWS = 4;
const GOLDEN = 0x9e3779b1;
const FACTORS = Int32Array.from({ length: BANDS * ROWS }, (_, i) => Math.imul(GOLDEN, 2 * i + 1) | 1);
/** Turns the order of numbers without a sign into that of numbers with one. */
const SIGN = 0x80000000 | 0;
const GREATEST = 0x7fffffff;

/** The number of a band of a text, which texts with much in common share: from the least hashes of its words. */
export function markOf(words: Int32Array, { from, end }: { from: number; end: number }, band: number): number {
  let mark = band;
  for (let row = ROWS * band; row < ROWS * (band + 1); row++) {
    const factor = FACTORS[row] as number;
    let least = GREATEST;
    for (let i = from; i < end; i++) {
      const hash = Math.imul(words[i] as number, factor) ^ SIGN;
      if (hash < least) least = hash;
    }
    mark = Math.imul(mark ^ least ^ SIGN, GOLDEN);
  }
  return mark;
}

/** How many words two texts have in common, each with its words in order; undefined where that is less than this share. */
export function sharedWords(one: Int32Array, other: Int32Array, threshold: number): number | undefined {
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
