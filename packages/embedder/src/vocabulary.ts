/** FNV-1a, a character at a time. */
export const HASH_START = 0x811c9dc5;
export const hashOn = (hash: number, code: number): number => Math.imul(hash ^ code, 0x01000193);

/** No token is as long as this, in characters. */
export const MAX_TOKEN_LENGTH = 32;

const LINE_END = 0x0a;
/** Pieces that continue a word begin with two of these. */
const HASH_SIGN = 0x23;
/** Four times the number of tokens, so that a look-up rarely needs a second step. */
const SLOTS = 1 << 18;

/** Words are kin when they share this many letters from the front, and this part of both. */
const KIN_LETTERS = 6;
const KIN_SHARE = 0.7;
const KIN_SLOTS = 1 << 16;

const slotOf = (hash: number, slots: number): number => (hash ^ (hash >>> 15)) & (slots - 1);

/** Finds tokens by their characters. All tokens are ASCII; they stay in the bytes of their file. */
export class Vocabulary {
  readonly size: number;
  readonly #bytes: Uint8Array;
  /** Where the tokens begin, one after another, each with the end of a line behind it. */
  readonly #starts: Uint32Array;
  /** Pairs of a hash and a token plus one; open addressing. */
  readonly #slots = new Int32Array(2 * SLOTS);
  /** Words by the hash of their first letters: the first of a chain, and the next of each, plus one. */
  readonly #kinHeads = new Int32Array(KIN_SLOTS);
  readonly #kinNext: Int32Array;
  readonly #scratch = new Uint8Array(MAX_TOKEN_LENGTH + 2).fill(HASH_SIGN);

  constructor(bytes: Uint8Array, size: number) {
    this.size = size;
    this.#bytes = bytes;
    this.#starts = new Uint32Array(size + 1);
    this.#kinNext = new Int32Array(size);
    this.#fill();
  }

