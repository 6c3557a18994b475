import type { PendingMarks } from '../db/index.ts';
import type { NotesGap } from './notes-gap.ts';
import { type Recall, Recalls } from './recalls.ts';

/** An entry as a caller was shown it. */
export type SeenEntry = {
  kind: 'read';
  at: number;
  entry_id: number;
  version: number;
  branch: string;
  entity_path: string;
  key: string;
  visible_to: string;
  written_by: string;
  confidence: number;
  standing: string | null;
  /** Whether it was the current version. */
  is_current: boolean;
  duration_ms: number;
};

/** A question about many entries. */
export type AskedQuery = {
  kind: 'query';
  at: number;
  operation: string;
  entity_path: string | null;
  parameters: Record<string, unknown>;
  result_count: number;
  /** One that was answered with private entries is as private as they are. */
  visible_to: string;
  duration_ms: number;
};

/** A refusal that a session met. */
export type MetError = {
  kind: 'error';
  at: number;
  operation: string;
  entity_path: string | null;
  error_type: string;
  message: string;
  visible_to: string;
};

/** An entry that came first among the answers to a question. */
export type RecalledEntry = { kind: 'recall'; entry_id: number };

/** What a session keeps of what it saw. */
export type Observation = SeenEntry | AskedQuery | MetError;
export type Sighting = Observation | RecalledEntry;

export type Observer = { agent_id: string; session: string };

/** What was seen in an account: by session, in order, and which entries were recalled. */
export type Notes = {
  sessions: readonly (Observer & { seen: readonly Observation[] })[];
  recalls: readonly Recall[];
};

/** Writes what was seen in an account. */
export type Flush = (accountId: string, notes: Notes) => Promise<void>;

const MAX_WAITING = 20_000;
const FLUSH_MS = 100;
const MAX_DROPPED = 10_000;

type Seen = Observer & { seen: Observation[] };

/**
 * What callers see is noted beside their requests: kept in memory for a moment, written in batches, and written at once
 * when somebody needs it. Recalls are only counted, and nobody waits for them.
 */
export class Observations {
  readonly #waiting = new Map<string, Map<string, Seen>>();
  readonly #recalls = new Recalls();
  readonly #running = new Map<string, Promise<void>>();
  #flush: Flush | undefined;
  #onError: (error: unknown) => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  #count = 0;
  #marks: PendingMarks | undefined;
  /** Of accounts: when something was last seen that there was no room to note. */
  readonly #dropped = new Map<string, number>();
  /** Of accounts: what was handed over last could not be written. */
  readonly #unwritten = new Set<string>();
  #failures = 0;

  readonly #isOn: boolean;

  constructor(isOn = true) {
    this.#isOn = isOn;
  }

