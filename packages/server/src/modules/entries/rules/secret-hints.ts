import {
  beforeBlanks,
  type Codes,
  endsWithWord,
  hasSecretName,
  isBlank,
  isOptionOfSecret,
  MARGIN,
  wordOf,
} from './secret-names.ts';

/** No token of the table is shorter; a digit stands within this many characters of its beginning. */
const LEAST_TOKEN_CHARS = 15;
const FIRST_DIGIT_WITHIN = 200;
/** No payment card has fewer digits. */
const LEAST_CARD_DIGITS = 13;
const AWS_SECRET_CHARS = 40;
const LONGEST_URL_USER = 512;

const QUOTE = 0x27;
const DASH = 0x2d;
const SLASH = 0x2f;
const COLON = 0x3a;
const EQUALS = 0x3d;
const GREATER = 0x3e;
const AT = 0x40;
const BACKSLASH = 0x5c;

const WORD = 1;
const UPPER = 2;
const LOWER = 4;
const DIGIT = 8;
const BASE64 = 16;
const SIGN = 32;
const MIXED = UPPER | LOWER | DIGIT;

const CLASSES = Uint8Array.from({ length: 256 }, (_, code) => {
  const one = String.fromCharCode(code);
  const kind = /[A-Z]/.test(one) ? UPPER : /[a-z]/.test(one) ? LOWER : /[0-9]/.test(one) ? DIGIT : 0;
  return /[\w+./-]/.test(one) ? kind | WORD | (/[A-Za-z0-9+/]/.test(one) ? BASE64 : 0) : /[:=>'@]/.test(one) ? SIGN : 0;
});
const BEARER = wordOf('bearer');
const BASIC = wordOf('basic');
const PASSWORD = wordOf('password');
const IDENTIFIED_BY = wordOf('identified by');

/** How tokens begin: a class for each of the first four characters, and at most 32 forms, one bit for each. */
const BEGINNINGS =
  'A [KSBC] [IC] A,A I z a,y a 2 9,G O C S,g h [pousr] _,g i t h,g l [adprfscio] [-a-z],x o x [abeoprs],x a p p,' +
  '[sr] k _ [lt],w h s e,s k - [A-Za-z0-9],h f _ [A-Za-z0-9],n p m _,p y p i,S G [.] [-A-Za-z0-9_],S K [0-9a-f] [0-9a-f],' +
  'm e m _,h v [sbr] [.],d o p _,s h p a,d c k r,l i n _,g s k _,x a i -,f i g d,s b p _,p p l x,e y J [-A-Za-z0-9_],' +
  'h o o k,d i s c,- B E G';

const [FIRST, SECOND, THIRD, FOURTH] = [0, 1, 2, 3].map((position) => {
  const forms = BEGINNINGS.split(',').map((form) => new RegExp(`^${form.split(' ')[position]}$`));
  return Int32Array.from({ length: 256 }, (_, code) =>
    forms.reduce((bits, form, i) => (code < 128 && form.test(String.fromCharCode(code)) ? bits | (1 << i) : bits), 0),
  );
}) as [Int32Array, Int32Array, Int32Array, Int32Array];

const classOf = (code: number | undefined): number => CLASSES[code as number] as number;
const isDigit = (code: number | undefined): boolean => (classOf(code) & DIGIT) !== 0;

/**
 * Finds where in a text a secret may be, in one pass: every form of the detector's table has a word that begins like a
 * token, digits of a card, the name of a secret before a sign, an option, or an address with an @. Nothing is looked at
 * more than a few times, and nothing is sliced: 1 MB takes a few milliseconds whatever it holds.
 */
export class HintFinder {
  readonly #codes: Codes;
  readonly #end: number;
  #at = 0;
  #from = 0;
  /** The last `://`, and the last other colon. */
  #scheme = -1;
  #colon = -1;

  constructor(codes: Codes, length: number) {
    this.#codes = codes;
    this.#end = MARGIN + length;
  }

  /** The position of the next hint from `from` on, or undefined. */
  next(from: number): number | undefined {
    this.#at = from + MARGIN;
    this.#from = this.#at;
    while (this.#at < this.#end) {
      const code = this.#codes[this.#at] as number;
      const kind = classOf(code);
      if (kind === 0) {
        this.#at++;
        continue;
      }
      const found = kind === SIGN ? this.#signHint(code) : this.#wordHint();
      if (found !== undefined) return found - MARGIN;
    }
    return undefined;
  }

  #signHint(code: number): number | undefined {
    const at = this.#at++;
    switch (code) {
      case COLON: {
        const isScheme = this.#codes[at + 1] === SLASH || this.#codes[at + 1] === BACKSLASH;
        if (isScheme) this.#scheme = at;
        else this.#colon = at;
        return hasSecretName(this.#codes, at) ? at : undefined;
      }
      case EQUALS:
      case GREATER:
        return hasSecretName(this.#codes, at) ? at : undefined;
      case AT:
        return this.#scheme >= 0 && this.#colon > this.#scheme && at - this.#scheme <= LONGEST_URL_USER
          ? at
          : undefined;
      case QUOTE:
        return this.#isSqlPassword(at) ? at : undefined;
      default:
        return undefined;
    }
  }

  #isSqlPassword(at: number): boolean {
    if (!isBlank(this.#codes[at - 1])) return false;
    const end = beforeBlanks(this.#codes, at);
    return endsWithWord(this.#codes, end, PASSWORD) || endsWithWord(this.#codes, end, IDENTIFIED_BY);
  }

  /** Reads a word to its end, or to a hint in it. */
  #wordHint(): number | undefined {
    const codes = this.#codes;
    const start = this.#at;
    if (codes[start] === DASH && isOptionOfSecret(codes, start)) return this.#found(start);
    let token = isBlank(codes[start - 1]) && this.#followsScheme(start) ? start : -1;
    let run = start;
    let seen = 0;
    let at = start;
    for (; at < this.#end; at++) {
      const code = codes[at] as number;
      const kind = classOf(code);
      if (code === DASH && beginsToken(codes, at)) return this.#found(at);
      if ((kind & BASE64) === 0) {
        if (at - run === AWS_SECRET_CHARS && isMixed(seen)) return this.#found(run);
        if ((kind & WORD) === 0) break;
        run = at + 1;
        seen = 0;
        continue;
      }
      seen |= kind;
      if (beginsToken(codes, at)) token = at;
      if ((kind & DIGIT) === 0) continue;
      if (token >= 0 && at - token <= FIRST_DIGIT_WITHIN) {
        if (this.#isLongWord(token)) return this.#found(token);
        token = -1;
      }
      if (this.#isCard(at)) return this.#found(at);
    }
    if (at === this.#end && at - run === AWS_SECRET_CHARS && isMixed(seen)) return this.#found(run);
    this.#at = at;
    return undefined;
  }

  #found(at: number): number {
    this.#at = at + 1;
    return at;
  }

  #followsScheme(start: number): boolean {
    const end = beforeBlanks(this.#codes, start);
    return endsWithWord(this.#codes, end, BEARER) || endsWithWord(this.#codes, end, BASIC);
  }

  #isLongWord(start: number): boolean {
    for (let at = start; at < start + LEAST_TOKEN_CHARS; at++)
      if ((classOf(this.#codes[at]) & WORD) === 0) return false;
    return true;
  }

  /** Whether digits begin here, in groups that a blank or a dash separates, that are enough for a card. */
  #isCard(at: number): boolean {
    const codes = this.#codes;
    if (at !== this.#from && !this.#beginsNumber(at)) return false;
    let count = 0;
    let end = at;
    for (; count < LEAST_CARD_DIGITS; end++) {
      const code = codes[end] as number;
      if (isDigit(code)) count++;
      else if ((code !== 0x20 && code !== DASH) || !isDigit(codes[end + 1])) return false;
    }
    const [first, isOneGroup] = [codes[at] as number, end - at === LEAST_CARD_DIGITS];
    if (!isOneGroup || (first >= 0x32 && first <= 0x36)) return true;
    // No card begins so: it is a time or an id, and the next number may be a card.
    while (isDigit(codes[end])) end++;
    this.#from = end + 1;
    return false;
  }

  #beginsNumber(at: number): boolean {
    const before = this.#codes[at - 1] as number;
    const earlier = this.#codes[at - 2];
    if (before === 0x20 || before === DASH) return !isDigit(earlier);
    return (
      (classOf(before) & WORD) === 0 || before === SLASH || (earlier === BACKSLASH && (classOf(before) & LOWER) !== 0)
    );
  }
}

const isMixed = (seen: number): boolean => (seen & MIXED) === MIXED;

function beginsToken(codes: Codes, at: number): boolean {
  let forms = FIRST[codes[at] as number] as number;
  if (forms === 0) return false;
  forms &= SECOND[codes[at + 1] as number] as number;
  if (forms === 0) return false;
  return (forms & (THIRD[codes[at + 2] as number] as number) & (FOURTH[codes[at + 3] as number] as number)) !== 0;
}