  /** In local variables and one pass over the bytes, because it runs once, before its code is compiled. */
  #fill(): void {
    const [bytes, starts, slots, kinHeads, kinNext] = [
      this.#bytes,
      this.#starts,
      this.#slots,
      this.#kinHeads,
      this.#kinNext,
    ];
    let token = 0;
    let hash = HASH_START;
    let from = 0;
    for (let at = 0; at <= bytes.length; at++) {
      const code = at < bytes.length ? (bytes[at] as number) : LINE_END;
      if (code !== LINE_END) {
        hash = hashOn(hash, code);
        if (at - from !== KIN_LETTERS - 1 || bytes[from] === HASH_SIGN) continue;
        const slot = slotOf(hash, KIN_SLOTS);
        kinNext[token] = kinHeads[slot] as number;
        kinHeads[slot] = token + 1;
        continue;
      }
      if (at - from > MAX_TOKEN_LENGTH) throw new Error(`token ${token} of embedder.vocab is too long`);
      let slot = slotOf(hash, SLOTS);
      while (slots[2 * slot + 1] !== 0) slot = (slot + 1) & (SLOTS - 1);
      slots[2 * slot] = hash;
      slots[2 * slot + 1] = ++token;
      from = at + 1;
      starts[token] = from;
      hash = HASH_START;
    }
    if (token !== this.size) throw new Error(`embedder.vocab has ${token} tokens instead of ${this.size}`);
  }

  #lengthOf(token: number): number {
    return (this.#starts[token + 1] as number) - (this.#starts[token] as number) - 1;
  }

  textOf(token: number): string {
    if (!(token >= 0 && token < this.size)) throw new RangeError(`there is no token ${token}`);
    const from = this.#starts[token] as number;
    return Buffer.from(this.#bytes.subarray(from, from + this.#lengthOf(token))).toString('latin1');
  }

  /** The token of the first characters of `word`, whose hash is given, or -1. */
  find(word: Uint8Array, length: number, hash: number): number {
    for (let slot = slotOf(hash, SLOTS); ; slot = (slot + 1) & (SLOTS - 1)) {
      const token = (this.#slots[2 * slot + 1] as number) - 1;
      if (token < 0) return -1;
      if (this.#slots[2 * slot] === hash && this.#lengthOf(token) === length && this.#begins(token, word)) return token;
    }
  }

  /** Whether a word begins with the characters of a token. */
  #begins(token: number, word: Uint8Array): boolean {
    const from = this.#starts[token] as number;
    const length = this.#lengthOf(token);
    for (let at = 0; at < length; at++) if (this.#bytes[from + at] !== word[at]) return false;
    return true;
  }

  /** The token of a word in lower case, or -1. */
  tokenOf(word: string): number {
    if (word.length > MAX_TOKEN_LENGTH) return -1;
    const bytes = this.#scratch.subarray(2);
    let hash = HASH_START;
    for (let at = 0; at < word.length; at++) {
      const code = word.charCodeAt(at);
      if (code >= 128) return -1;
      bytes[at] = code;
      hash = hashOn(hash, code);
    }
    return this.find(bytes, word.length, hash);
  }

  /** The tokens of a word that is not known itself: greedily the longest, at most `max`; what no token has is skipped. */
  piecesOf(word: string, max: number): number[] {
    const pieces: number[] = [];
    for (let from = 0; from < word.length && pieces.length < max; ) {
      const { token, to } = this.#longestAt(word, from);
      if (token >= 0) pieces.push(token);
      from = to;
    }
    return pieces;
  }

  /** At the start of a word a piece has two letters or more, and later it begins with two hash signs. */
  #longestAt(word: string, from: number): { token: number; to: number } {
    const bytes = from === 0 ? this.#scratch.subarray(2) : this.#scratch;
    let length = from === 0 ? 0 : 2;
    let hash = from === 0 ? HASH_START : hashOn(hashOn(HASH_START, HASH_SIGN), HASH_SIGN);
    const found = { token: -1, to: from + 1 };
    for (let at = from; at < word.length && length < MAX_TOKEN_LENGTH; ) {
      const code = word.charCodeAt(at++);
      if (code >= 128) break;
      bytes[length++] = code;
      hash = hashOn(hash, code);
      const token = length === 1 ? -1 : this.find(bytes, length, hash);
      if (token < 0) continue;
      found.token = token;
      found.to = at;
    }
    return found;
  }

  /**
   * The known word that shares the longest beginning with an unknown one, or -1: of the two before it in the alphabet and
   * the two after it, if enough of both is shared.
   */
  kinOf(word: string): number {
    const nearest = this.#nearest(word);
    let best = -1;
    let bestShared = 0;
    for (const token of nearest) {
      if (token < 0) continue;
      const shared = this.#shared(token, word);
      if (shared <= bestShared || shared < KIN_LETTERS) continue;
      if (shared < KIN_SHARE * word.length || shared < KIN_SHARE * this.#lengthOf(token)) continue;
      best = token;
      bestShared = shared;
    }
    return best;
  }

  /** In alphabetical order, -1 where there is none. Those that do not share the first letters are not looked at. */
  #nearest(word: string): [number, number, number, number] {
    const found: [number, number, number, number] = [-1, -1, -1, -1];
    let hash = HASH_START;
    for (let at = 0; at < KIN_LETTERS; at++) hash = hashOn(hash, word.charCodeAt(at));
    let next = this.#kinHeads[slotOf(hash, KIN_SLOTS)] as number;
    for (; next !== 0; next = this.#kinNext[next - 1] as number) {
      const token = next - 1;
      if (this.#shared(token, word) < KIN_LETTERS) continue;
      if (this.#isBefore(token, word)) {
        if (found[1] < 0 || this.#isBefore(found[1], this.textOf(token))) [found[0], found[1]] = [found[1], token];
        else if (found[0] < 0 || this.#isBefore(found[0], this.textOf(token))) found[0] = token;
      } else if (found[2] < 0 || this.#isBefore(token, this.textOf(found[2]))) [found[2], found[3]] = [token, found[2]];
      else if (found[3] < 0 || this.#isBefore(token, this.textOf(found[3]))) found[3] = token;
    }
    return found;
  }

  #isBefore(token: number, word: string): boolean {
    return this.textOf(token) < word;
  }

  #shared(token: number, word: string): number {
    const from = this.#starts[token] as number;
    const most = Math.min(this.#lengthOf(token), word.length);
    let at = 0;
    while (at < most && this.#bytes[from + at] === word.charCodeAt(at)) at++;
    return at;
  }
}
