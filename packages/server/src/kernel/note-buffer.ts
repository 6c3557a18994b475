import type { PendingMarks } from '../db/index.ts';
import type { NotesGap } from './notes-gap.ts';
import { type RecallCount, Recalls } from './recalls.ts';

/** An entry as a caller was shown it. */
export type ReadNote = {
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
export type QueryNote = {
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
export type ErrorNote = {
  kind: 'error';
  at: number;
  operation: string;
  entity_path: string | null;
  error_type: string;
  message: string;
  visible_to: string;
};

/** An entry that came first among the answers to a question. */
export type RecallNote = { kind: 'recall'; entry_id: number };

/** What a session keeps of what it saw. */
export type SessionNote = ReadNote | QueryNote | ErrorNote;
export type Note = SessionNote | RecallNote;

export type NotingSession = { agent_id: string; session: string };

/** What was seen in an account: by session, in order, and which entries were recalled. */
export type AccountNotes = {
  sessions: readonly (NotingSession & { notes: readonly SessionNote[] })[];
  recalls: readonly RecallCount[];
};

/** Writes what was seen in an account. */
export type FlushNotes = (accountId: string, notes: AccountNotes) => Promise<void>;

const MAX_WAITING = 20_000;
const FLUSH_MS = 100;
const MAX_DROPPED = 10_000;

type NotesOfSession = NotingSession & { notes: SessionNote[] };

/**
 * What callers see is noted beside their requests: kept in memory for a moment, written in batches, and written at once
 * when somebody needs it. Recalls are only counted, and nobody waits for them.
 */
export class NoteBuffer {
  readonly #waiting = new Map<string, Map<string, NotesOfSession>>();
  readonly #recalls = new Recalls();
  readonly #running = new Map<string, Promise<void>>();
  #flush: FlushNotes | undefined;
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
  start(flush: FlushNotes, onError: (error: unknown) => void, marks?: PendingMarks): void {
    if (this.#isOn) this.#flush = flush;
    this.#onError = onError;
    this.#marks = marks;
  }

  note(accountId: string, by: NotingSession, sighting: Note): void {
    if (!this.#flush) return;
    if (sighting.kind === 'recall' || (sighting.kind === 'read' && sighting.is_current))
      this.#recalls.add(accountId, sighting.entry_id);
    if (sighting.kind !== 'recall') this.#keep(accountId, by, sighting);
    this.#awaitFlush();
  }

  #keep(accountId: string, by: NotingSession, sighting: SessionNote): void {
    if (this.#count >= MAX_WAITING) {
      this.#drop(accountId, sighting.at);
      return;
    }
    // Others see that there is something before anybody can ask for it.
    if (this.#count === 0 && this.#running.size === 0) this.#marks?.raise();
    this.#notesOf(accountId, by).notes.push(sighting);
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

  #notesOf(accountId: string, by: NotingSession): NotesOfSession {
    const sessions = this.#waiting.get(accountId) ?? new Map<string, NotesOfSession>();
    if (sessions.size === 0) this.#waiting.set(accountId, sessions);
    const name = sessionKeyText(by);
    const known = sessions.get(name);
    if (known) return known;
    const { agent_id, session } = by;
    const seenBy: NotesOfSession = { agent_id, session, notes: [] };
    sessions.set(name, seenBy);
    return seenBy;
  }

  #awaitFlush(): void {
    this.#timer ??= setTimeout(() => void this.flushAll(), FLUSH_MS).unref();
  }

  /** Settles once everything that was noted of an account is in the store. */
  async flushAccount(accountId: string): Promise<void> {
    if (this.#waiting.has(accountId)) return this.#hand(accountId, []);
    await this.#running.get(accountId);
  }

  /** Settles once everything that was noted of a session is in the store. */
  async flushSession(accountId: string, by: NotingSession): Promise<void> {
    if (this.#waiting.get(accountId)?.has(sessionKeyText(by))) return this.#hand(accountId, []);
    await this.#running.get(accountId);
  }

  /** Hands over everything that was seen in an account. What could not be written waits for the next time. */
  async #hand(accountId: string, recalls: readonly RecallCount[]): Promise<void> {
    const sessions = [...(this.#waiting.get(accountId)?.values() ?? [])];
    if (!this.#flush || sessions.length + recalls.length === 0) return;
    this.#waiting.delete(accountId);
    for (const { notes } of sessions) this.#count -= notes.length;
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

  #takeBack(accountId: string, sessions: readonly NotesOfSession[]): void {
    for (const { notes, ...by } of sessions) {
      const left = notes.slice(0, Math.max(0, MAX_WAITING - this.#count));
      const last = notes.at(-1);
      if (last && left.length < notes.length) this.#drop(accountId, last.at);
      const known = this.#notesOf(accountId, by);
      known.notes = [...left, ...known.notes];
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

const sessionKeyText = ({ agent_id, session }: NotingSession) => `${agent_id}\n${session}`;
