/**
 * A parsed JSON value; undefined where there is none. A number that JavaScript would change is an object of a class, with its
 * text.
 */
export type Json = unknown;
type JsonMembers = Readonly<Record<string, Json>>;

/** Which side a conflict takes; without one it stays a conflict. */
export type Side = 'source' | 'target';

/** Three states of one thing: as both sides had it last in common, and as each of them has it now. */
export type Three<T> = { base: T; source: T; target: T };

/** `path` is a JSON Pointer. */
export type JsonDifference = { path: string; from: Json; to: Json };

/** `conflicts` are JSON Pointers to what both sides changed in different ways; the value has what the target has there. */
export type MergedJson = { value: Json; conflicts: string[] };

const isMembers = (value: Json): value is JsonMembers =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

const isExact = (value: Json): value is { text: string } =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isMembers(value);

/** Members or items that are looked at before a step ends. */
const PARTS_PER_STEP = 1000;

/** Work on values of any size, with a yield after each step of a few milliseconds. */
export type JsonSteps<T> = Generator<void, T>;

/** Counts the members and items that were looked at. */
class StepCount {
  #parts = 0;

  isStepOver(): boolean {
    return ++this.#parts % PARTS_PER_STEP === 0;
  }
}

/** Whether two values are the same: the order of members does not matter. */
export const sameJson = (one: Json, other: Json): JsonSteps<boolean> => same(one, other, new StepCount());

function* same(one: Json, other: Json, steps: StepCount): JsonSteps<boolean> {
  if (steps.isStepOver()) yield;
  if (Object.is(one, other)) return true;
  if (Array.isArray(one)) {
    if (!Array.isArray(other) || one.length !== other.length) return false;
    for (let i = 0; i < one.length; i++) if (!(yield* same(one[i], other[i], steps))) return false;
    return true;
  }
  if (isMembers(one) && isMembers(other)) {
    const names = Object.keys(one);
    if (names.length !== Object.keys(other).length) return false;
    for (const name of names)
      if (!Object.hasOwn(other, name) || !(yield* same(one[name], other[name], steps))) return false;
    return true;
  }
  return isExact(one) && isExact(other) && one.text === other.text;
}

const below = (path: string, name: string): string => `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
const member = (value: JsonMembers, name: string): Json => (Object.hasOwn(value, name) ? value[name] : undefined);
const namesOf = (...values: readonly JsonMembers[]): string[] => [...new Set(values.flatMap(Object.keys))];

/** What differs between two values, member by member; a list is compared as a whole. */
export function* differencesOf(from: Json, to: Json, path = ''): JsonSteps<JsonDifference[]> {
  const found: JsonDifference[] = [];
  yield* collect(found, { path, from, to }, new StepCount());
  return found;
}

function* collect(found: JsonDifference[], { path, from, to }: JsonDifference, steps: StepCount): JsonSteps<void> {
  if (!isMembers(from) || !isMembers(to)) {
    if (!(yield* same(from, to, steps))) found.push({ path, from, to });
    return;
  }
  for (const name of namesOf(from, to)) {
    if (steps.isStepOver()) yield;
    yield* collect(found, { path: below(path, name), from: member(from, name), to: member(to, name) }, steps);
  }
}

/**
 * Merges two changes of a value, member by member; lists are taken whole. What one side left as it was takes the change of the
 * other. `prefer` decides where both changed it.
 */
export const mergeJson = (three: Three<Json>, prefer?: Side, path = ''): JsonSteps<MergedJson> =>
  merge(three, { prefer, path }, new StepCount());

type MergeAt = { prefer: Side | undefined; path: string };

function* merge({ base, source, target }: Three<Json>, at: MergeAt, steps: StepCount): JsonSteps<MergedJson> {
  if ((yield* same(source, target, steps)) || (yield* same(base, source, steps)))
    return { value: target, conflicts: [] };
  if (yield* same(base, target, steps)) return { value: source, conflicts: [] };
  if (isMembers(base) && isMembers(source) && isMembers(target))
    return yield* mergeMembers({ base, source, target }, at, steps);
  const { prefer, path } = at;
  return { value: prefer === 'source' ? source : target, conflicts: prefer === undefined ? [path] : [] };
}

function* mergeMembers(
  { base, source, target }: Three<JsonMembers>,
  { prefer, path }: MergeAt,
  steps: StepCount,
): JsonSteps<MergedJson> {
  const members: [string, Json][] = [];
  const conflicts: string[] = [];
  for (const name of namesOf(target, source)) {
    const three = { base: member(base, name), source: member(source, name), target: member(target, name) };
    const merged = yield* merge(three, { prefer, path: below(path, name) }, steps);
    for (const conflict of merged.conflicts) conflicts.push(conflict);
    if (merged.value !== undefined) members.push([name, merged.value]);
  }
  // Unlike assignment, this also creates a member named __proto__.
  return { value: Object.fromEntries(members), conflicts };
}
