import { HASH_START, hashOn, MAX_TOKEN_LENGTH, type Vocabulary } from './vocabulary.ts';
import {
  camelParts,
  FUNCTION_WORDS,
  IS_LETTER,
  IS_NUMBER,
  kindOfOther,
  lettersAndNumbers,
  rewritten,
  startsWithNumber,
} from './words.ts';

const ANY_NUMBER = '<num>';
/** An unknown word becomes at most this many pieces. */
const MAX_PIECES = 8;
/** From this length on an unknown word may be a form of a known one. */
const MIN_KIN_LENGTH = 7;
const MAX_REMEMBERED = 10_000;
/** Longer runs are ids and encoded data, which rarely occur twice. */
const MAX_REMEMBERED_LENGTH = 40;

const KINDS = new Uint8Array(128);
const LOWER = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  KINDS[code] = kindOfOther(character);
  LOWER[code] = character.toLowerCase().charCodeAt(0);
}

/** The tokens of a run that is no word of the vocabulary. */
type RunTokens = { tokens: readonly number[]; functionWords: readonly number[] };

/** A list of tokens that keeps its memory: only the first `length` values count. */
export class TokenList {
  values = new Int32Array(256);
  length = 0;

  add(token: number): void {
    if (this.length === this.values.length) {
      const grown = new Int32Array(2 * this.length);
      grown.set(this.values);
      this.values = grown;
    }
    this.values[this.length++] = token;
  }
}

/** Splits texts into tokens of a vocabulary. */
export class Tokenizer {
  readonly #vocabulary: Vocabulary;
  readonly #isFunctionWord: Uint8Array;
  readonly #anyNumber: number;
  readonly #tokens = new TokenList();
  readonly #functionWords = new TokenList();
  readonly #word = new Uint8Array(MAX_TOKEN_LENGTH + 1);
  readonly #remembered = new Map<string, RunTokens>();

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
    this.#isFunctionWord = new Uint8Array(vocabulary.size);
    for (const word of FUNCTION_WORDS) {
      const token = vocabulary.tokenOf(word);
      if (token < 0) throw new Error(`embedder.vocab does not have "${word}"`);
      this.#isFunctionWord[token] = 1;
    }
    this.#anyNumber = vocabulary.tokenOf(ANY_NUMBER);
  }

  /** The tokens of a text in its order, valid until the next call. */
  split(given: string): Readonly<TokenList> {
    const text = rewritten(given);
    this.#tokens.length = 0;
    this.#functionWords.length = 0;
    for (let at = 0; at < text.length; ) at = this.#readRun(text, at);
    return this.#tokens.length > 0 ? this.#tokens : this.#functionWords;
  }

  /** Reads a run of letters and digits that begins with a letter, or of digits, or one other character. */
  #readRun(text: string, from: number): number {
    const first = text.charCodeAt(from);
    const kind = first < 128 ? (KINDS[first] as number) : kindAt(text, from);
    if (kind === 0) return from + 1;
    const wanted = kind === IS_NUMBER ? IS_NUMBER : IS_LETTER | IS_NUMBER;
    let hash = HASH_START;
    let at = from;
    let isAscii = true;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code >= 128) {
        if ((kindAt(text, at) & wanted) === 0) break;
        isAscii = false;
        if (isFirstHalf(code)) at++;
        continue;
      }
      if (((KINDS[code] as number) & wanted) === 0) break;
      const lower = LOWER[code] as number;
      hash = hashOn(hash, lower);
      if (at - from <= MAX_TOKEN_LENGTH) this.#word[at - from] = lower;
    }
    const length = at - from;
    const token = isAscii && length <= MAX_TOKEN_LENGTH ? this.#vocabulary.find(this.#word, length, hash) : -1;
    if (token < 0) this.#addRun(text.slice(from, at));
    else if (this.#isFunctionWord[token] === 1) this.#functionWords.add(token);
    else this.#tokens.add(token);
    return at;
  }

  #addRun(run: string): void {
    const found = this.#remembered.get(run) ?? this.#remember(run, this.#tokensOfRun(run));
    for (const token of found.tokens) this.#tokens.add(token);
    for (const token of found.functionWords) this.#functionWords.add(token);
  }

  #remember(run: string, found: RunTokens): RunTokens {
    if (run.length > MAX_REMEMBERED_LENGTH) return found;
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    // A part of a text would keep the whole text in memory.
    this.#remembered.set(Buffer.from(run, 'utf16le').toString('utf16le'), found);
    return found;
  }

  #tokensOfRun(run: string): RunTokens {
    const tokens: number[] = [];
    const functionWords: number[] = [];
    const addKnown = (word: string): boolean => {
      const token = this.#vocabulary.tokenOf(word);
      if (token >= 0) (this.#isFunctionWord[token] === 1 ? functionWords : tokens).push(token);
      return token >= 0;
    };
    for (const part of camelParts(run)) {
      const lower = part.toLowerCase();
      if (addKnown(lower)) continue;
      for (const piece of lettersAndNumbers(lower)) if (!addKnown(piece)) tokens.push(...this.#unknown(piece));
    }
    return { tokens, functionWords };
  }

  #unknown(word: string): number[] {
    if (startsWithNumber(word)) return [this.#anyNumber];
    const kin = word.length >= MIN_KIN_LENGTH ? this.#vocabulary.kinOf(word) : -1;
    return kin >= 0 ? [kin] : this.#vocabulary.piecesOf(word, MAX_PIECES);
  }
}

const isFirstHalf = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

/** Kinds of characters in the basic plane plus one, as they are met. */
const otherKinds = new Uint8Array(65_536);

function kindAt(text: string, at: number): number {
  const code = text.codePointAt(at) as number;
  if (code > 0xffff) return kindOfOther(String.fromCodePoint(code));
  otherKinds[code] ||= 1 + kindOfOther(String.fromCharCode(code));
  return (otherKinds[code] as number) - 1;
}
