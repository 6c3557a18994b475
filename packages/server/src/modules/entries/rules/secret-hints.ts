/** Tokens are long words with a digit; no pattern of a token is shorter. */
const LEAST_TOKEN_CHARS = 15;
/** No payment card has fewer digits. */
const LEAST_CARD_DIGITS = 13;
const LOOK_BACK = 24;
const LONGEST_URL_USER = 128;

/** Every form of the detector's table has one of these: a digit, a sign of an assignment, a quote, an @, an option. */
const MARK = /[\d:=>'@]|-(?=[-up])/g;

const IN_WORD = new Uint8Array(128);
for (const one of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+./') IN_WORD[one.charCodeAt(0)] = 1;

/** The name of a secret before a sign, in any of the forms that an assignment has. */
const NAME_BEFORE_SIGN =
  /(?:pass(?:word|wd|phrase|code)?s?|pwd|secrets?|tokens?|credentials?|cookies?|authorization|keys?|base|data)\d{0,3}[\\"'`\]*? \t]{0,12}$/i;
const SQL_PASSWORD = /(?:password|identified by)[ \t]{1,8}$/i;
const OPTION = /^(?:--[\w-]{0,16}(?:pass|pwd|secret|token|key|user)|-[up][ \t])/i;
const SCHEME = /:\\?\/\\?\//;

/** How many marks an operation may still look at. */
export type MarkBudget = { marks: number };

/** The position from `from` on at which a secret may be, or undefined. A mark costs up to 0.2 µs, other text 1 ns a character. */
export function findHint(text: string, from: number, budget: MarkBudget): number | undefined {
  MARK.lastIndex = from;
  // `test` makes no array of the match.
  while (budget.marks > 0 && MARK.test(text)) {
    budget.marks--;
    const at = MARK.lastIndex - 1;
    const code = text.charCodeAt(at);
    if (isDigit(code)) {
      const end = endOfWord(text, at);
      if (end === undefined || countDigits(text, at) >= LEAST_CARD_DIGITS) return at;
      MARK.lastIndex = end;
    } else if (isHint(text, at, text[at] as string)) return at;
  }
  return undefined;
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

const isInWord = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code < 128 && IN_WORD[code] === 1;
};

/** The end of the word around a digit; undefined where the word is long enough for a token. */
function endOfWord(text: string, at: number): number | undefined {
  let start = at;
  while (start > 0 && at - start < LEAST_TOKEN_CHARS && isInWord(text, start - 1)) start--;
  let end = at + 1;
  while (end < text.length && end - start < LEAST_TOKEN_CHARS && isInWord(text, end)) end++;
  return end - start >= LEAST_TOKEN_CHARS ? undefined : end;
}

/** Counts the digits from here on, in groups that a space or a dash separates, as far as a card needs them. */
function countDigits(text: string, at: number): number {
  let count = 0;
  for (let i = at; count < LEAST_CARD_DIGITS; i++) {
    if (isDigit(text.charCodeAt(i))) count++;
    else if ((text[i] !== ' ' && text[i] !== '-') || !isDigit(text.charCodeAt(i + 1))) return count;
  }
  return count;
}

function isHint(text: string, at: number, mark: string): boolean {
  if (mark === '-') return OPTION.test(text.slice(at, at + LOOK_BACK));
  if (mark === '@') return SCHEME.test(text.slice(Math.max(0, at - LONGEST_URL_USER), at));
  return (mark === "'" ? SQL_PASSWORD : NAME_BEFORE_SIGN).test(text.slice(Math.max(0, at - LOOK_BACK), at));
}
