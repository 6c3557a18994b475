import {
  afterSpace,
  afterString,
  afterValue,
  CLOSE_ARRAY,
  COMMA,
  memberName,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  type ScanPosition,
} from './json-scan.ts';
import { setMember } from './json-steps.ts';
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

/** Characters that are parsed in one step of some milliseconds. */
const STEP_CHARS = 64 * 1024;

/** The same with a yield after each step, for a text of valid JSON; a single long string is read at once. */
export function* parseExactInSteps(text: string, stepChars = STEP_CHARS): Generator<void, unknown> {
  if (text.length <= stepChars) return parseExact(text);
  const start = afterSpace(text, 0);
  return yield* largeExact({ text, at: start, from: start, stepChars });
}

/** `from`: where this step began. */
type StepPosition = ScanPosition & { from: number; readonly stepChars: number };

function* largeExact(cursor: StepPosition): Generator<void, unknown> {
  const code = cursor.text.charCodeAt(cursor.at);
  if (code === OPEN_OBJECT) return yield* largeObject(cursor);
  return code === OPEN_ARRAY ? yield* largeArray(cursor) : exact(cursor);
}

/** Reads the next value. Returns steps to it only where it is large. */
function nextOf(cursor: StepPosition): { value: unknown } | { steps: Generator<void, unknown> } {
  const { text, at, stepChars } = cursor;
  const isLarge = afterValue(text, at) - at > stepChars;
  return isLarge ? { steps: largeExact(cursor) } : { value: exact(cursor) };
}

function isStepOver(cursor: StepPosition): boolean {
  if (cursor.at - cursor.from <= cursor.stepChars) return false;
  cursor.from = cursor.at;
  return true;
}

function* largeObject(cursor: StepPosition): Generator<void, object> {
  const { text } = cursor;
  const object: Record<string, unknown> = {};
  let at = afterSpace(text, cursor.at + 1);
  while (text.charCodeAt(at) === QUOTE) {
    const nameEnd = afterString(text, at);
    const name = memberName(text, at, nameEnd);
    cursor.at = afterSpace(text, afterSpace(text, nameEnd) + 1);
    const next = nextOf(cursor);
    setMember(object, name, 'steps' in next ? yield* next.steps : next.value);
    at = afterSpace(text, cursor.at);
    if (text.charCodeAt(at) === COMMA) at = afterSpace(text, at + 1);
    if (isStepOver(cursor)) yield;
  }
  cursor.at = at + 1;
  return object;
}

function* largeArray(cursor: StepPosition): Generator<void, unknown[]> {
  const { text } = cursor;
  const elements: unknown[] = [];
  let at = afterSpace(text, cursor.at + 1);
  while (text.charCodeAt(at) !== CLOSE_ARRAY) {
    cursor.at = at;
    const next = nextOf(cursor);
    elements.push('steps' in next ? yield* next.steps : next.value);
    at = afterSpace(text, cursor.at);
    if (text.charCodeAt(at) === COMMA) at = afterSpace(text, at + 1);
    if (isStepOver(cursor)) yield;
  }
  cursor.at = at + 1;
  return elements;
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
