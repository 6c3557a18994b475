import { stem } from './stem.ts';

/** PostgreSQL counts positions in a tsvector up to 16383. */
export const MAX_INDEXED_WORDS = 16_000;

const MAX_WORD_LENGTH = 64;

/** PostgreSQL refuses a tsvector of 1 MiB. Each word takes its bytes plus some overhead, each position two bytes. */
const MAX_INDEXED_BYTES = 1_000_000;
const BYTES_BESIDE_WORD = 16;
const MAX_WORD_BYTES = 3 * MAX_WORD_LENGTH + BYTES_BESIDE_WORD + 2;

/** `wholes` receives unsplit camelCase words; it may be `words` itself. */
type WordSink = { words: string[]; wholes: string[] | undefined; max: number };

/**
 * The words of a text as both databases index them: lower case, without Latin, Greek and Cyrillic accents, stemmed. A
 * camelCase word comes whole and then in its parts. Words contain only letters, digits and marks, so that they can be
 * joined by spaces and need no quoting.
 */
export function words(text: string): string[] {
  const found: string[] = [];
  collect(text, { words: found, wholes: found, max: Number.POSITIVE_INFINITY });
  return found.map(stem);
}

/** The words of a text, not stemmed, with camelCase words only in parts. */
export function parts(text: string): string[] {
  const found: string[] = [];
  collect(text, { words: found, wholes: undefined, max: Number.POSITIVE_INFINITY });
  return found;
}

export type IndexedEntry = { entity_path: string; key: string; value: unknown };

/** The search words of an entry. Whole camelCase words come last, because between the parts they would break up phrases. */
export function wordsOfEntry(entry: IndexedEntry): string[] {
  const walk = startOf(entry);
  collectValue(walk, Number.POSITIVE_INFINITY);
  return indexed(walk.sink);
}

/** How many characters are split into words in one step. */
const STEP_CHARACTERS = 16_384;

/** The same in steps that take a few milliseconds each, with a yield after each of them. */
export function* wordsOfEntryInSteps(entry: IndexedEntry): Generator<void, string[]> {
  const walk = startOf(entry);
  while (!collectValue(walk, STEP_CHARACTERS)) yield;
  yield;
  return indexed(walk.sink);
}

type ValueWalk = { levels: ValueLevel[]; sink: WordSink };

function startOf({ entity_path, key, value }: IndexedEntry): ValueWalk {
  const sink: WordSink = { words: [], wholes: [], max: MAX_INDEXED_WORDS };
  collect(entity_path, sink);
  collect(key, sink);
  return { levels: [{ names: undefined, values: [value], next: 0 }], sink };
}

function indexed({ words, wholes }: WordSink): string[] {
  const all = words.concat(wholes ?? []);
  if (all.length > MAX_INDEXED_WORDS) all.length = MAX_INDEXED_WORDS;
  return cutToBytes(all.map(stem));
}

function cutToBytes(all: string[]): string[] {
  if (all.length * MAX_WORD_BYTES <= MAX_INDEXED_BYTES) return all;
  const known = new Set<string>();
  let left = MAX_INDEXED_BYTES;
  const end = all.findIndex((word) => {
    left -= 2 + (known.has(word) ? 0 : Buffer.byteLength(word) + BYTES_BESIDE_WORD);
    known.add(word);
    return left < 0;
  });
  return end < 0 ? all : all.slice(0, end);
}

/** A list, or an object with the names of its members: fetching all values of a large one would take as long again. */
type ValueLevel = { names: string[] | undefined; values: unknown; next: number };

/** Goes on with a value for that many characters. Returns whether all its words are collected. */
function collectValue({ levels, sink }: ValueWalk, characters: number): boolean {
  let left = characters;
  for (let level = levels.at(-1); level && sink.words.length < sink.max; level = levels.at(-1)) {
    if (left <= 0) return false;
    const { names, values } = level;
    const at = level.next++;
    if (at >= (names ?? (values as unknown[])).length) {
      levels.pop();
      continue;
    }
    const name = names?.[at] ?? '';
    const one = (values as Record<string | number, unknown>)[names === undefined ? at : name];
    if (name.length > MAX_PIECE) {
      levels.push({ names: undefined, values: [one], next: 0 }, { names: undefined, values: piecesOf(name), next: 0 });
      continue;
    }
    collect(name, sink);
    left -= name.length + 1;
    if (Array.isArray(one)) levels.push({ names: undefined, values: one, next: 0 });
    else if (typeof one === 'object' && one !== null) levels.push({ names: Object.keys(one), values: one, next: 0 });
    else if (typeof one === 'string' && one.length > MAX_PIECE)
      levels.push({ names: undefined, values: piecesOf(one), next: 0 });
    else if (one !== null && one !== undefined) {
      const text = String(one);
      collect(text, sink);
      left -= text.length;
    }
  }
  return true;
}

