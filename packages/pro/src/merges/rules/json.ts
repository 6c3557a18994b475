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

/** Whether two values are the same: the order of members does not matter. */
export function isSameJson(one: Json, other: Json): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one))
    return Array.isArray(other) && one.length === other.length && one.every((item, i) => isSameJson(item, other[i]));
  if (isMembers(one) && isMembers(other)) {
    const names = Object.keys(one);
    return (
      names.length === Object.keys(other).length &&
      names.every((name) => Object.hasOwn(other, name) && isSameJson(one[name], other[name]))
    );
  }
  return isExact(one) && isExact(other) && one.text === other.text;
}

const below = (path: string, name: string): string => `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
const member = (value: JsonMembers, name: string): Json => (Object.hasOwn(value, name) ? value[name] : undefined);
const namesOf = (...values: readonly JsonMembers[]): string[] => [...new Set(values.flatMap(Object.keys))];

/** What differs between two values, member by member; a list is compared as a whole. */
export function differencesOf(from: Json, to: Json, path = ''): JsonDifference[] {
  if (isMembers(from) && isMembers(to))
    return namesOf(from, to).flatMap((name) => differencesOf(member(from, name), member(to, name), below(path, name)));
  return isSameJson(from, to) ? [] : [{ path, from, to }];
}

/**
 * Merges two changes of a value, member by member; lists are taken whole. What one side left as it was takes the change of the
 * other. `prefer` decides where both changed it.
 */
export function mergeJson(three: Three<Json>, prefer?: Side, path = ''): MergedJson {
  const { base, source, target } = three;
  if (isSameJson(source, target) || isSameJson(base, source)) return { value: target, conflicts: [] };
  if (isSameJson(base, target)) return { value: source, conflicts: [] };
  if (isMembers(base) && isMembers(source) && isMembers(target))
    return mergeMembers({ base, source, target }, prefer, path);
  return { value: prefer === 'source' ? source : target, conflicts: prefer === undefined ? [path] : [] };
}

function mergeMembers({ base, source, target }: Three<JsonMembers>, prefer: Side | undefined, path: string) {
  const members: [string, Json][] = [];
  const conflicts: string[] = [];
  for (const name of namesOf(target, source)) {
    const three = { base: member(base, name), source: member(source, name), target: member(target, name) };
    const merged = mergeJson(three, prefer, below(path, name));
    conflicts.push(...merged.conflicts);
    if (merged.value !== undefined) members.push([name, merged.value]);
  }
  // Unlike assignment, this also creates a member named __proto__.
  return { value: Object.fromEntries(members), conflicts };
}
