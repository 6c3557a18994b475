import { Fault } from '@mem-service/contract';
import { EVERYONE, isInScope, MAIN_BRANCH, toIso, toIsoOrNull, type Work } from '../../kernel/index.ts';
import { type ContractCheck, loadContracts } from '../contracts/index.ts';
import { type EntryDraft, EntrySet, fromDocument, isArtifact, isLive } from '../entries/index.ts';
import { type Arrival, deliveryName, type IngestedResult, realmOfArrival, type StoredArrival } from './arrivals.ts';
import { ConnectorTallies } from './connector-tallies.ts';
import { linkResults } from './link-results.ts';
import { makeLetter, saveLetters } from './make-letter.ts';
import * as queries from './queries.ts';
import { recordOutcomes } from './record-outcomes.ts';
import { isLargeText } from './redact.ts';
import type { ArrivedWrite } from './rules/results.ts';
import { ThingStates } from './thing-states.ts';

/** Stores events that arrived together. Each is stored whole or not at all. */
export async function storeArrivals(work: Work, arrivals: readonly Arrival[]): Promise<(StoredArrival | Fault)[]> {
  const book = await ArrivalBook.load(work, arrivals);
  const stored: (StoredArrival | Fault)[] = [];
  for (const arrival of arrivals) {
    const writesBefore = book.writes;
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

const nameOf = (parts: readonly string[]): string => parts.join('\n');

const DEFAULTS = { confidence: 1, memory_type: 'experience' };

/** The rows that the events of one transaction need and make. */
class ArrivalBook {
  /** How many results were applied. */
  writes = 0;
  readonly #work: Work;
  readonly #entries: EntrySet;
  readonly #things: ThingStates;
  readonly #check: ContractCheck | undefined;
  readonly #known: Map<string, queries.DeliveryRow>;
  readonly #deliveries: queries.DeliveryRow[] = [];
  readonly #letters: queries.LetterRow[] = [];
  readonly #tallies = new ConnectorTallies();
  readonly #linked: { arrival: Arrival; write: ArrivedWrite }[] = [];

  private constructor(
    work: Work,
    loaded: {
      entries: EntrySet;
      things: ThingStates;
      check: ContractCheck | undefined;
      known: Map<string, queries.DeliveryRow>;
    },
  ) {
    this.#work = work;
    this.#entries = loaded.entries;
    this.#things = loaded.things;
    this.#check = loaded.check;
    this.#known = loaded.known;
  }

  static async load(work: Work, arrivals: readonly Arrival[]): Promise<ArrivalBook> {
    const writes = arrivals.flatMap((arrival) => arrival.writes);
    const places = writes.map(({ entity_path, key }) => ({ branch: MAIN_BRANCH, entity_path, key }));
    const [entries, things, check, known] = await Promise.all([
      EntrySet.load(work, places),
      ThingStates.load(work, writes),
      loadContracts(
        work,
        arrivals.map(({ sender }) => sender),
      ),
      findKnown(work, arrivals),
    ]);
    return new ArrivalBook(work, { entries, things, check, known });
  }

  async store(arrival: Arrival): Promise<StoredArrival> {
    const name = deliveryName(arrival);
    const known = name && !arrival.isAgain ? this.#known.get(nameOf(name)) : undefined;
    if (known) return this.#answerAgain(arrival, known);
    const results: IngestedResult[] = [];
    for (const write of arrival.writes) {
      results.push(await this.#apply(arrival, write));
      this.writes++;
      if (write.links.length > 0 || (write.outcome && arrival.records_outcomes)) this.#linked.push({ arrival, write });
    }
    const delivery = this.#deliver(arrival, results[0]);
    const letter = arrival.failure && makeLetter(this.#work, arrival, delivery);
    if (letter) this.#letters.push(letter);
    if (arrival.connector !== undefined) this.#emit(arrival, results);
    this.#tallies.count(arrival, this.#work.now);
    return { duplicate: false, delivery, results, letter_id: letter?.letter_id ?? null };
  }

  #answerAgain(arrival: Arrival, delivery: queries.DeliveryRow): StoredArrival {
    this.#tallies.countAgain(arrival);
    const { entity_path, key, version, status } = delivery;
    const isShown = entity_path !== null && key !== null && isInScope(arrival.caller.key?.write, entity_path);
    const shown = isShown ? delivery : { ...delivery, entity_path: null, key: null, version: null };
    const operation = status === 'context' ? 'record_context' : 'write';
    const results = isShown ? [{ operation, entity_path, key, version, status } as IngestedResult] : [];
    return { duplicate: true, delivery: shown, results, letter_id: null };
  }

  async #apply(arrival: Arrival, write: ArrivedWrite): Promise<IngestedResult> {
    const { operation, entity_path, key } = write;
    const place = { branch: MAIN_BRANCH, entity_path, key };
    const { now } = this.#work;
    const entry = this.#entries.get(place);
    const live = isLive(entry, now) ? entry : undefined;
    const decided = this.#things.decide(write, {
      received_at: arrival.received_at ?? now,
      value: () => (live ? JSON.parse(fromDocument(live).value) : undefined),
    });
    const at = { operation, entity_path, key };
    if (decided.isLate) return { ...at, version: entry?.version ?? null, status: 'out_of_date' };
    const event = eventOf(arrival);
    const author = { ...place, agent_id: arrival.sender, session_id: null, event: JSON.stringify(event) };
    if (decided.value === undefined) {
      if (!live) return { ...at, version: entry?.version ?? null, status: 'deleted' };
      const { entry: tombstone } = this.#entries.apply(
        { ...author, value: undefined },
        { event_type: 'delete', details: { event } },
      );
      return { ...at, version: tombstone.version, status: 'deleted' };
    }
    const value = decided.text ?? JSON.stringify(decided.value);
    this.#checkSize(write, value);
    const refs = refsOf(write, live && fromDocument(live).artifact_refs);
    const draft: EntryDraft = {
      ...author,
      value,
      parsed: decided.value,
      confidence: write.confidence,
      memory_type: write.memory_type,
      defaults: DEFAULTS,
      shared: true,
      pattern_refs: write.pattern_refs,
      artifact_refs: refs,
      is_artifact: isArtifact(key, value),
    };
    if (isLargeText(value)) await this.#entries.compare(draft);
    const applied = this.#entries.apply(draft, { event_type: 'write', details: { event } }, this.#check);
    return { ...at, version: applied.entry.version, status: applied.unchanged ? 'unchanged' : write.shown_as };
  }

  #checkSize({ entity_path, key }: ArrivedWrite, value: string): void {
    const { max_value_bytes } = this.#work.services.limits;
    const bytes = Buffer.byteLength(value);
    if (bytes > max_value_bytes)
      throw new Fault('value_too_large', `the value has ${bytes} bytes; ${max_value_bytes} are allowed`, {
        entity_path,
        key,
        max_value_bytes,
      });
  }

  #deliver(arrival: Arrival, first: IngestedResult | undefined): queries.DeliveryRow {
    const work = this.#work;
    const name = deliveryName(arrival);
    const [sender, realm, delivery_id] = name ?? [
      arrival.sender,
      realmOfArrival(arrival),
      work.services.ids.next(work.now),
    ];
    const delivery: queries.DeliveryRow = {
      account_id: work.account_id,
      sender,
      realm,
      delivery_id,
      no: work.nextItem(),
      event_type: arrival.event_type,
      entity_path: first?.entity_path ?? null,
      key: first?.key ?? null,
      version: first?.version ?? null,
      status: first?.status ?? 'ignored',
      occurred_at: arrival.occurred_at,
      received_at: arrival.received_at ?? work.now,
    };
    if (arrival.isAgain) return delivery;
    this.#deliveries.push(delivery);
    if (name) this.#known.set(nameOf(name), delivery);
    return delivery;
  }

  #emit(arrival: Arrival, results: readonly IngestedResult[]): void {
    const [first] = results;
    this.#work.emit({
      event_type: 'webhook_ingested',
      agent_id: arrival.sender,
      branch: MAIN_BRANCH,
      entity_path: first?.entity_path ?? null,
      key: first?.key ?? null,
      version: first?.version ?? null,
      visible_to: EVERYONE,
      details: { connector: arrival.connector, results: results.length, event: eventOf(arrival) },
    });
  }

  async save(): Promise<void> {
    const work = this.#work;
    await this.#entries.save();
    this.#things.save(work);
    if (this.#deliveries.length > 0) work.send(work.tx.insertMany(queries.insertDeliveries, this.#deliveries));
    this.#tallies.save(work);
    if (this.#letters.length > 0) await saveLetters(work, this.#letters);
    if (this.#linked.length === 0) return;
    await work.waitForSent();
    await linkResults(work, this.#linked);
    await recordOutcomes(work, this.#linked);
  }
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

/** An event as the versions that are written for it show it. */
const eventOf = ({ source, event_type, id, occurred_at }: Arrival) => ({
  source,
  event_type,
  id: id ?? '',
  occurred_at: toIsoOrNull(occurred_at),
});

const MAX_REFS = 100;

/** What events of one thing point at adds up, in an order that is always the same. */
function refsOf({ merge, artifact_refs }: ArrivedWrite, before: string | undefined): string | undefined {
  if (!merge) return artifact_refs && JSON.stringify(artifact_refs);
  if (artifact_refs === undefined || artifact_refs.length === 0) return before;
  const known = before === undefined ? [] : (JSON.parse(before) as { uri: string }[]);
  const all = new Map([...artifact_refs, ...known].map((ref) => [ref.uri, ref]));
  const sorted = [...all.values()].toSorted((a, b) => (a.uri < b.uri ? -1 : 1)).slice(0, MAX_REFS);
  return JSON.stringify(sorted);
}

export const toTimes = ({ occurred_at, received_at }: queries.DeliveryRow) => ({
  occurred_at: toIsoOrNull(occurred_at),
  received_at: toIso(received_at),
});
