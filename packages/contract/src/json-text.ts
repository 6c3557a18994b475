import {
  afterSpace,
  afterString,
  afterValue,
  BACKSLASH,
  CLOSE_ARRAY,
  COMMA,
  memberName,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  type ScanPosition,
} from './json-scan.ts';

export { canonicalJson, jsonBytes, jsonDepth } from './json-scan.ts';

/** Marks a JsonText in the output of JSON.stringify. It is random, so that no string of a caller can imitate it. */
const newMarker = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** A JSON value kept as its original text: 1.0 stays 1.0 and 12345678901234567890 keeps its last digits. */
export class ExactText {
  readonly text: string;
  #value: unknown;
  #parsed = false;

  /** The value is nested no deeper than this, where that is known. */
  depth: number | undefined;

  /** Some members of the value, for a transport that needs only these and so need not parse the text. */
  readonly about: object | undefined;

  constructor(text: string, about?: object) {
    this.text = text;
    this.about = about;
  }

  static of(value: unknown): ExactText {
    return value instanceof JsonText ? value : new JsonText(stringify(value));
  }

  /** Attaches the parsed value, so that the text need not be parsed again. */
  knowing(value: unknown): this {
    this.#value = value;
    this.#parsed = true;
    return this;
  }

  get value(): unknown {
    if (!this.#parsed) {
      this.#value = JSON.parse(this.text);
      this.#parsed = true;
    }
    return this.#value;
  }

  toJSON(): unknown {
    const { spliced, marker } = shared;
    if (!spliced) return this.value;
    spliced.push(this);
    return marker + (spliced.length - 1);
  }
}

type SharedTexts = { JsonText: typeof ExactText; marker: string; spliced: ExactText[] | undefined };

/**
 * Each bundle of the project has a copy of this file, and texts pass from one bundle to the other within a process:
 * mem-mcp hands what it read to the server. All of them use what the first one made.
 */
const SHARED_AS = Symbol.for('mem-service/json-text/1');
const everywhere = globalThis as { [SHARED_AS]?: SharedTexts };
everywhere[SHARED_AS] ??= { JsonText: ExactText, marker: newMarker(), spliced: undefined };
const shared = everywhere[SHARED_AS];

export const JsonText = shared.JsonText;
export type JsonText = ExactText;

/** JSON.stringify, except that every JsonText inside is written as its exact text. */
export function stringify(result: unknown): string {
  if (result instanceof JsonText) return result.text;
  const outer = shared.spliced;
  const found: JsonText[] = [];
  shared.spliced = found;
  let json: string | undefined;
  try {
    json = JSON.stringify(result);
  } finally {
    shared.spliced = outer;
  }
  if (json === undefined) throw new TypeError(`${typeof result} has no JSON form`);
  return found.length === 0 ? json : splice(json, found);
}

function splice(json: string, found: readonly JsonText[]): string {
  const { marker } = shared;
  let out = '';
  let copied = 0;
  for (let at = json.indexOf(marker); at >= 0; at = json.indexOf(marker, at + marker.length)) {
    let end = at + marker.length;
    while (isDigit(json.charCodeAt(end))) end++;
    const one = found[Number(json.slice(at + marker.length, end))];
    if (!one) continue;
    let start = at - 1;
    while (json.charCodeAt(start - 1) === BACKSLASH) start--;
    const escapes = at - 1 - start;
    out += json.slice(copied, start) + escaped(one.text, escapes);
    copied = end + escapes + 1;
  }
  return out + json.slice(copied);
}

/** A toJSON method may itself call JSON.stringify: n rounds of encoding put 2^n - 1 backslashes before a quote. */
function escaped(text: string, backslashes: number): string {
  let out = text;
  for (let left = backslashes; left > 0; left >>= 1) out = JSON.stringify(out).slice(1, -1);
  return out;
}

type RawPathPlan = {
  leaf: boolean;
  each: RawPathPlan | undefined;
  names: ReadonlyMap<string, number>;
  steps: readonly RawPathPlan[];
};
type FoundTexts = JsonText | (FoundTexts | undefined)[] | undefined;

type FindCursor = ScanPosition & { readonly depth: number | undefined };

const plans = new WeakMap<object, RawPathPlan>();

/**
 * Replaces the values at `paths` in `parsed` (the result of JSON.parse(text)) by their exact text. `*` matches every
 * element of an array. The text must be valid JSON. Pass the same `paths` array each time: the plan derived from it is
 * cached.
 */
