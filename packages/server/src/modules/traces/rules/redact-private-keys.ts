import { findMatches, type Secret } from './redact-span.ts';

const EDGE = /-----(BEGIN|END) [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)?-----/g;
/** Between the lines of a key: white space, line ends written as escapes, and quotes where the text is code. */
const BREAK = String.raw`(?:\s|\\{1,4}[nr]|["'+,]\s)+`;
const HEADER = String.raw`(?:(?:\r?\n|(?:\\{1,4}r)?\\{1,4}n)[A-Z][A-Za-z-]{1,30}: [^\n\r\\]{0,200})`;
const LINE = `${BREAK}[A-Za-z0-9+/=]{16,}`;
const LAST_LINE = String.raw`${BREAK}(?:[A-Za-z0-9+/=]{1,15}(?!\w))?(?:${BREAK})?(?:-{1,5}(?:END[A-Z ]{0,50}-{0,5})?)?`;
/** As much of a key as there is when its end is missing. */
const REST = new RegExp(`${HEADER}{0,8}(?:${LINE})+(?:${LAST_LINE})?`, 'y');
/** Some of a key is there: not just the two lines named in a sentence. */
const MATERIAL = /[\r\n]|\\[nr]|[A-Za-z0-9+/=]{16}/;

/** Private keys in PEM, from the first line to the last, or to where the text was cut. */
export function findPrivateKeys(text: string): Secret[] {
  const edges = findMatches(text, EDGE);
  return edges.flatMap((edge, i) => {
    const body = edge.index + edge[0].length;
    const next = edges[i + 1];
    const end = edge[1] === 'END' ? body : next?.[1] === 'END' ? endOfKey(text, body, next) : endOfOpenKey(text, body);
    return end > body ? [{ start: edge.index, end, kind: 'private_key' }] : [];
  });
}

function endOfKey(text: string, body: number, last: RegExpExecArray): number {
  return MATERIAL.test(text.slice(body, last.index)) ? last.index + last[0].length : body;
}

function endOfOpenKey(text: string, body: number): number {
  REST.lastIndex = body;
  return REST.test(text) ? REST.lastIndex : body;
}
