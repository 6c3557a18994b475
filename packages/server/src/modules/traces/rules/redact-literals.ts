import type { TextRange } from './redact-pattern-parts.ts';

const OPENING = /(?:[rRbBuUfF]{1,2})?(\\{0,7})(["'`])/y;
const STOPS: Record<string, RegExp> = { '"': /["\n]/g, "'": /['\n]/g, '`': /[`\n]/g };

/**
 * The text between quotes, where a quote begins at `at`. In nested JSON quotes are escaped; the closing quote is escaped as
 * often as the opening one. An unclosed text ends with its line.
 */
export function findQuoted(text: string, at: number): TextRange | undefined {
  OPENING.lastIndex = at;
  const opening = OPENING.exec(text);
  const stop = STOPS[opening?.[2] ?? ''];
  if (opening === null || stop === undefined) return undefined;
  const escapes = opening[1]?.length ?? 0;
  const start = OPENING.lastIndex;
  stop.lastIndex = start;
  for (let match = stop.exec(text); match !== null; match = stop.exec(text)) {
    if (match[0] === '\n') return { start, end: match.index };
    const found = backslashesBefore(text, match.index, start);
    if (found < escapes) return { start, end: match.index - found };
    if ((found - escapes) % (2 * (escapes + 1)) === 0) return { start, end: match.index - escapes };
  }
  return { start, end: text.length };
}

/** Counted back from a quote: a pattern would start at each of many backslashes that no quote follows. */
function backslashesBefore(text: string, at: number, start: number): number {
  let from = at;
  while (from > start && text[from - 1] === '\\') from--;
  return at - from;
}

/** A comma or an ampersand may be part of a value; before a space, a quote or the next name it ends the value. */
const BARE = String.raw`(?:[^\s"'\x60,;&<>\\)\]}]|&(?![\w.%[\]-]{1,64}=|amp;)|,(?![\s"'{[]|[\w.-]{1,64}[ ]?[=:]|$)|\\(?![nrt"'\x60\\]))`;
/** Longer than any word: needs no check, and the checked text must be short. */
const MAX_WORD_CHARS = 256;
const WORD = new RegExp(`${BARE}{0,${MAX_WORD_CHARS}}`, 'y');
const REST = new RegExp(`${BARE}*`, 'y');

/** Returns the word that begins at `at`, by the rules of a shell, a URL or a line of settings. */
export function findBare(text: string, at: number): { word: string; isLong: boolean } {
  WORD.lastIndex = at;
  const word = WORD.exec(text)?.[0] ?? '';
  return { word, isLong: word.length === MAX_WORD_CHARS };
}

/** Returns the end of that word, however long it is. */
export function findBareEnd(text: string, at: number): number {
  REST.lastIndex = at;
  REST.test(text);
  return REST.lastIndex;
}
