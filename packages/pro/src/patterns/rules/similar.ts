import { type LookedEntry, MAX_COMPARED } from './path-facts.ts';
import { BANDS, MAX_WORDS, markOf, readTopic, sharedWords } from './topics.ts';

/** Whether of two texts that speak of the same one says what the other denies. */
export type Contradicts = (one: string, other: string) => boolean;

/** Two entries of one path that speak of the same, and how many words they have in common. */
export type SimilarPair = { one: LookedEntry; other: LookedEntry; shared: number };

/** Texts with fewer words say little without their key. */
const LEAST_WORDS = 4;
/** Entries in one band that each is compared with, and pairs of a path. */
const MAX_IN_BAND = 20;
const MAX_PAIRS = 2000;

/**
 * Finds the texts of a path that have much in common. It keeps its memory from path to path: with maps and lists of their own for
 * each path the same took 40 µs a text instead of 16.
 */
export class TextComparison {
  /** Of each text, one after the other. */
  readonly #words = new Int32Array(MAX_COMPARED * MAX_WORDS);
  readonly #ends = new Int32Array(MAX_COMPARED);
  readonly #isSorted = new Uint8Array(MAX_COMPARED);
  /** The last text that each was compared with; 0 where there was none. */
  readonly #comparedBy = new Int32Array(MAX_COMPARED);
  /** Each text is in a list of each of its bands: its mark there, and the one before it in that list, from 1 on. */
  readonly #marks = new Int32Array(MAX_COMPARED * BANDS);
  readonly #before = new Int32Array(MAX_COMPARED * BANDS);
  /** Where the lists end, found by their marks. */
  readonly #lists = new Int32Array(2 ** Math.ceil(Math.log2(2 * MAX_COMPARED * BANDS)));
  readonly #inBand = new Int32Array(MAX_IN_BAND);

  /** The similar pairs of a path, in steps: it may have many texts. */
  *pairsOf(entries: readonly LookedEntry[], threshold: number): Generator<void, SimilarPair[]> {
    const pairs: SimilarPair[] = [];
    if (entries.length < 2) return pairs;
    const listed = 2 ** Math.ceil(Math.log2(2 * entries.length * BANDS));
    this.#lists.fill(0, 0, listed);
    const read: LookedEntry[] = [];
    for (const entry of entries) {
      if (entry.text === undefined || read.length === MAX_COMPARED) continue;
      yield;
      const n = read.length;
      const from = this.#startOf(n);
      const count = readTopic(entry.text, this.#words, from);
      if (count < LEAST_WORDS) continue;
      this.#ends[n] = from + count;
      this.#isSorted[n] = 0;
      this.#comparedBy[n] = 0;
      read.push(entry);
      for (let band = 0; band < BANDS; band++)
        for (let i = this.#join(n, band, listed); i < MAX_IN_BAND; i++) {
          const other = this.#inBand[i] as number;
          if (this.#comparedBy[other] === n || pairs.length >= MAX_PAIRS) continue;
          this.#comparedBy[other] = n;
          const shared = sharedWords(this.#wordsOf(n), this.#wordsOf(other), threshold);
          if (shared !== undefined) pairs.push({ one: read[other] as LookedEntry, other: entry, shared });
        }
    }
    return pairs;
  }

  /** Adds a text to the list of one of its bands. The last ones that were there before are then at the end of `#inBand`: from where. */
  #join(n: number, band: number, listed: number): number {
    const mark = markOf(this.#words, { from: this.#startOf(n), end: this.#ends[n] as number }, band);
    const member = n * BANDS + band;
    let list = (mark ^ (mark >>> 15)) & (listed - 1);
    let last = this.#lists[list] as number;
    while (last !== 0 && (this.#marks[last - 1] !== mark || (last - 1) % BANDS !== band)) {
      list = (list + 1) & (listed - 1);
      last = this.#lists[list] as number;
    }
    this.#marks[member] = mark;
    this.#before[member] = last;
    this.#lists[list] = member + 1;
    let first = MAX_IN_BAND;
    for (; last !== 0 && first > 0; last = this.#before[last - 1] as number)
      this.#inBand[--first] = Math.floor((last - 1) / BANDS);
    return first;
  }

  #startOf(n: number): number {
    return n === 0 ? 0 : (this.#ends[n - 1] as number);
  }

  /** In order. */
  #wordsOf(n: number): Int32Array {
    const words = this.#words.subarray(this.#startOf(n), this.#ends[n]);
    if (this.#isSorted[n] === 0) words.sort();
    this.#isSorted[n] = 1;
    return words;
  }
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
