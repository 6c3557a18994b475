import { JsonText } from '@mem-service/contract';
import {
  addRedaction,
  markerOf,
  type RedactedValue,
  type Redactions,
  redactedBefore,
  redactText,
  withRedactions,
} from './redact.ts';
import { secretFamily } from './redact-names.ts';

const ONE_MARKER = /^\[REDACTED:[a-z_]+\]$/;
const MAX_DEPTH = 128;
/** Values within a value may be looked at from a place that is a few levels higher. */
const MORE_DEPTH = 6;

/** Members that are redacted in one step. */
const MEMBERS_PER_STEP = 64;
/** A value with fewer members is redacted again where it is needed. */
const FEW_MEMBERS = 4;

/** Redacts every string in the value, and everything under a name such as `password`. */
export function redactJson(value: unknown): unknown {
  if (!isObject(value)) return redactLeaf(value);
  const steps = redactObject(value, 0, newWalk());
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/** Redactions that are being made. */
export type NewRedactions = { texts: Map<string, string>; values: Map<object, RedactedValue> };

export const newRedactions = (): NewRedactions => ({ texts: new Map(), values: new Map() });

/** Redacts all texts and values within a value for later, names included, with a yield after each step. */
export function* redactionsInSteps(value: unknown, found = newRedactions()): Generator<void, Redactions> {
  yield* collectTexts(value, { found: found.texts, members: 0 }, 0);
  if (!isObject(value)) return found;
  const steps = redactObject(value, 0, newWalk(found.values));
  while (!withRedactions(found, () => steps.next()).done) yield;
  return found;
}

type TextWalk = { found: Map<string, string>; members: number };

function* collectTexts(value: unknown, walk: TextWalk, depth: number): Generator<void, void> {
  if (typeof value === 'string') yield* addRedaction(value, walk.found);
  else if (value instanceof JsonText) yield* collectTexts(value.value, walk, depth);
  else if (!isObject(value) || depth >= MAX_DEPTH + MORE_DEPTH) return;
  // Not by its entries: a list of numbers has far more of them than texts.
  else if (Array.isArray(value)) for (const item of value) yield* collectMember(item, walk, depth);
  else
    for (const name of Object.keys(value)) {
      yield* addRedaction(name, walk.found);
      yield* collectMember((value as Record<string, unknown>)[name], walk, depth);
    }
}

function* collectMember(member: unknown, walk: TextWalk, depth: number): Generator<void, void> {
  if (++walk.members % MEMBERS_PER_STEP === 0) yield;
  if (typeof member === 'string' || isObject(member)) yield* collectTexts(member, walk, depth + 1);
}

/** `height`: how many levels of objects are in the one that was redacted last. */
type RedactionWalk = { found: Map<object, RedactedValue> | undefined; members: number; height: number };

const newWalk = (found?: Map<object, RedactedValue>): RedactionWalk => ({ found, members: 0, height: 0 });

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const redactLeaf = (value: unknown): unknown => (typeof value === 'string' ? redactText(value) : value);

function* redactObject(value: object, depth: number, walk: RedactionWalk): Generator<void, unknown> {
  if (value instanceof JsonText) {
    walk.height = -1;
    return isObject(value.value) ? yield* redactObject(value.value, depth, walk) : redactLeaf(value.value);
  }
  const known = redactedBefore(value);
  if (known && depth + known.height < MAX_DEPTH) {
    walk.height = known.height;
    return known.value;
  }
  if (depth >= MAX_DEPTH) {
    // What it becomes depends on where it is.
    walk.height = Number.POSITIVE_INFINITY;
    return markerOf('too_deep');
  }
  const before = walk.members;
  const redacted = yield* Array.isArray(value) ? redactItems(value, depth, walk) : redactMembers(value, depth, walk);
  if (walk.found && walk.members - before >= FEW_MEMBERS && walk.height < MAX_DEPTH)
    walk.found.set(value, { value: redacted, height: walk.height });
  return redacted;
}

function* redactItems(items: readonly unknown[], depth: number, walk: RedactionWalk): Generator<void, unknown[]> {
  const redacted: unknown[] = [];
  let height = 0;
  for (const item of items) {
    if (++walk.members % MEMBERS_PER_STEP === 0) yield;
    redacted.push(isObject(item) ? yield* redactObject(item, depth + 1, walk) : redactLeaf(item));
    if (isObject(item)) height = Math.max(height, walk.height + 1);
  }
  walk.height = height;
  return redacted;
}

function* redactMembers(value: object, depth: number, walk: RedactionWalk): Generator<void, object> {
  const members = new Map<string, unknown>();
  const repeats = new Map<string, number>();
  let height = 0;
  for (const [name, member] of Object.entries(value)) {
    if (++walk.members % MEMBERS_PER_STEP === 0) yield;
    const plain: unknown = member instanceof JsonText ? member.value : member;
    const family = familyOf(name);
    let redacted: unknown;
    if (!isObject(plain)) redacted = redactMember(family, plain);
    else if (family !== null && isListOfTexts(plain)) redacted = yield* redactTexts(plain, walk);
    else {
      redacted = yield* redactObject(plain, depth + 1, walk);
      height = Math.max(height, walk.height + 1);
    }
    members.set(freeName(redactText(name), members, repeats), redacted);
  }
  walk.height = height;
  return Object.fromEntries(members);
}

const familyOf = (name: string) => (name.toLowerCase() === 'pass' ? 'password' : secretFamily(name));

const isListOfTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/** Texts under the name of a secret. */
function* redactTexts(texts: readonly string[], walk: RedactionWalk): Generator<void, string[]> {
  const redacted: string[] = [];
  for (const text of texts) {
    if (++walk.members % MEMBERS_PER_STEP === 0) yield;
    redacted.push(redactWhole(text));
  }
  return redacted;
}

function redactMember(family: ReturnType<typeof familyOf>, value: unknown): unknown {
  if (family === null) return redactLeaf(value);
  if (typeof value === 'string') return redactWhole(value);
  const isPin = family === 'password' && typeof value === 'number' && Math.abs(value) >= 1000;
  return isPin ? markerOf('assignment') : value;
}

function redactWhole(value: string): string {
  if (value === '') return value;
  const redacted = redactText(value);
  return ONE_MARKER.test(redacted) ? redacted : markerOf('assignment');
}

/** Two names that hold different secrets must not become one member. */
function freeName(name: string, taken: ReadonlyMap<string, unknown>, repeats: Map<string, number>): string {
  if (!taken.has(name)) return name;
  let n = repeats.get(name) ?? 2;
  while (taken.has(`${name} ${n}`)) n++;
  repeats.set(name, n + 1);
  return `${name} ${n}`;
}