/** Ends every word, in all scripts, and becomes no part of one when the text is normalised. */
const BETWEEN_WORDS = /[\p{P}\p{Z}\p{Cc}]/gu;
/** Text is cut where a word ends after this many characters. */
const PIECE = 4_096;
/** The most that is read of a run without an end of a word. In words of two letters it fills the index. */
const MAX_PIECE = 36_000;

/** Cuts a long text between words, so that each piece is read quickly, whatever it holds. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    BETWEEN_WORDS.lastIndex = at + PIECE;
    const end = BETWEEN_WORDS.exec(text)?.index ?? text.length;
    pieces.push(text.slice(at, Math.min(end, at + MAX_PIECE)).toWellFormed());
    at = end;
  }
  return pieces;
}

const LOWER = 1;
const DIGIT = 2;
const UPPER = 4;
const INNER_UPPER = 8;
const OTHER = 16;

function kindOf(code: number): number {
  if (code >= 0x61) return code <= 0x7a ? LOWER : code < 0x80 ? 0 : OTHER;
  if (code >= 0x41) return code <= 0x5a ? UPPER : 0;
  return code >= 0x30 && code <= 0x39 ? DIGIT : 0;
}

function collect(text: string, sink: WordSink): void {
  let at = 0;
  while (at < text.length && sink.words.length < sink.max) {
    const start = at;
    let kind = kindOf(text.charCodeAt(at++));
    if (kind === 0) continue;
    let kinds = kind;
    for (; at < text.length; at++) {
      kind = kindOf(text.charCodeAt(at));
      if (kind === 0) break;
      kinds |= kind === UPPER ? INNER_UPPER : kind;
    }
    const run = text.slice(start, at);
    if (kinds & OTHER) collectFolded(run, sink);
    else if (kinds & INNER_UPPER) collectCased(run, sink);
    else sink.words.push(cut(kinds & UPPER ? run.toLowerCase() : run));
  }
}

/** Between `retry` and `Policy`, `HTTP` and `Server`, but not within `URLs` nor between letters and digits. */
const CAMEL = /(?<=\p{Ll})(?=\p{Lu})|(?<=[\p{Lu}\p{N}])(?=\p{Lu}\p{Ll})(?!\p{Lu}s(?!\p{Ll}))/u;

function collectCased(run: string, sink: WordSink): void {
  const lower = run.toLowerCase();
  const split = lower === run ? [run] : run.split(CAMEL);
  if (split.length > 1) sink.wholes?.push(cut(lower));
  for (const part of split) sink.words.push(cut(part.toLowerCase()));
}

/** Soft hyphens and variation selectors, which do not make another word. */
const INVISIBLE = /[\u00ad\p{Variation_Selector}]/gu;
const ACCENTS = /(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}0-9])\p{M}+/gu;
/** Some letters stand for a whole phrase. A syllable of Hangul stands for three letters, and two syllables are a word. */
const MAX_FOLDED = 3 * (MAX_INDEXED_WORDS + 1);
const ASCII_WORD = /^[A-Za-z0-9]+$/;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;

const UNSPACED_SCRIPTS =
  '\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}';
const UNSPACED = new RegExp(`^[${UNSPACED_SCRIPTS}]`, 'u');
const SAME_SPACING = new RegExp(`[${UNSPACED_SCRIPTS}]+|[^${UNSPACED_SCRIPTS}]+`, 'gu');

/** Whether the script of a word puts no spaces between words. */
export function isUnspaced(word: string): boolean {
  return UNSPACED.test(word);
}

function collectFolded(run: string, sink: WordSink): void {
  const bare = run
    .normalize('NFKD')
    .slice(0, Math.max(MAX_FOLDED, 3 * run.length))
    .replace(INVISIBLE, '')
    .replace(ACCENTS, '');
  if (ASCII_WORD.test(bare)) {
    collectCased(bare, sink);
    return;
  }
  // Composed again, because NFKD also decomposes the syllables of Hangul and the voiced letters of Kana.
  for (const word of bare.normalize('NFC').match(WORD) ?? []) {
    for (const piece of word.match(SAME_SPACING) ?? []) {
      if (sink.words.length >= sink.max) return;
      if (isUnspaced(piece)) collectPairs(piece, sink);
      else collectCased(piece, sink);
    }
  }
}

/** In scripts without spaces, each pair of neighbouring letters is a word: a search then finds any run of two or more. */
function collectPairs(piece: string, sink: WordSink): void {
  const letters = Array.from(piece);
  if (letters.length === 1) sink.words.push(piece);
  for (let at = 1; at < letters.length && sink.words.length < sink.max; at++) {
    sink.words.push(`${letters[at - 1]}${letters[at]}`);
  }
}

function cut(word: string): string {
  if (word.length <= MAX_WORD_LENGTH) return word;
  const last = word.charCodeAt(MAX_WORD_LENGTH - 1);
  return word.slice(0, last >= 0xd800 && last <= 0xdbff ? MAX_WORD_LENGTH - 1 : MAX_WORD_LENGTH);
}
