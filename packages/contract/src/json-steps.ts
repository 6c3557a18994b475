import { Fault } from './faults.ts';
import {
  afterSpace,
  afterString,
  afterValue,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COMMA,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
} from './json-scan.ts';

/** What a text of JSON may hold: levels of nesting, members of objects, and values in all. */
export type JsonLimits = { depth: number; members: number; values: number };

const COLON = 0x3a;
/** Characters that are parsed in one step, and how many times as many are looked at: a few milliseconds each. */
const STEP_CHARS = 64 * 1024;
const SCANNED_STEPS = 8;

/** Where the containers end that are too large for one step, by where they begin. */
type LargeContainers = ReadonlyMap<number, number>;

/**
 * JSON.parse in steps of a few milliseconds, with a yield after each of them, whatever the text holds; only a single long
 * string is read at once. The limits are checked first, before anything is built.
 */
export function* parseJsonInSteps(
  text: string,
  limits: JsonLimits,
  stepChars = STEP_CHARS,
): Generator<void, { parsed: unknown; depth: number }> {
  const { large, depth } = yield* scan(text, limits, stepChars);
  const start = afterSpace(text, 0);
  const reader = new StepReader(text, large, stepChars);
  const parsed = yield* reader.value(start);
  if (afterSpace(text, reader.at) < text.length) throw syntaxError(text, reader.at);
  return { parsed, depth };
}

type ScanState = { stepChars: number; at: number; members: number; values: number; deepest: number; starts: number[] };

function* scan(
  text: string,
  limits: JsonLimits,
  stepChars: number,
): Generator<void, { large: LargeContainers; depth: number }> {
  const large = new Map<number, number>();
  const state: ScanState = { stepChars, at: 0, members: 0, values: 0, deepest: 0, starts: [] };
  while (state.at < text.length) {
    scanPart(text, state, large);
    if (state.deepest > limits.depth) throw tooDeep(limits.depth);
    if (state.members > limits.members) throw tooMany('members', limits.members);
    if (state.values > limits.values) throw tooMany('values', limits.values);
    yield;
  }
  return { large, depth: state.deepest };
}

/** Counts up to the end of a step. A part that goes beyond a limit is counted to its end, which is near. */
function scanPart(text: string, state: ScanState, large: Map<number, number>): void {
  const end = Math.min(text.length, state.at + SCANNED_STEPS * state.stepChars);
  const { starts } = state;
  let { at, members, values } = state;
  let deepest = starts.length;
  for (; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = afterString(text, at) - 1;
    else if (code === COMMA) values++;
    else if (code === COLON) members++;
    else if ((code | 0x20) === OPEN_OBJECT) {
      if (!isEmptyContainer(text, at)) values++;
      deepest = Math.max(deepest, starts.push(at));
    } else if ((code | 0x20) === CLOSE_OBJECT) {
      const start = starts.pop();
      if (start !== undefined && at - start >= state.stepChars) large.set(start, at);
    }
  }
  state.at = at;
  state.members = members;
  state.values = values;
  state.deepest = Math.max(state.deepest, deepest);
}

/** A container is counted by its first item; as an item itself, by the comma before it, or with the one that holds it. */
function isEmptyContainer(text: string, at: number): boolean {
  return (text.charCodeAt(afterSpace(text, at + 1)) | 0x20) === CLOSE_OBJECT;
}

/** Builds values piece by piece: neighbours that fit one step are parsed together. */
class StepReader {
  readonly #text: string;
  readonly #large: LargeContainers;
  readonly #stepChars: number;
  at = 0;

  constructor(text: string, large: LargeContainers, stepChars: number) {
    this.#stepChars = stepChars;
    this.#text = text;
    this.#large = large;
  }

