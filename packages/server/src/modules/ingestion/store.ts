import { Fault } from '@mem-service/contract';
import { EVERYONE, entryName, isInScope, MAIN_BRANCH, toIso, toIsoOrNull, type Work } from '../../kernel/index.ts';
import { turnEnd } from '../../turns.ts';
import { type ContractCheck, loadContracts } from '../contracts/index.ts';
import { EntrySet } from '../entries/index.ts';
import { linkAwaited, type NewEntry } from '../graph/index.ts';
import { applyWrite } from './apply-write.ts';
import {
  type Arrival,
  deliveryName,
  eventOf,
  type IngestedResult,
  realmOfArrival,
  type StoredArrival,
} from './arrivals.ts';
import { ConnectorTallies } from './connector-tallies.ts';
import { type Linked, linkResults } from './link-results.ts';
import { makeLetter, saveLetters } from './make-letter.ts';
import { type Moved, moveEdges } from './move-edges.ts';
import * as queries from './queries.ts';
import { recordOutcomes } from './record-outcomes.ts';
import type { ArrivedWrite } from './rules/results.ts';
import { type Place, Things } from './things.ts';

/** Stores events that arrived together. Each is stored whole or not at all. */
export async function storeArrivals(work: Work, arrivals: readonly Arrival[]): Promise<(StoredArrival | Fault)[]> {
  const book = await ArrivalBook.load(work, arrivals);
  const stored: (StoredArrival | Fault)[] = [];
  for (const arrival of arrivals) {
    const writesBefore = book.writes;
    await turnEnd();
    try {
      stored.push(await book.store(arrival));
    } catch (error) {
      // Once a part of it was written, only the end of the transaction takes it back.
      if (!(error instanceof Fault) || book.writes > writesBefore) throw error;
      stored.push(error);
    }
  }
  await book.save();
  return stored;
}

/** Sets when the task tries letters again. */
const retryOf = ({ failure }: Arrival) => (failure?.retry_at == null ? {} : { retry_at: toIso(failure.retry_at) });

const isAt = (a: Place, b: Place): boolean => a.entity_path === b.entity_path && a.key === b.key;

/** Results about a thing before it moved, in the same transaction, become results about its new place. */
const withMoves = (linked: readonly Linked[], moves: readonly Moved[]): Linked[] =>
  linked.map(({ arrival, write }) => {
    const at = moves.reduce<Place>((place, { from, at: next }) => (isAt(place, from) ? next : place), write);
    return {
      arrival,
      write: isAt(write, at) ? write : Object.assign({}, write, { entity_path: at.entity_path, key: at.key }),
    };
  });

const onMain = ({ entity_path, key }: Place) => ({ branch: MAIN_BRANCH, entity_path, key });

const nameOf = (parts: readonly string[]): string => parts.join('\n');

type LoadedArrivals = {
  entries: EntrySet;
  things: Things;
  check: ContractCheck | undefined;
  moves: Moved[];
  known: Map<string, queries.DeliveryRow>;
};

/** The rows that the events of one transaction need and make. */
class ArrivalBook {
  /** How many results were applied. */
  writes = 0;
  readonly #work: Work;
  readonly #loaded: LoadedArrivals;
  readonly #deliveries: queries.DeliveryRow[] = [];
  readonly #replayed: queries.DeliveryRow[] = [];
  readonly #kept: EntrySet[] = [];
  readonly #letters: queries.LetterRow[] = [];
  readonly #tallies = new ConnectorTallies();
  readonly #linked: Linked[] = [];
  readonly #ingested = new Map<Arrival, readonly IngestedResult[]>();
  readonly #made: NewEntry[] = [];

  private constructor(work: Work, loaded: LoadedArrivals) {
    this.#work = work;
    this.#loaded = loaded;
  }

  static async load(work: Work, arrivals: readonly Arrival[]): Promise<ArrivalBook> {
    const senders = arrivals.map(({ sender }) => sender);
    const [{ things, entries }, check, known] = await Promise.all([
      loadThings(work, arrivals),
      loadContracts(work, senders),
      findKnown(work, arrivals),
    ]);
    return new ArrivalBook(work, { entries, things, check, known, moves: [] });
  }

