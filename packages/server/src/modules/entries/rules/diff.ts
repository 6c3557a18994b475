import type { JsonObject } from '@mem-service/contract';
import { JsonText, sameJsonInSteps } from '@mem-service/contract';

/** `path` is a JSON Pointer (RFC 6901); the whole value is ''. */
export type JsonChange = {
  path: string;
  operation: 'add' | 'remove' | 'replace';
  old_value?: unknown;
  new_value?: unknown;
};

/** Beyond so many characters of paths, and of what each change takes beside them, one change of the whole is shorter. */
const MAX_PATH_CHARS = 1024 * 1024;
const CHANGE_CHARS = 64;
const PARTS_PER_STEP = 1000;

/**
 * The changes that turn `before` into `after` when applied in order. A JsonText is compared as text. Where there are too many,
 * the whole value is replaced.
 */
export function diffJson(before: unknown, after: unknown): JsonChange[] {
  return finish(diffJsonInSteps(before, after));
}

/** The same, with a yield after each step of some milliseconds. */
export function* diffJsonInSteps(before: unknown, after: unknown): Generator<void, JsonChange[]> {
  const changes = new JsonChanges();
  yield* compare(before, after, { path: '', changes });
  return changes.isTooLong ? [{ path: '', operation: 'replace', old_value: before, new_value: after }] : changes.list;
}

class JsonChanges {
  readonly list: JsonChange[] = [];
  isTooLong = false;
  /** Members and items that were compared. */
  parts = 0;
  #chars = 0;

  push(change: JsonChange): void {
    this.#chars += change.path.length + CHANGE_CHARS;
    this.isTooLong ||= this.#chars > MAX_PATH_CHARS;
    if (!this.isTooLong) this.list.push(change);
  }
}

type DiffState = { path: string; changes: JsonChanges };

function* compare(before: unknown, after: unknown, { path, changes }: DiffState): Generator<void, void> {
  if (changes.isTooLong) return;
  if (++changes.parts % PARTS_PER_STEP === 0) yield;
  if (Array.isArray(before) && Array.isArray(after)) yield* compareArrays(before, after, { path, changes });
  else if (isObject(before) && isObject(after)) yield* compareObjects(before, after, { path, changes });
  else if (!isSame(before, after)) changes.push({ path, operation: 'replace', old_value: before, new_value: after });
}

function isSame(before: unknown, after: unknown): boolean {
  if (before instanceof JsonText && after instanceof JsonText) return before.text === after.text;
  return Object.is(before, after);
}

function* compareArrays(before: unknown[], after: unknown[], { path, changes }: DiffState): Generator<void, void> {
  const shared = Math.min(before.length, after.length);
  for (let at = 0; at < shared; at++) yield* compare(before[at], after[at], { path: `${path}/${at}`, changes });
  for (let at = shared; at < after.length; at++) {
    changes.push({ path: `${path}/${at}`, operation: 'add', new_value: after[at] });
  }
  // From the end, so that each index still names the same element when it is removed.
  for (let at = before.length - 1; at >= shared; at--) {
    changes.push({ path: `${path}/${at}`, operation: 'remove', old_value: before[at] });
  }
}

function* compareObjects(before: JsonObject, after: JsonObject, { path, changes }: DiffState): Generator<void, void> {
  for (const name of yield* namesInOrder(before, after)) {
    if (++changes.parts % PARTS_PER_STEP === 0) yield;
    if (changes.isTooLong) return;
    const below = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!Object.hasOwn(after, name)) changes.push({ path: below, operation: 'remove', old_value: before[name] });
    else if (!Object.hasOwn(before, name)) changes.push({ path: below, operation: 'add', new_value: after[name] });
    else yield* compare(before[name], after[name], { path: below, changes });
  }
}

/** All names of two objects, sorted; those of a large one take as long as a step may. */
function* namesInOrder(before: JsonObject, after: JsonObject): Generator<void, string[]> {
  const [one, other] = [Object.keys(before), Object.keys(after)];
  if (one.length + other.length <= PARTS_PER_STEP) return [...new Set([...one, ...other])].sort();
  yield;
  one.sort();
  yield;
  other.sort();
  yield;
  const merged: string[] = [];
  for (let i = 0, j = 0; i < one.length || j < other.length; ) {
    const [a, b] = [one[i], other[j]];
    const isFirst = b === undefined || (a !== undefined && a <= b);
    merged.push((isFirst ? a : b) as string);
    if (a === b) j++;
    if (isFirst) i++;
    else j++;
  }
  return merged;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonText);
}

/** Applies the changes in order to a copy. Throws a RangeError where a change does not fit the value. */
export function applyChanges(value: unknown, changes: readonly JsonChange[]): unknown {
  const root = { '': structuredClone(value) };
  for (const change of changes) applyChange(root, change);
  return root[''];
}

function applyChange(root: JsonObject, change: JsonChange): void {
  const names = change.path.split('/').map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = names.pop() ?? '';
  let holder: unknown = root;
  // The pointer '/a' is below the member '' of the root, so that the pointer '' needs no special case.
  for (const name of names) holder = member(holder, name, change.path);
  if (Array.isArray(holder)) changeElement(holder, last, change);
  else if (isObject(holder)) changeMember(holder, last, change);
  else throw new RangeError(`${change.path} names nothing`);
}

function member(holder: unknown, name: string, path: string): unknown {
  if (Array.isArray(holder)) return holder[indexOf(name, holder.length - 1, path)];
  if (!isObject(holder) || !Object.hasOwn(holder, name)) throw new RangeError(`${path} names nothing`);
  return holder[name];
}

function indexOf(name: string, last: number, path: string): number {
  const index = /^(?:0|[1-9]\d*)$/.test(name) ? Number(name) : -1;
  if (index < 0 || index > last) throw new RangeError(`${path} names nothing`);
  return index;
}

function changeElement(holder: unknown[], name: string, { operation, path, new_value }: JsonChange): void {
  if (operation === 'add') holder.splice(indexOf(name, holder.length, path), 0, structuredClone(new_value));
  else if (operation === 'remove') holder.splice(indexOf(name, holder.length - 1, path), 1);
  else holder[indexOf(name, holder.length - 1, path)] = structuredClone(new_value);
}

function changeMember(holder: JsonObject, name: string, { operation, path, new_value }: JsonChange): void {
  if (operation !== 'add' && !Object.hasOwn(holder, name)) throw new RangeError(`${path} names nothing`);
  if (operation === 'remove') delete holder[name];
  // Assigning to __proto__ would change the prototype instead of the member.
  else Object.defineProperty(holder, name, { ...WRITABLE, value: structuredClone(new_value) });
}

const WRITABLE = { configurable: true, enumerable: true, writable: true };

/** Whether two JSON texts hold the same value: the order of members, spaces and escapes do not matter, digits do. */
export function sameJson(a: string, b: string): boolean {
  return finish(sameJsonInSteps(a, b));
}

function finish<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
