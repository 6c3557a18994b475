import type { TextRange } from './redact-pattern-parts.ts';

const EDGE = /-----(BEGIN|END) [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)?-----/g;
/** Between the lines of a key: white space, escaped line ends, and quotes where the text is code. */
const BREAK = String.raw`(?:\s|\\{1,4}[nr]|["'+,]\s)+`;
const HEADER = String.raw`(?:(?:\r?\n|(?:\\{1,4}r)?\\{1,4}n)[A-Z][A-Za-z-]{1,30}: [^\n\r\\]{0,200})`;
const LINE = `${BREAK}[A-Za-z0-9+/=]{16,}`;
const LAST_LINE = String.raw`${BREAK}(?:[A-Za-z0-9+/=]{1,15}(?!\w))?(?:${BREAK})?(?:-{1,5}(?:END[A-Z ]{0,50}-{0,5})?)?`;
/** The rest of a key whose end is missing. */
const REST = new RegExp(`${HEADER}{0,8}(?:${LINE})+(?:${LAST_LINE})?`, 'y');
/** Matches key material, to exclude a sentence that only mentions the first and last line. */
const MATERIAL = /[\r\n]|\\[nr]|[A-Za-z0-9+/=]{16}/;

/** A private key in PEM, from its first line, which is the match, to its last, or to where the text was cut. */
export function privateKey(begin: RegExpExecArray): TextRange[] {
  const text = begin.input;
  const body = begin.index + begin[0].length;
  EDGE.lastIndex = body;
  const next = EDGE.exec(text);
  const end =
    next?.[1] === 'END'
      ? endOfKey(text, body, next)
      : Math.min(endOfOpenKey(text, body), next?.index ?? Number.POSITIVE_INFINITY);
  return end > body ? [{ start: begin.index, end }] : [];
}

function endOfKey(text: string, body: number, last: RegExpExecArray): number {
  return MATERIAL.test(text.slice(body, last.index)) ? last.index + last[0].length : body;
}

function endOfOpenKey(text: string, body: number): number {
  REST.lastIndex = body;
  return REST.test(text) ? REST.lastIndex : body;
}
