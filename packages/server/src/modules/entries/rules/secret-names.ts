/** The characters of a text, any that is not ASCII as 128, with a margin of zeros on both sides. */
export type Codes = Uint8Array;
/** No check looks further than this beyond what it has read. */
export const MARGIN = 64;

const MAX_FILLERS = 12;
const MAX_NAME_DIGITS = 3;
const LONGEST_OPTION = 48;

const tableOf = (characters: RegExp): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, code) => (code < 128 && characters.test(String.fromCharCode(code)) ? 1 : 0));

/** What may stand between a name and its sign. */
const FILLERS = tableOf(/[\\"'`\]*? \t]/);
const DIGITS = tableOf(/\d/);
const GAPS = tableOf(/[-_. ]/);
const LETTERS = tableOf(/[A-Za-z]/);
const NAME_CHARS = tableOf(/[\w.-]/);

const isIn = (table: Uint8Array, code: number | undefined): boolean => table[code as number] === 1;

/** Words by their last letter: most texts are told apart by it. Each is kept as codes, the last one first. */
type Words = readonly (readonly Uint8Array[])[];

const reversed = (word: string): Uint8Array => Uint8Array.from(Buffer.from(word).reverse());

function byLastLetter(words: string): Words {
  const all = words.split(' ').map(reversed);
  return Array.from({ length: 256 }, (_, code) => all.filter(([last]) => last === (code | 0x20)));
}

const PLAIN_NAMES = byLastLetter(
  'password passwd passphrase passcode pwd secret token credential cookie authorization ' +
    'passwords passwds passphrases passcodes secrets tokens credentials cookies',
);
/** Names of secrets only after one of these kinds, or before one of these parts. */
const KEY_NAMES = byLastLetter('key keys');
const KEY_KINDS = byLastLetter(
  'access account api auth encryption hmac master private secret session shared signing ssh',
);
const KEY_PARTS = byLastLetter('data base');
const PASS = reversed('pass');

/** The last two letters of all names, so that most other words are told apart at once. */
const ENDINGS = new Uint8Array(256 * 256);
for (const ending of 'rd wd se de et en al ie on ds es ts ns ls ey ys ta ss'.split(' '))
  for (const one of [ending, ending.toUpperCase()])
    for (const other of [ending, ending.toUpperCase()]) ENDINGS[(one.charCodeAt(0) << 8) | other.charCodeAt(1)] = 1;

export const wordOf = reversed;

/** Whether what ends here is this word, in letters of any case. */
export function endsWithWord(codes: Codes, end: number, word: Uint8Array): boolean {
  if (end < word.length) return false;
  for (let i = 0; i < word.length; i++) if (((codes[end - 1 - i] as number) | 0x20) !== word[i]) return false;
  return true;
}

/** The beginning of the word that ends here, or -1. */
function beginOf(codes: Codes, end: number, words: Words): number {
  const candidates = words[codes[end - 1] as number] as readonly Uint8Array[];
  for (let i = 0; i < candidates.length; i++) {
    const word = candidates[i] as Uint8Array;
    if (endsWithWord(codes, end, word)) return end - word.length;
  }
  return -1;
}

const beforeGap = (codes: Codes, at: number): number => (isIn(GAPS, codes[at - 1]) ? at - 1 : at);

/** Whether the name of a secret ends here. */
function endsSecretName(codes: Codes, end: number): boolean {
  if (ENDINGS[((codes[end - 2] as number) << 8) | (codes[end - 1] as number)] !== 1) return false;
  if (beginOf(codes, end, PLAIN_NAMES) >= 0) return true;
  if (endsWithWord(codes, end, PASS)) return isIn(LETTERS, codes[beforeGap(codes, end - PASS.length) - 1]);
  const part = beginOf(codes, end, KEY_PARTS);
  const key = beginOf(codes, part < 0 ? end : beforeGap(codes, part), KEY_NAMES);
  return key >= 0 && (part >= 0 || beginOf(codes, beforeGap(codes, key), KEY_KINDS) >= 0);
}

/** Whether the name of a secret stands before the sign of an assignment. */
export function hasSecretName(codes: Codes, sign: number): boolean {
  let end = sign;
  while (sign - end < MAX_FILLERS && isIn(FILLERS, codes[end - 1])) end--;
  return endsSecretName(codes, withoutDigits(codes, end));
}

function withoutDigits(codes: Codes, end: number): number {
  let at = end;
  while (end - at < MAX_NAME_DIGITS && isIn(DIGITS, codes[at - 1])) at--;
  return at;
}

const DASH = 0x2d;
const U = 0x75;
const P = 0x70;
const SSHPASS = reversed('sshpass');
const USER = reversed('--user');

/** Whether a word that begins with a dash is an option that takes a secret. */
export function isOptionOfSecret(codes: Codes, start: number): boolean {
  const second = codes[start + 1];
  if (second === U) return isBlank(codes[start + 2]);
  if (second === P) return isBlank(codes[start - 1]) && endsWithWord(codes, beforeBlanks(codes, start), SSHPASS);
  if (second !== DASH) return false;
  let end = start + 2;
  while (end - start < LONGEST_OPTION && isIn(NAME_CHARS, codes[end])) end++;
  return endsWithWord(codes, end, USER) || (isBlank(codes[end]) && endsSecretName(codes, withoutDigits(codes, end)));
}

export const isBlank = (code: number | undefined): boolean => code === 0x20 || code === 0x09;

const MAX_BLANKS = 8;

/** The end of what stands before the blanks that end here. */
export function beforeBlanks(codes: Codes, at: number): number {
  let end = at;
  while (at - end < MAX_BLANKS && isBlank(codes[end - 1])) end--;
  return end;
}
