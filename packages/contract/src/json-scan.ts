import { utf8Length } from './glob.ts';

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const OPEN_ARRAY = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

// A bracket with bit 0x20 set is the brace of the same side: one comparison serves both.

/** An offset in a text of valid JSON. */
export type ScanPosition = { readonly text: string; at: number };

/** The nesting depth of arrays and objects. Accepts any text, so that it can be called before JSON.parse. */
export function jsonDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = afterString(text, at) - 1;
    else if ((code | 0x20) === OPEN_OBJECT) {
      if (++depth > deepest) deepest = depth;
    } else if ((code | 0x20) === CLOSE_OBJECT && depth > 0) depth--;
  }
  return deepest;
}

export function afterSpace(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= 0x20) at++;
  return at;
}

export function afterValue(text: string, from: number): number {
  const code = text.charCodeAt(from);
  if (code === QUOTE) return afterString(text, from);
  return code === OPEN_ARRAY || code === OPEN_OBJECT ? afterContainer(text, from) : afterWord(text, from);
}

function afterContainer(text: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = afterString(text, at);
    else {
      at++;
      if ((code | 0x20) === OPEN_OBJECT) depth++;
      else if ((code | 0x20) === CLOSE_OBJECT && --depth === 0) break;
    }
  }
  return at;
}

function afterWord(text: string, from: number): number {
  // At least one character, so that the caller's loop ends even on invalid JSON.
  let at = from + 1;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code === CLOSE_ARRAY || code === CLOSE_OBJECT || code <= 0x20) break;
  }
  return at;
}

export function afterString(text: string, from: number): number {
  const quote = text.indexOf('"', from + 1);
  if (quote < 0) return text.length;
  if (text.charCodeAt(quote - 1) !== BACKSLASH) return quote + 1;
  // One pass: looking for each quote by itself takes ten times as long in a text full of escapes.
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at + 1;
  }
  return text.length;
}

export function memberName(text: string, start: number, end: number): string {
  const name = text.slice(start + 1, end - 1);
  return name.includes('\\') ? JSON.parse(text.slice(start, end)) : name;
}

const NEEDS_ENCODING = /[\\\ud800-\udfff]/;

/**
 * Returns the same text for every encoding of a value: members sorted by name, no spaces, strings encoded alike.
 * Numbers keep their digits, since 1 and 1.0 may differ to their writer. The text must be valid JSON, and its nesting
 * must fit the stack.
 */
export function canonicalJson(text: string): string {
  return canonical({ text, at: afterSpace(text, 0), encode: NEEDS_ENCODING.test(text) });
}

type Rewrite = ScanPosition & { readonly encode: boolean };

function canonical(cursor: Rewrite): string {
  const { text, at } = cursor;
  const code = text.charCodeAt(at);
  if (code === OPEN_OBJECT) return canonicalObject(cursor);
  if (code === OPEN_ARRAY) return canonicalArray(cursor);
  cursor.at = afterValue(text, at);
  const token = text.slice(at, cursor.at);
  return code === QUOTE && cursor.encode ? encoded(token) : token;
}

function encoded(token: string): string {
  return NEEDS_ENCODING.test(token) ? JSON.stringify(JSON.parse(token)) : token;
}

function canonicalObject(cursor: Rewrite): string {
  const { text, encode } = cursor;
  const members = new Map<string, string>();
  let inOrder = true;
  let last: string | undefined;
  let at = afterSpace(text, cursor.at + 1);
  while (text.charCodeAt(at) === QUOTE) {
    const nameEnd = afterString(text, at);
    const token = text.slice(at, nameEnd);
    const name = encode ? memberName(text, at, nameEnd) : token.slice(1, -1);
    cursor.at = afterSpace(text, afterSpace(text, nameEnd) + 1);
    members.set(name, `${encode ? encoded(token) : token}:${canonical(cursor)}`);
    inOrder &&= last === undefined || last < name;
    last = name;
    at = afterSpace(text, cursor.at);
    if (text.charCodeAt(at) === COMMA) at = afterSpace(text, at + 1);
  }
  cursor.at = at + 1;
  let out = '';
  for (const name of inOrder ? members.keys() : [...members.keys()].sort()) out += (out && ',') + members.get(name);
  return `{${out}}`;
}

function canonicalArray(cursor: Rewrite): string {
  const { text } = cursor;
  let out = '';
  let at = afterSpace(text, cursor.at + 1);
  while (at < text.length && text.charCodeAt(at) !== CLOSE_ARRAY) {
    cursor.at = at;
    out += (out && ',') + canonical(cursor);
    at = afterSpace(text, cursor.at);
    if (text.charCodeAt(at) === COMMA) at = afterSpace(text, at + 1);
  }
  cursor.at = at + 1;
  return `[${out}]`;
}

/** Everything but the characters that are one byte each in JSON. */
const LONGER = /[^\x20\x21\x23-\x5b\x5d-\x7f]/;

/** How many bytes a text takes in JSON: six for some of its characters, which are stored as one. */
export const jsonBytes = (text: string): number =>
  LONGER.test(text) ? utf8Length(JSON.stringify(text)) : text.length + 2;
