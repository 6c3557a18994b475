import { Fault } from '@mem-service/contract';
import { isInScope, type Work } from '../../kernel/index.ts';
import { turnEnd, untilTurnEnds } from '../../turns.ts';
import type { EntrySet } from '../entries/index.ts';
import type { Arrival } from './arrivals.ts';
import * as queries from './queries.ts';
import { type Merged, mergeInSteps, type ThingState } from './rules/merge.ts';
import type { ArrivedWrite } from './rules/results.ts';
import { compareStamps, type Stamp } from './rules/stamps.ts';
import { findShown, isShown, type SentThing } from './shown-states.ts';

/** How far the clock of a sender may be ahead. */
const MAX_AHEAD_MS = 5 * 60_000;

export type Place = { entity_path: string; key: string };
type Decision = { value: unknown; text?: string | undefined; isLate: boolean; isSame?: boolean };
/** `keep` is called once the entry was written. */
type ThingDecision = Decision & { keep: () => void };
type Placed = { at: Place; from?: Place | undefined; keep: () => void };

const nameOf = ({ entity_path, key }: Place): string => `${entity_path}\n${key}`;
const thingName = (sender: string, thing: string): string => `${sender}\n${thing}`;
const isSame = (a: Place, b: Place): boolean => a.entity_path === b.entity_path && a.key === b.key;

/** A clock that is far ahead counts as right. */
const stampOf = ({ occurred_at = 0, rank }: ArrivedWrite, received_at: number): Stamp => [
  occurred_at > received_at + MAX_AHEAD_MS ? received_at : occurred_at,
  rank,
];

/** Whether what is said of the place of a thing is later than what is known. */
function isBetter(known: queries.PlaceRow, { stamp, at }: { stamp: Stamp; at: Place }): boolean {
  const order = compareStamps(stamp, [known.placed_at, known.placed_rank]);
  return order > 0 || (order === 0 && nameOf(at) > nameOf(known));
}

/** The key may write where the event says; where the thing is now is not for the key to know. */
const movedAway = () =>
  new Fault('forbidden', 'the event is about a thing that is now where this key does not have WRITE', {
    permission: 'WRITE',
  });

/** Anything is better than a place that an event had to guess. */
const UNPLACED: Stamp = [-1, 0];

/** Where the things are that some events are about, and when each part of them was said. */
export class Things {
  readonly #work: Work;
  readonly #states = new Map<string, ThingState>();
  readonly #changed = new Map<string, Place>();
  readonly #places = new Map<string, queries.PlaceRow>();
  readonly #placed = new Set<queries.PlaceRow>();
  readonly #left: Place[] = [];

  private constructor(work: Work) {
    this.#work = work;
  }

  static async load(work: Work, arrivals: readonly Arrival[]): Promise<Things> {
    const things = new Things(work);
    await things.#loadPlaces(arrivals);
    await things.#loadStates(arrivals);
    return things;
  }

  /** Every place that the events may read or write. */
  placesOf(arrivals: readonly Pick<Arrival, 'sender' | 'writes'>[]): Place[] {
    return arrivals.flatMap(({ sender, writes }) =>
      writes.flatMap((write) => {
        const place = write.thing === undefined ? undefined : this.#places.get(thingName(sender, write.thing));
        return place ? [write, place] : [write];
      }),
    );
  }