export function attachRaw(text: string, parsed: unknown, paths: readonly (readonly string[])[]): void {
  attachRawOf({ text, parsed, depth: undefined }, paths);
}

/** A text of JSON, what JSON.parse made of it, and its nesting where that is known. */
export type ParsedText = { text: string; parsed: unknown; depth: number | undefined };

/** The same for a text whose nesting is known: that of its values is not looked for again. */
export function attachRawOf({ text, parsed, depth }: ParsedText, paths: readonly (readonly string[])[]): void {
  let plan = plans.get(paths);
  if (!plan) {
    plan = planOf(paths);
    plans.set(paths, plan);
  }
  const cursor: FindCursor = { text, at: afterSpace(text, 0), depth };
  // Two steps: of duplicate members, nothing of the first may remain, however deep its values are nested.
  attach(find(cursor, plan), parsed, plan);
}

function planOf(paths: readonly (readonly string[])[]): RawPathPlan {
  const below = new Map<string, string[][]>();
  for (const [name, ...rest] of paths) {
    if (name !== undefined) below.set(name, [...(below.get(name) ?? []), rest]);
  }
  const each = below.get('*');
  below.delete('*');
  return {
    leaf: paths.some((path) => path.length === 0),
    each: each && planOf(each),
    names: new Map([...below.keys()].map((name, index) => [name, index])),
    steps: [...below.values()].map(planOf),
  };
}

function find(cursor: FindCursor, step: RawPathPlan): FoundTexts {
  const { text, at } = cursor;
  const code = text.charCodeAt(at);
  if (!step.leaf && code === OPEN_OBJECT) return findMembers(cursor, step);
  if (!step.leaf && code === OPEN_ARRAY && step.each) return findElements(cursor, step.each);
  cursor.at = afterValue(text, at);
  if (!step.leaf) return undefined;
  const found = new JsonText(text.slice(at, cursor.at));
  found.depth = cursor.depth;
  return found;
}

function findMembers(cursor: FindCursor, step: RawPathPlan): FoundTexts {
  const { text } = cursor;
  const found: FoundTexts = [];
  let at = afterSpace(text, cursor.at + 1);
  while (text.charCodeAt(at) === QUOTE) {
    const nameEnd = afterString(text, at);
    const index = step.names.get(memberName(text, at, nameEnd));
    cursor.at = afterSpace(text, afterSpace(text, nameEnd) + 1);
    const child = index === undefined ? undefined : step.steps[index];
    if (index === undefined || !child) cursor.at = afterValue(text, cursor.at);
    else found[index] = find(cursor, child);
    at = afterSpace(text, cursor.at);
    if (text.charCodeAt(at) === COMMA) at = afterSpace(text, at + 1);
  }
  cursor.at = at + 1;
  return found;
}

function findElements(cursor: FindCursor, step: RawPathPlan): FoundTexts {
  const { text } = cursor;
  const found: FoundTexts = [];
  let at = afterSpace(text, cursor.at + 1);
  while (at < text.length && text.charCodeAt(at) !== CLOSE_ARRAY) {
    cursor.at = at;
    found.push(find(cursor, step));
    at = afterSpace(text, cursor.at);
    if (text.charCodeAt(at) === COMMA) at = afterSpace(text, at + 1);
  }
  cursor.at = at + 1;
  return found;
}

function attach(found: FoundTexts, parsed: unknown, step: RawPathPlan): void {
  if (!Array.isArray(found) || typeof parsed !== 'object' || parsed === null) return;
  if (Array.isArray(parsed)) {
    const { each } = step;
    if (each) for (const [index, one] of found.entries()) attachOne(one, parsed, { key: index, step: each });
    return;
  }
  for (const [name, index] of step.names) {
    const child = step.steps[index];
    if (child) attachOne(found[index], parsed, { key: name, step: child });
  }
}

function attachOne(
  found: FoundTexts,
  holder: object,
  { key, step }: { key: string | number; step: RawPathPlan },
): void {
  if (found instanceof JsonText) setOwn(holder, key, found.knowing(Reflect.get(holder, key)));
  else if (found) attach(found, Reflect.get(holder, key), step);
}

function setOwn(holder: object, key: string | number, value: JsonText): void {
  // Assigning to __proto__ would change the prototype instead of the member.
  if (key === '__proto__') Object.defineProperty(holder, key, { value });
  else Reflect.set(holder, key, value);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
