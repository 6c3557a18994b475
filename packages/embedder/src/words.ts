/** Words that carry no meaning of their own. They count only in a text that has nothing else. */
export const FUNCTION_WORDS: readonly string[] = `
  a an the this that these those it its
  i me my you your he him his she her we us our they them their
  am is are was were be been being do does did has have had will would can could should may might
  and or but if so than then there as of to in on at by for from with into`
  .trim()
  .split(/\s+/);

/** An apostrophe, or a character outside ASCII: such a text is rewritten before it is read. */
const NEEDS_REWRITING = /['\u0080-\uffff]/;
const NOT_ASCII = /[\u0080-\uffff]/;
const MARKS = /\p{M}+/gu;
/** `n't`, and the endings `'s` `'re` `'ve` `'ll` `'d` `'m`, which may also be followed by `n't`. */
const SHORT_FORM = /n['’]t\b|['’](?:s|re|ve|ll|d|m)(?:\b|(?=n['’]t\b))/g;

/** Without accents and short forms. */
export function rewritten(text: string): string {
  if (!NEEDS_REWRITING.test(text)) return text;
  const plain = NOT_ASCII.test(text) ? text.normalize('NFKD').replace(MARKS, '') : text;
  return plain.replace(SHORT_FORM, (form) => (form.startsWith('n') ? ' not' : ''));
}

const LETTER = /\p{L}/u;
const NUMBER = /\p{N}/u;
export const IS_LETTER = 1;
export const IS_NUMBER = 2;

/** Of a character outside ASCII. */
export function kindOfOther(character: string): number {
  if (LETTER.test(character)) return IS_LETTER;
  return NUMBER.test(character) ? IS_NUMBER : 0;
}

/** Between `get` and `User`, `HTTP` and `Server`, `v2` and `Beta`. */
const CAMEL = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

/** Without one of these, a run has one part. */
const MAY_BE_CAMEL = /[A-Z\u0080-\uffff]/;

/** The parts of a run of letters and digits. */
export const camelParts = (run: string): string[] => (MAY_BE_CAMEL.test(run) ? run.split(CAMEL) : [run]);

const SAME_KIND = /\p{L}+|\p{N}+/gu;
const SAME_ASCII_KIND = /[A-Za-z]+|[0-9]+/g;

/** Letters and digits apart. */
export const lettersAndNumbers = (part: string): string[] =>
  part.match(NOT_ASCII.test(part) ? SAME_KIND : SAME_ASCII_KIND) ?? [];

export function startsWithNumber(part: string): boolean {
  const code = part.codePointAt(0) ?? 0;
  return code < 128 ? code >= 0x30 && code <= 0x39 : NUMBER.test(String.fromCodePoint(code));
}