  async #loadPlaces(arrivals: readonly Arrival[]): Promise<void> {
    const { account_id, tx } = this.#work;
    const keys = new Map<string, string[]>();
    for (const { sender, writes } of arrivals)
      for (const { thing } of writes)
        if (thing !== undefined) keys.set(thingName(sender, thing), [account_id, sender, thing]);
    if (keys.size === 0) return;
    const found = await tx.findMany<queries.PlaceRow>(queries.findPlaces, [...keys.values()]);
    [...keys.keys()].forEach((name, i) => {
      const row = found[i];
      if (row) this.#places.set(name, row);
    });
  }

  async #loadStates(arrivals: readonly Arrival[]): Promise<void> {
    const { account_id, tx } = this.#work;
    const ordered = arrivals.map(({ sender, writes }) => ({
      sender,
      writes: writes.filter(({ occurred_at }) => occurred_at !== undefined),
    }));
    const places = new Map(this.placesOf(ordered).map((place) => [nameOf(place), place]));
    if (places.size === 0) return;
    const keys = [...places.values()].map(({ entity_path, key }) => [account_id, entity_path, key]);
    const found = await tx.findMany<{ state: string }>(queries.findThings, keys);
    for (const [i, name] of [...places.keys()].entries()) {
      const row = found[i];
      if (!row) continue;
      await turnEnd();
      this.#states.set(name, JSON.parse(row.state) as ThingState);
    }
  }

  /** Where an event is to be written, and the place that its thing leaves for it. */
  place(write: ArrivedWrite, { sender, caller }: Arrival, received_at: number): Placed {
    if (write.thing === undefined) return { at: write, keep: () => {} };
    const { entity_path, key, thing } = write;
    const { account_id } = this.#work;
    const stamp = write.unplaced ? UNPLACED : stampOf(write, received_at);
    const known = this.#places.get(thingName(sender, thing));
    if (known && !isInScope(caller.key?.write, known.entity_path)) throw movedAway();
    if (known && !isBetter(known, { stamp, at: write })) return { at: known, keep: () => {} };
    const next = { account_id, sender, thing, entity_path, key, placed_at: stamp[0], placed_rank: stamp[1] };
    const keep = () => {
      if (known) this.#placed.delete(known);
      this.#placed.add(next);
      this.#places.set(thingName(sender, thing), next);
    };
    return { at: next, from: known && !isSame(known, next) ? known : undefined, keep };
  }

  /** Adds the states that the first versions of entries show. */
  async addShown(arrivals: readonly Arrival[], entries: EntrySet): Promise<void> {
    const asked: SentThing[] = [];
    for (const { sender, writes } of arrivals)
      for (const write of writes) {
        if (write.occurred_at === undefined) continue;
        for (const place of this.placesOf([{ sender, writes: [write] }]))
          if (!this.#states.has(nameOf(place))) asked.push({ sender, place });
      }
    for (const { place, state } of await findShown(this.#work, entries, asked)) this.#states.set(nameOf(place), state);
  }

  /** What an entry is to say after an event. */
  async decide(write: ArrivedWrite, { at, from, value, received_at, newBy }: Before): Promise<ThingDecision> {
    if (write.occurred_at === undefined)
      return { value: write.deleted ? undefined : write.value, text: write.text, isLate: false, keep: () => {} };
    const state = this.#states.get(nameOf(from ?? at)) ?? NO_STATE;
    const thing = {
      state,
      get value() {
        return value();
      },
    };
    const { value: given, items, merge, deleted } = write;
    const part = { value: given, items, merge, deleted, stamp: stampOf(write, received_at) };
    const merged = await untilTurnEnds(mergeInSteps(thing, part));
    const keep = () => {
      if (from) this.#leave(from);
      if (!from && merged.thing.state === state) return;
      this.#states.set(nameOf(at), merged.thing.state);
      if (!newBy || !isShown(merged.thing, newBy)) this.#changed.set(nameOf(at), at);
    };
    return { keep, ...decisionOf(write, merged, from !== undefined) };
  }

  #leave(from: Place): void {
    this.#states.delete(nameOf(from));
    this.#changed.delete(nameOf(from));
    this.#left.push(from);
  }

  async save(): Promise<void> {
    const work = this.#work;
    const { account_id, tx } = work;
    for (const { entity_path, key } of this.#left) await queries.deleteThing(tx, { account_id, entity_path, key });
    if (this.#changed.size > 0) {
      const rows: { account_id: string; entity_path: string; key: string; state: string }[] = [];
      for (const [name, { entity_path, key }] of this.#changed) {
        await turnEnd();
        rows.push({ account_id, entity_path, key, state: JSON.stringify(this.#states.get(name)) });
      }
      work.send(tx.insertMany(queries.upsertThings, rows));
    }
    if (this.#placed.size > 0) work.send(tx.insertMany(queries.upsertPlaces, [...this.#placed]));
  }
}

type Before = {
  at: Place;
  from: Place | undefined;
  received_at: number;
  value: () => unknown;
  /** The event that the entry is new by. */
  newBy: Arrival | undefined;
};

const NO_STATE: ThingState = {};

/** A thing that moves is written at its new place, whether or not the event says something new. */
function decisionOf(write: ArrivedWrite, { thing, isLate, isSame = false }: Merged, isMoved: boolean): Decision {
  if (isLate && !isMoved) return { value: undefined, isLate, isSame };
  const { value } = thing;
  return { value, text: value === write.value ? write.text : undefined, isLate: false };
}
