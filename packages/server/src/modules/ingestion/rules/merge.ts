import type { ResultItem } from '../../../connectors/types.ts';
import { compareStamps, filterStamps, isAtMost, mapStamps, type Stamp, type Stamps } from './stamps.ts';

/** When each part of a thing was set last. What is not named here may be replaced by anything. */
export type ThingState = {
  /** Of a value that was set at once: of each member and item that has no stamp of its own. */
  whole?: Stamp | undefined;
  /** What was given at that time or before is gone. */
  deleted?: Stamp | undefined;
  members?: Stamps | undefined;
  /** By list and id; those that were removed are here too. */
  items?: Readonly<Record<string, Stamps>> | undefined;
};

/** A thing: its value, undefined where it is not there, and when that was given. */
export type Thing = { value: unknown; state: ThingState };

export type ThingItems = Readonly<Record<string, Readonly<Record<string, ResultItem | null>>>>;

/** What an event says about a thing. */
export type ThingChange = {
  stamp: Stamp;
  value: unknown;
  merge?: boolean | undefined;
  items?: ThingItems | undefined;
  deleted?: boolean | undefined;
};

/** `isLate`: everything that it says was given before (`isSame`), or was overtaken by what was. */
export type Merged = { thing: Thing; isLate: boolean; isSame?: boolean };

export const MAX_ITEMS = 200;

/** How many members of a change are merged in a step. */
const STEP = 100;

/**
 * Applies what an event says. The last to speak wins, part by part, and between two that spoke at the same moment the greater
 * text; so the order in which events arrive does not matter.
 */
export function* mergeInSteps(thing: Thing, change: ThingChange): Generator<void, Merged> {
  if (change.deleted) return deleteThing(thing, change.stamp);
  if (isAtMost(change.stamp, thing.state.deleted)) return { thing, isLate: true };
  if (!change.merge) return yield* replaceThing(thing, change);
  return (isUnknown(thing) ? yield* beginThing(change) : undefined) ?? (yield* mergeParts(thing, change));
}

/** The same in one step. */
export function mergeThing(thing: Thing, change: ThingChange): Merged {
  const steps = mergeInSteps(thing, change);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

const isUnknown = ({ value, state: { whole, deleted, members, items } }: Thing): boolean =>
  value === undefined && (whole ?? deleted ?? members ?? items) === undefined;

/** The first of the events of a thing: one stamp is enough for all that it gives, unless it also removes something. */
function* beginThing({ stamp, value, items = {} }: ThingChange): Generator<void, Merged | undefined> {
  const begun = new Map(Object.entries(isObject(value) ? value : {}));
  yield;
  for (const [name, given] of Object.entries(items)) {
    const list = Object.entries(given);
    if (list.length > MAX_ITEMS || list.some(([, item]) => item === null)) return undefined;
    begun.delete(name);
    if (list.length > 0) begun.set(name, newestItems(list.map(([id, item]) => withIdFirst(id, item as ResultItem))));
    yield;
  }
  if (begun.size === 0) return undefined;
  return { thing: { value: Object.fromEntries(begun), state: { whole: stamp } }, isLate: false };
}

function* replaceThing(thing: Thing, { stamp, value }: ThingChange): Generator<void, Merged> {
  const order = compareStamps(stamp, newestStamp(thing.state));
  const wins = order > 0 || (order === 0 && (yield* isAtLeast(value, thing)));
  return wins ? { thing: { value, state: { whole: stamp } }, isLate: false } : { thing, isLate: true };
}

function* isAtLeast(value: unknown, thing: Thing): Generator<void, boolean> {
  const text = textOf(value);
  yield;
  const before = thing.value;
  yield;
  return text >= textOf(before);
}

/** Members that were set later stay. */
function deleteThing({ value, state }: Thing, stamp: Stamp): Merged {
  if (isAtMost(stamp, state.deleted))
    return { thing: { value, state }, isLate: true, isSame: compareStamps(stamp, state.deleted ?? stamp) === 0 };
  const isLeft = (one: Stamp | undefined) => one !== undefined && compareStamps(one, stamp) > 0;
  const whole = isLeft(state.whole) ? state.whole : undefined;
  const members = filterStamps(state.members, isLeft);
  const items = mapStamps(state.items, (stamps) => filterStamps(stamps, isLeft));
  const left = { whole, members, items, deleted: stamp };
  if (!isObject(value)) return { thing: { value: whole && value, state: left }, isLate: whole !== undefined };
  const kept = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    const ids = ownOf(state.items, name);
    if (ids) return keepItems(name, member, (id) => isLeft(ownOf(ids, id)));
    return isLeft(ownOf(state.members, name) ?? state.whole) ? [[name, member]] : [];
  });
  const isGone = kept.length === 0;
  return {
    thing: { value: isGone ? undefined : Object.fromEntries(kept), state: left },
    isLate: kept.length === Object.keys(value).length && !isGone,
  };
}