  async store(arrival: Arrival): Promise<StoredArrival> {
    const name = deliveryName(arrival);
    const known = name && !arrival.isAgain ? this.#loaded.known.get(nameOf(name)) : undefined;
    if (known) return this.#answerAgain(arrival, known);
    const results: IngestedResult[] = [];
    for (const write of arrival.writes) {
      try {
        const result = await this.#apply(arrival, write);
        if (result) results.push(result);
      } catch (error) {
        if (!(error instanceof Fault) || error.code !== 'value_too_large' || !arrival.kept) throw error;
        // What else it says stays.
        return this.#finish(...(await this.#keep(arrival.kept, error.message, results)));
      }
    }
    return this.#finish(arrival, results);
  }

  async #apply(arrival: Arrival, write: ArrivedWrite, loaded = this.#loaded): Promise<IngestedResult | undefined> {
    const result = await applyWrite(this.#work, loaded, { arrival, write });
    this.writes++;
    if (write.deleted && write.shown_as === 'raw') return undefined;
    const { entity_path, key } = result;
    this.#link(arrival, isAt(write, result) ? write : Object.assign({}, write, { entity_path, key }));
    if (result.version === 1 && result.status === 'written') this.#note(entity_path, key);
    return result;
  }

  /** An event that would make its thing too large is kept as it came. */
  async #keep(
    kept: NonNullable<Arrival['kept']>,
    reason: string,
    others: readonly IngestedResult[],
  ): Promise<[Arrival, IngestedResult[]]> {
    const arrival = await kept(reason);
    const entries = await EntrySet.load(this.#work, arrival.writes.map(onMain));
    this.#kept.push(entries);
    const results: IngestedResult[] = [];
    for (const write of arrival.writes) {
      const result = await this.#apply(arrival, write, { ...this.#loaded, entries });
      if (result) results.push(result);
    }
    return [arrival, [...results, ...others]];
  }

  #finish(arrival: Arrival, results: IngestedResult[]): StoredArrival {
    const delivery = this.#deliver(arrival, results[0]);
    const letter = makeLetter(this.#work, arrival, delivery);
    if (letter) this.#letters.push(letter);
    if (arrival.connector !== undefined) this.#ingested.set(arrival, results);
    this.#tallies.count(arrival, this.#work.now);
    const reason = arrival.failure?.reason ?? null;
    return { duplicate: false, delivery, results, letter_id: letter?.letter_id ?? null, reason };
  }

  #link(arrival: Arrival, write: Linked['write']): void {
    if (write.links.length > 0 || (write.outcome && arrival.records_outcomes)) this.#linked.push({ arrival, write });
  }

  /** Edges may have been stated to its name before it was there. */
  #note(entity_path: string, key: string): void {
    const entry = this.#loaded.entries.get({ branch: MAIN_BRANCH, entity_path, key });
    if (entry) this.#made.push({ name: entryName(entity_path, key), entry_id: entry.entry_id });
  }

  #answerAgain(arrival: Arrival, delivery: queries.DeliveryRow): StoredArrival {
    this.#tallies.countAgain(arrival);
    const { entity_path, key, version, status } = delivery;
    const isShown = entity_path !== null && key !== null && isInScope(arrival.caller.key?.write, entity_path);
    const shown = isShown ? delivery : { ...delivery, entity_path: null, key: null, version: null };
    const operation = status === 'context' ? 'record_context' : 'write';
    const results = isShown ? [{ operation, entity_path, key, version, status } as IngestedResult] : [];
    return { duplicate: true, delivery: shown, results, letter_id: null, reason: null };
  }

  #deliver(arrival: Arrival, first: IngestedResult | undefined): queries.DeliveryRow {
    const work = this.#work;
    const name = deliveryName(arrival);
    const realm = realmOfArrival(arrival);
    const [sender, , delivery_id] = name ?? [arrival.sender, realm, work.services.ids.next(work.now)];
    const delivery: queries.DeliveryRow = {
      account_id: work.account_id,
      sender,
      realm,
      delivery_id,
      no: work.nextItem(),
      type: arrival.event_type,
      entity_path: first?.entity_path ?? null,
      key: first?.key ?? null,
      version: first?.version ?? null,
      status: first?.status ?? 'ignored',
      occurred_at: arrival.occurred_at,
      received_at: arrival.received_at ?? work.now,
    };
    if (arrival.isAgain) this.#replayed.push(delivery);
    else this.#deliveries.push(delivery);
    if (name) this.#loaded.known.set(nameOf(name), delivery);
    return delivery;
  }

  #emit(links: ReadonlyMap<Arrival, number>): void {
    for (const [arrival, results] of this.#ingested) this.#emitOne(arrival, results, links.get(arrival) ?? 0);
  }

  #emitOne(arrival: Arrival, results: readonly IngestedResult[], links: number): void {
    const [first] = results;
    this.#work.emit({
      event_type: 'webhook_ingested',
      agent_id: arrival.sender,
      branch: MAIN_BRANCH,
      entity_path: first?.entity_path ?? null,
      key: first?.key ?? null,
      version: first?.version ?? null,
      visible_to: EVERYONE,
      details: {
        connector: arrival.connector,
        results: results.length,
        event: eventOf(arrival),
        ...(links > 0 ? { links } : {}),
        ...retryOf(arrival),
      },
    });
  }

  async save(): Promise<void> {
    const work = this.#work;
    const { tx } = work;
    await this.#loaded.entries.save();
    for (const entries of this.#kept) await entries.save();
    await this.#loaded.things.save();
    if (this.#deliveries.length > 0) work.send(tx.insertMany(queries.insertDeliveries, this.#deliveries));
    if (this.#replayed.length > 0) work.send(tx.updateMany(queries.updateDeliveries, this.#replayed));
    this.#tallies.save(work);
    if (this.#letters.length > 0) await saveLetters(work, this.#letters);
    if (this.#made.length > 0) await linkAwaited(work, this.#made);
    this.#emit(await this.#saveLinks());
    await recordOutcomes(work, this.#linked);
  }

  /** Returns the numbers of edges that the events of arrivals report. */
  async #saveLinks(): Promise<Map<Arrival, number>> {
    const { moves } = this.#loaded;
    if (this.#linked.length === 0 && moves.length === 0) return new Map();
    await this.#work.waitForSent();
    const made = new Map(this.#made.map(({ name, entry_id }) => [name, entry_id]));
    const about = new Map<Arrival, string>();
    for (const [arrival, [first]] of this.#ingested)
      if (first) about.set(arrival, entryName(first.entity_path, first.key));
    const reported = await linkResults(this.#work, withMoves(this.#linked, moves), { made, about });
    await moveEdges(this.#work, moves);
    return reported;
  }
}

async function loadThings(
  work: Work,
  arrivals: readonly Arrival[],
): Promise<Pick<LoadedArrivals, 'things' | 'entries'>> {
  const things = await Things.load(work, arrivals);
  const places = things.placesOf(arrivals);
  const entries = await EntrySet.load(work, places.map(onMain));
  await things.addShown(arrivals, entries);
  return { things, entries };
}

async function findKnown(work: Work, arrivals: readonly Arrival[]): Promise<Map<string, queries.DeliveryRow>> {
  const names = arrivals.flatMap((arrival) => {
    const name = arrival.isAgain ? undefined : deliveryName(arrival);
    return name ? [name] : [];
  });
  const known = new Map<string, queries.DeliveryRow>();
  if (names.length === 0) return known;
  const keys = names.map((name) => [work.account_id, ...name]);
  const rows = await work.tx.findMany<queries.DeliveryRow>(queries.findDeliveries, keys);
  rows.forEach((row, i) => {
    if (row) known.set(nameOf(names[i] as readonly string[]), row);
  });
  return known;
}

export const toTimes = ({ occurred_at, received_at }: queries.DeliveryRow) => ({
  occurred_at: toIsoOrNull(occurred_at),
  received_at: toIso(received_at),
});