  /** Nothing is noted before somebody takes it. */
  start(flush: Flush, onError: (error: unknown) => void, marks?: PendingMarks): void {
    if (this.#isOn) this.#flush = flush;
    this.#onError = onError;
    this.#marks = marks;
  }

  note(accountId: string, by: Observer, sighting: Sighting): void {
    if (!this.#flush) return;
    if (sighting.kind === 'recall' || (sighting.kind === 'read' && sighting.is_current))
      this.#recalls.add(accountId, sighting.entry_id);
    if (sighting.kind !== 'recall') this.#keep(accountId, by, sighting);
    this.#awaitFlush();
  }

  #keep(accountId: string, by: Observer, sighting: Observation): void {
    if (this.#count >= MAX_WAITING) {
      this.#drop(accountId, sighting.at);
      return;
    }
    // Others see that there is something before anybody can ask for it.
    if (this.#count === 0 && this.#running.size === 0) this.#marks?.raise();
    this.#seenBy(accountId, by).seen.push(sighting);
    this.#count++;
  }

  #drop(accountId: string, at: number): void {
    if (this.#dropped.size >= MAX_DROPPED) this.#dropped.delete(this.#dropped.keys().next().value as string);
    this.#dropped.set(accountId, at);
  }

  /** What this process itself could not note or write of an account. */
  gapOf(accountId: string): NotesGap | undefined {
    if (!this.#isOn) return { reason: 'this server does not note what is read' };
    if (this.#unwritten.has(accountId)) return { reason: 'what was read could not be written down yet' };
    const at = this.#dropped.get(accountId);
    return at === undefined ? undefined : { reason: 'more was read at once than could be noted', before: at + 1 };
  }

  /** Whether what was handed over of an account is in the transaction that is going on. */
  written(accountId: string, isWritten: boolean): void {
    if (isWritten) this.#unwritten.delete(accountId);
    else this.#unwritten.add(accountId);
  }

  #seenBy(accountId: string, by: Observer): Seen {
    const sessions = this.#waiting.get(accountId) ?? new Map<string, Seen>();
    if (sessions.size === 0) this.#waiting.set(accountId, sessions);
    const name = nameOf(by);
    const known = sessions.get(name);
    if (known) return known;
    const { agent_id, session } = by;
    const seenBy: Seen = { agent_id, session, seen: [] };
    sessions.set(name, seenBy);
    return seenBy;
  }

  #awaitFlush(): void {
    this.#timer ??= setTimeout(() => void this.flushAll(), FLUSH_MS).unref();
  }

  /** Settles once everything that was noted of an account is in the store. */
  async settleAll(accountId: string): Promise<void> {
    if (this.#waiting.has(accountId)) return this.#hand(accountId, []);
    await this.#running.get(accountId);
  }

  /** Settles once everything that was noted of a session is in the store. */
  async settle(accountId: string, by: Observer): Promise<void> {
    if (this.#waiting.get(accountId)?.has(nameOf(by))) return this.#hand(accountId, []);
    await this.#running.get(accountId);
  }

  /** Hands over everything that was seen in an account. What could not be written waits for the next time. */
  async #hand(accountId: string, recalls: readonly Recall[]): Promise<void> {
    const sessions = [...(this.#waiting.get(accountId)?.values() ?? [])];
    if (!this.#flush || sessions.length + recalls.length === 0) return;
    this.#waiting.delete(accountId);
    for (const { seen } of sessions) this.#count -= seen.length;
    const done = this.#flush(accountId, { sessions, recalls }).catch((error) => {
      this.#failures++;
      this.#takeBack(accountId, sessions);
      this.#recalls.takeBack(accountId, recalls);
      this.#onError(error);
    });
    // Writes of an account are done in order, so the last one to end ends last.
    this.#running.set(accountId, done);
    await done;
    if (this.#running.get(accountId) === done) this.#running.delete(accountId);
    if (this.#count === 0 && this.#running.size === 0) this.#marks?.lower();
  }

  #takeBack(accountId: string, sessions: readonly Seen[]): void {
    for (const { seen, ...by } of sessions) {
      const left = seen.slice(0, Math.max(0, MAX_WAITING - this.#count));
      const last = seen.at(-1);
      if (last && left.length < seen.length) this.#drop(accountId, last.at);
      const known = this.#seenBy(accountId, by);
      known.seen = [...left, ...known.seen];
      this.#count += left.length;
    }
    // As long as it is tried, others know that somebody is there.
    this.#marks?.raise();
    this.#awaitFlush();
  }

  async flushAll(isLast = false): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const accounts = new Set([...this.#waiting.keys(), ...this.#recalls.accounts()]);
    const due = (accountId: string) => (this.#waiting.has(accountId) ? 'beside notes' : 'alone');
    await Promise.all(
      [...accounts].map((accountId) =>
        this.#hand(accountId, this.#recalls.take(accountId, isLast ? 'last' : due(accountId))),
      ),
    );
    await Promise.all(this.#running.values());
    if (this.#flush && !this.#recalls.isEmpty) this.#awaitFlush();
  }

  async close(): Promise<void> {
    await Promise.all(this.#running.values());
    const before = this.#failures;
    do await this.flushAll(true);
    while (!this.#recalls.isEmpty && this.#failures === before);
    clearTimeout(this.#timer);
    this.#flush = undefined;
  }
}

const nameOf = ({ agent_id, session }: Observer) => `${agent_id}\n${session}`;