function keepItems(name: string, list: unknown, isKept: (id: string) => boolean): [string, unknown][] {
  const kept = itemsOf(list).filter(({ id }) => isKept(id));
  return kept.length === 0 ? [] : [[name, kept]];
}

/** The members of the newest event come first, in its order: a long value is read from its beginning. */
function* mergeParts({ value, state }: Thing, change: ThingChange): Generator<void, Merged> {
  const { stamp, items = {} } = change;
  yield;
  const given = Object.entries(isObject(change.value) ? change.value : {}).filter(
    ([name]) => !Object.hasOwn(items, name),
  );
  const before = isObject(value) ? value : {};
  const members: Record<string, Stamp> = { ...state.members };
  yield;
  const won: [string, unknown][] = [];
  let overtaken = 0;
  for (const [i, [name, member]] of given.entries()) {
    if (i % STEP === STEP - 1) yield;
    const known = ownOf(members, name) ?? (Object.hasOwn(before, name) ? state.whole : undefined);
    const order = overBy(
      { stamp, text: () => textOf(member) },
      { stamp: known, text: () => textOf(ownOf(before, name)) },
    );
    if (order < 0) overtaken++;
    if (order <= 0) continue;
    define(members, name, stamp);
    won.push([name, member]);
  }
  yield;
  const isNewest = compareStamps(stamp, newestStamp(state)) >= 0;
  yield;
  const merged = new Map<string, unknown>(isNewest ? won : []);
  for (const [name, member] of Object.entries(before)) if (!merged.has(name)) merged.set(name, member);
  for (const [name, member] of won) merged.set(name, member);
  yield;
  const lists = yield* mergeLists(state, { stamp, items }, merged);
  for (const [name, list] of lists.values) {
    // Lists are long: they come last.
    merged.delete(name);
    if (list.length > 0) merged.set(name, list);
  }
  yield;
  const next: ThingState = { whole: state.whole, deleted: state.deleted, members, items: lists.stamps };
  const isLate = won.length === 0 && lists.won === 0 && given.length + lists.given > 0;
  const isSame = isLate && overtaken + lists.overtaken === 0;
  // Without a member there is nothing to show.
  return { thing: { value: merged.size === 0 ? undefined : Object.fromEntries(merged), state: next }, isLate, isSame };
}

type MergedItem = ResultItem & { id: string };
type MergedLists = {
  values: Map<string, MergedItem[]>;
  stamps: Record<string, Stamps> | undefined;
  given: number;
  won: number;
  overtaken: number;
};

function* mergeLists(
  state: ThingState,
  { stamp, items }: { stamp: Stamp; items: ThingItems },
  before: ReadonlyMap<string, unknown>,
): Generator<void, MergedLists> {
  const stated = state.items && { ...state.items };
  const merged: MergedLists = { values: new Map(), stamps: stated, given: 0, won: 0, overtaken: 0 };
  for (const [name, changes] of Object.entries(items)) {
    yield;
    const listed = new Map(itemsOf(before.get(name)).map((item) => [item.id, item]));
    const stamps = stampsOf(state, name, listed);
    for (const [id, item] of Object.entries(changes)) {
      merged.given++;
      const known = {
        stamp: stamps.get(id),
        text: () => itemText(listed.get(id) ?? (stamps.has(id) ? null : undefined)),
      };
      const next = item === null ? null : { ...withIdFirst(id, item) };
      const order = overBy({ stamp, text: () => itemText(next) }, known);
      if (order < 0) merged.overtaken++;
      if (order <= 0) continue;
      merged.won++;
      stamps.set(id, stamp);
      if (next === null) listed.delete(id);
      else listed.set(id, next);
    }
    const kept = newestItems([...listed.values()]);
    merged.values.set(name, kept);
    merged.stamps = { ...merged.stamps };
    define(merged.stamps, name, keptStamps(stamps, { listed, kept }));
  }
  return merged;
}

