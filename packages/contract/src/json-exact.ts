import {
  afterSpace,
  afterString,
  afterValue,
  CLOSE_ARRAY,
  COMMA,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  type ScanPosition,
} from './json-scan.ts';
import { JsonText } from './json-text.ts';

/**
 * JSON.parse, except that a number that JavaScript would change or write differently becomes a JsonText:
 * 12345678901234567890, 1e400, 1.0 and -0 do. The nesting of the text must fit the stack.
 */
export function parseExact(text: string): unknown {
  const parsed: unknown = JSON.parse(text);
  // A text that survives the round trip contains no such number; most texts do.
  return JSON.stringify(parsed) === text ? parsed : exact({ text, at: afterSpace(text, 0) });
}

function exact(cursor: ScanPosition): unknown {
  const { text, at } = cursor;
  const code = text.charCodeAt(at);
  if (code === OPEN_OBJECT) return exactObject(cursor);
  if (code === OPEN_ARRAY) return exactArray(cursor);
  cursor.at = afterValue(text, at);
  const token = text.slice(at, cursor.at);
  const value: unknown = JSON.parse(token);
  return typeof value === 'number' && JSON.stringify(value) !== token ? new JsonText(token) : value;
}

function exactObject(cursor: ScanPosition): object {
  const { text } = cursor;
  const members: [string, unknown][] = [];
  let at = afterSpace(text, cursor.at + 1);
  while (text.charCodeAt(at) === QUOTE) {
    const nameEnd = afterString(text, at);
    const name: string = JSON.parse(text.slice(at, nameEnd));
    cursor.at = afterSpace(text, afterSpace(text, nameEnd) + 1);
    members.push([name, exact(cursor)]);
    at = afterSpace(text, cursor.at);
    if (text.charCodeAt(at) === COMMA) at = afterSpace(text, at + 1);
  }
  cursor.at = at + 1;
  // Unlike assignment, this also creates a member named __proto__. Of duplicate members the last wins, as in
  // JSON.parse.
  return Object.fromEntries(members);
}

function exactArray(cursor: ScanPosition): unknown[] {
  const { text } = cursor;
  const elements: unknown[] = [];
  let at = afterSpace(text, cursor.at + 1);
  while (text.charCodeAt(at) !== CLOSE_ARRAY) {
    cursor.at = at;
    elements.push(exact(cursor));
    at = afterSpace(text, cursor.at);
    if (text.charCodeAt(at) === COMMA) at = afterSpace(text, at + 1);
  }
  cursor.at = at + 1;
  return elements;
}
