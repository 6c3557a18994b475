/** Tokens are long words with a digit; no pattern of a token is shorter. */
const LEAST_TOKEN_CHARS = 15;
/** No payment card has fewer digits. */
const LEAST_CARD_DIGITS = 13;
const LOOK_BACK = 24;

/** What a character may be part of. */
const DIGIT = 1;
const WORD = 2;
const SIGN = 3;
const QUOTE = 4;
const AT = 5;

const CLASSES = new Uint8Array(128);
const classify = (characters: string, name: number) => {
  for (const character of characters) CLASSES[character.charCodeAt(0)] = name;
};
classify('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-+./', WORD);
classify('0123456789', DIGIT);
classify(':=>', SIGN);
classify("'", QUOTE);
classify('@', AT);

const SPACE = 0x20;
const DASH = 0x2d;

/** The name of a secret before a sign, in any of the forms that an assignment has. */
const NAME_BEFORE_SIGN =
  /(?:pass(?:word|wd|phrase|code)?s?|pwd|secrets?|tokens?|credentials?|cookies?|authorization|keys?|base|data)\d{0,3}[\\"'`\]*? \t]{0,12}$/i;
const SQL_PASSWORD = /(?:password|identified by)[ \t]{1,8}$/i;
const OPTION = /^(?:--[\w-]{0,16}(?:pass|pwd|secret|token|key|user)|-u[ \t]|-p[ \t])/i;

/**
 * The position from `from` on at which a secret may be, or undefined. One pass, 2 ns a character: what it lets through is
 * rare in prose and in data, and no form of the detector's table is without one of these signs.
 */
export function findHint(text: string, from: number): number | undefined {
  let word = 0;
  let digitsInWord = 0;
  let digits = 0;
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const kind = code < 128 ? (CLASSES[code] as number) : 0;
    if (kind === DIGIT) {
      word++;
      digitsInWord++;
      if (++digits >= LEAST_CARD_DIGITS || word >= LEAST_TOKEN_CHARS) return i;
      continue;
    }
    if (kind === WORD) {
      if (++word >= LEAST_TOKEN_CHARS && digitsInWord > 0) return i;
      if (code === DASH) {
        if (isOption(text, i)) return i;
      } else digits = 0;
      continue;
    }
    word = 0;
    digitsInWord = 0;
    if (code !== SPACE) digits = 0;
    if (kind > WORD && isMark(text, i, kind)) return i;
  }
  return undefined;
}

function isMark(text: string, at: number, kind: number): boolean {
  const before = text.slice(Math.max(0, at - LOOK_BACK), at);
  if (kind === SIGN) return NAME_BEFORE_SIGN.test(before);
  if (kind === QUOTE) return SQL_PASSWORD.test(before);
  return /:\\?\/\\?\//.test(text.slice(Math.max(0, at - 512), at));
}

function isOption(text: string, at: number): boolean {
  const next = text.charCodeAt(at + 1);
  if (next !== DASH && next !== 0x75 && next !== 0x70) return false;
  return (next === DASH || text.charCodeAt(at - 1) === SPACE) && OPTION.test(text.slice(at, at + LOOK_BACK));
}