function stampsOf(
  { whole, items }: ThingState,
  list: string,
  listed: ReadonlyMap<string, unknown>,
): Map<string, Stamp> {
  const stamps = new Map(Object.entries(ownOf(items, list) ?? {}));
  if (whole) for (const id of listed.keys()) if (!stamps.has(id)) stamps.set(id, whole);
  return stamps;
}

const withIdFirst = (id: string, item: ResultItem): MergedItem => Object.assign({ id }, item, { id });

/** The newest of a list, in their order. */
function newestItems(items: readonly MergedItem[]): MergedItem[] {
  const sorted = items.toSorted((a, b) => timeOf(a) - timeOf(b) || (a.id < b.id ? -1 : 1));
  return sorted.slice(-MAX_ITEMS);
}

const timeOf = ({ at }: ResultItem): number => {
  const time = Date.parse(at);
  return Number.isNaN(time) ? 0 : time;
};

/** Of items that are listed, and of so many that were removed last. */
function keptStamps(
  stamps: ReadonlyMap<string, Stamp>,
  { listed, kept }: { listed: ReadonlyMap<string, MergedItem>; kept: readonly MergedItem[] },
): Stamps {
  const shown = new Set(kept.map(({ id }) => id));
  const removed = [...stamps].filter(([id]) => !listed.has(id)).toSorted(([, a], [, b]) => compareStamps(b, a));
  const left = [...[...stamps].filter(([id]) => shown.has(id)), ...removed.slice(0, MAX_ITEMS)];
  return Object.fromEntries(left);
}

const itemsOf = (list: unknown): MergedItem[] =>
  Array.isArray(list) ? list.filter((item): item is MergedItem => isObject(item) && typeof item.id === 'string') : [];

/** What was removed stays so against what was given at the same moment. */
const itemText = (item: object | null | undefined): string =>
  item === null ? '\uffff' : item === undefined ? '' : textOf(item);

type StampedText = { stamp: Stamp | undefined; text: () => string };

/** Positive where what is given counts, zero where it is known, negative where it was overtaken. */
function overBy(given: StampedText & { stamp: Stamp }, known: StampedText): number {
  if (known.stamp === undefined) return 1;
  const order = compareStamps(given.stamp, known.stamp);
  if (order !== 0) return order;
  const [text, before] = [given.text(), known.text()];
  return text === before ? 0 : text > before ? 1 : -1;
}

/** Members of larger values are not put in order: it takes ten times as long. */
const MAX_ORDERED_CHARS = 16 * 1024;

/** The same text for the same value: where it is not large, whatever the order of its members. */
function textOf(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length > MAX_ORDERED_CHARS ? text : (JSON.stringify(value, inOrder) ?? '');
}

const inOrder = (_: string, member: unknown): unknown =>
  isObject(member) && !Array.isArray(member)
    ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : member;

const BEFORE_ALL: Stamp = [Number.NEGATIVE_INFINITY, 0];

export function newestStamp({ whole, deleted, members = {}, items = {} }: ThingState): Stamp {
  const later = (last: Stamp, one: Stamp | undefined) => (one && compareStamps(one, last) > 0 ? one : last);
  let newest = later(later(BEFORE_ALL, whole), deleted);
  for (const stamps of [members, ...Object.values(items)])
    for (const one of Object.values(stamps)) newest = later(newest, one);
  return newest;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The names are those of a sender: one may be `__proto__`. */
const ownOf = <T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined =>
  record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;

/** Assigning to __proto__ would change the prototype instead of the member. */
function define(object: object, name: string, value: unknown): void {
  if (name !== '__proto__') (object as Record<string, unknown>)[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}