  *value(start: number): Generator<void, unknown> {
    const end = this.#large.get(start);
    if (end === undefined) {
      this.at = afterValue(this.#text, start);
      return JSON.parse(this.#text.slice(start, this.at));
    }
    if (this.#text.charCodeAt(start) === OPEN_ARRAY) return yield* this.#array(start, end);
    return yield* this.#object(start, end);
  }

  *#array(start: number, end: number): Generator<void, unknown[]> {
    const items: unknown[] = [];
    for (let from = afterSpace(this.#text, start + 1); from < end; ) {
      if (this.#large.has(from)) items.push(yield* this.value(from));
      else {
        this.at = this.#afterPiece(from, end);
        for (const item of JSON.parse(`[${this.#text.slice(from, this.at)}]`)) items.push(item);
        yield;
      }
      from = this.#next(end);
    }
    return this.#closed(items, end, CLOSE_ARRAY);
  }

  *#object(start: number, end: number): Generator<void, object> {
    const object: Record<string, unknown> = {};
    for (let from = afterSpace(this.#text, start + 1); from < end; ) {
      const valueStart = this.#afterName(from);
      if (this.#large.has(valueStart)) {
        const [name] = Object.keys(JSON.parse(`{${this.#text.slice(from, valueStart)}0}`)) as [string];
        setMember(object, name, yield* this.value(valueStart));
      } else {
        this.at = this.#afterPiece(from, end);
        const piece = JSON.parse(`{${this.#text.slice(from, this.at)}}`);
        for (const name of Object.keys(piece)) setMember(object, name, piece[name]);
        yield;
      }
      from = this.#next(end);
    }
    return this.#closed(object, end, CLOSE_OBJECT);
  }

  /** Where the value of the member begins whose name begins here. */
  #afterName(from: number): number {
    if (this.#text.charCodeAt(from) !== QUOTE) throw syntaxError(this.#text, from);
    return afterSpace(this.#text, afterSpace(this.#text, afterString(this.#text, from)) + 1);
  }

  /** The end of the last item or member that fits the step, and of the first in any case. */
  #afterPiece(from: number, end: number): number {
    const text = this.#text;
    const isObject = text.charCodeAt(end) === CLOSE_OBJECT;
    let last = from;
    for (let at = from; at < end; ) {
      const valueStart = isObject ? this.#afterName(at) : at;
      if (this.#large.has(valueStart)) return last;
      const after = afterValue(text, valueStart);
      if (last > from && after - from > this.#stepChars) return last;
      last = after;
      const next = afterSpace(text, after);
      if (text.charCodeAt(next) !== COMMA) return after;
      at = afterSpace(text, next + 1);
      if (this.#large.has(at)) return last;
    }
    return last;
  }

  /** Where the next item or member begins; at the end of the container there is none. */
  #next(end: number): number {
    const comma = afterSpace(this.#text, this.at);
    if (comma >= end) return end;
    const next = afterSpace(this.#text, comma + 1);
    if (this.#text.charCodeAt(comma) !== COMMA || next >= end) throw syntaxError(this.#text, comma);
    return next;
  }

  #closed<T>(container: T, end: number, close: number): T {
    if (this.#text.charCodeAt(end) !== close) throw syntaxError(this.#text, end);
    this.at = end + 1;
    return container;
  }
}

/** Assigning to __proto__ would change the prototype instead of the member. */
export function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

const syntaxError = (text: string, at: number): SyntaxError =>
  new SyntaxError(
    at >= text.length ? 'Unexpected end of JSON input' : `Unexpected token ${text[at]} in JSON at position ${at}`,
  );

const tooMany = (what: string, most: number): Fault =>
  new Fault('body_too_large', `the body has more than ${most} ${what}; send it in parts`, { [`max_${what}`]: most });

/** The refusal of a body that is nested too deep. */
export const tooDeep = (levels: number): Fault =>
  new Fault('invalid_input', `the body is nested deeper than ${levels} levels`, {
    errors: [{ path: '', message: `is nested deeper than ${levels} levels` }],
  });
