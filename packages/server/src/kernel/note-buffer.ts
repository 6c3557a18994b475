import type { PendingMarks } from '../db/index.ts';
import type { NotesGap } from './notes-gap.ts';
import { type RecallCount, Recalls } from './recalls.ts';
import { RETURN_MS } from './servers/known-servers.ts';

/** An entry as a caller was shown it. */
export type ReadNote = {
  kind: 'read';
  at: number;
  entry_id: number;
  version: number;
  /** The branch that it was read on. */
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

/** A query that returned many entries. */
export type QueryNote = {
  kind: 'query';
  at: number;
  branch: string;
  operation: string;
  entity_path: string | null;
  parameters: Record<string, unknown>;
  result_count: number;
  /** The first of the entries it showed with their values: number and version of each, one after the other. */
  shown?: readonly number[];
  /** A query that returned private entries is visible to their agent only. */
  visible_to: string;
  duration_ms: number;
};

/** An error that a session received. */
export type ErrorNote = {
  kind: 'error';
  at: number;
  operation: string;
  entity_path: string | null;
  error_type: string;
  message: string;
  visible_to: string;
};

/** An entry that was a top result of a query. */
export type RecallNote = { kind: 'recall'; entry_id: number };

/** A note that is stored with a session. */
export type SessionNote = ReadNote | QueryNote | ErrorNote;
export type Note = SessionNote | RecallNote;

export type NotingSession = { agent_id: string; session: string };

/** The notes of an account: by session, in order, and the recalls of entries. */
export type AccountNotes = {
  sessions: readonly (NotingSession & { notes: readonly SessionNote[] })[];
  recalls: readonly RecallCount[];
};

/** Writes the notes of an account. */
export type FlushNotes = (accountId: string, notes: AccountNotes) => Promise<void>;

const MAX_WAITING = 20_000;
const FLUSH_MS = 100;
const MAX_DROPPED = 10_000;

type NotesOfSession = NotingSession & { notes: SessionNote[] };

const noRoomAt = (at: number): NotesGap => ({
  reason: 'more entries were read at once than could be noted',
  before: at + 1,
});

/**
 * Buffers notes in memory for a moment and writes them in batches, or at once when an operation needs them. Recalls are
 * only counted, and no operation waits for them.
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
  /** By account: when and why a note was last dropped. */
  readonly #dropped = new Map<string, NotesGap>();
  /** Accounts whose last notes could not be written. */
  readonly #unwritten = new Set<string>();
  #failures = 0;
  /** Called with the number of notes that found no room, or that nobody took before the end. */
  onMiss: (what: 'notes' | 'recalls', count: number) => void = () => {};

  readonly #isOn: boolean;

  constructor(isOn = true) {
    this.#isOn = isOn;
  }

  /** Notes are dropped until this is called. */
  start(flush: FlushNotes, onError: (error: unknown) => void, marks?: PendingMarks): void {
    if (this.#isOn) this.#flush = flush;
    this.#onError = onError;
    this.#marks = marks;
  }

  note(accountId: string, by: NotingSession, sighting: Note): void {
    if (!this.#flush) return;
    if (sighting.kind === 'recall' || (sighting.kind === 'read' && sighting.is_current))
      this.onMiss('recalls', this.#recalls.add(accountId, sighting.entry_id));
    if (sighting.kind !== 'recall') this.#keep(accountId, by, sighting);
    this.#awaitFlush();
  }

  #keep(accountId: string, by: NotingSession, sighting: SessionNote): void {
    if (this.#count >= MAX_WAITING) {
      this.onMiss('notes', 1);
      this.#drop(accountId, noRoomAt(sighting.at));
      return;
    }
    // Raise the mark before the note can be asked for, so that other processes see it in time.
    if (this.#count === 0 && this.#running.size === 0) this.#marks?.raise();
    this.#notesOf(accountId, by).notes.push(sighting);
    this.#count++;
  }

  #drop(accountId: string, gap: NotesGap): void {
    if (this.#dropped.size >= MAX_DROPPED) this.#dropped.delete(this.#dropped.keys().next().value as string);
    this.#dropped.set(accountId, gap);
  }

  /** Drops what waits: the log was set back, and other entries may have the numbers of those that were read. */
  dropNotes(accountId: string, at: number): void {
    for (const { notes } of this.#waiting.get(accountId)?.values() ?? []) this.#count -= notes.length;
    this.#waiting.delete(accountId);
    this.#recalls.drop(accountId);
    // The row of a session may be lost too, and be made again by its next read.
    this.#drop(accountId, { reason: 'the log was set back after entries were read', before: at + RETURN_MS });
  }

  /** The notes of an account that this process dropped or could not write. */
  gapOf(accountId: string): NotesGap | undefined {
    if (!this.#isOn) return { reason: 'this server does not note reads' };
    if (this.#unwritten.has(accountId)) return { reason: 'reads could not be stored yet' };
    return this.#dropped.get(accountId);
  }

  /** Records whether the notes passed on last are part of the current transaction. */
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

  /** Resolves when all notes of an account are in the store. */
  async flushAccount(accountId: string): Promise<void> {
    if (this.#waiting.has(accountId)) return this.#hand(accountId, []);
    await this.#running.get(accountId);
  }

  /** Resolves when all notes of a session are in the store. */
  async flushSession(accountId: string, by: NotingSession): Promise<void> {
    if (this.#waiting.get(accountId)?.has(sessionKeyText(by))) return this.#hand(accountId, []);
    await this.#running.get(accountId);
  }

  /** The branch that a session read on last, where that is not in the store yet. */
  async branchOf(accountId: string, by: NotingSession): Promise<string | undefined> {
    const { notes = [] } = this.#waiting.get(accountId)?.get(sessionKeyText(by)) ?? {};
    const last = notes.findLast(isReading);
    if (last === undefined) await this.#running.get(accountId);
    return last?.branch;
  }

  /** Passes all notes of an account to the writer. Notes that could not be written wait for the next time. */
  async #hand(accountId: string, recalls: readonly RecallCount[]): Promise<void> {
    const sessions = [...(this.#waiting.get(accountId)?.values() ?? [])];
    if (!this.#flush || sessions.length + recalls.length === 0) return;
    this.#waiting.delete(accountId);
    for (const { notes } of sessions) this.#count -= notes.length;
    const done = this.#flush(accountId, { sessions, recalls }).catch((error) => {
      this.#failures++;
      this.#takeBack(accountId, sessions);
      this.onMiss('recalls', this.#recalls.takeBack(accountId, recalls));
      this.#onError(error);
    });
    // Writes of an account run in order, so the last to start is the last to end.
    this.#running.set(accountId, done);
    await done;
    if (this.#running.get(accountId) === done) this.#running.delete(accountId);
    if (this.#count === 0 && this.#running.size === 0) this.#marks?.lower();
  }

  #takeBack(accountId: string, sessions: readonly NotesOfSession[]): void {
    for (const { notes, ...by } of sessions) {
      const left = notes.slice(0, Math.max(0, MAX_WAITING - this.#count));
      const last = notes.at(-1);
      if (left.length < notes.length) this.onMiss('notes', notes.length - left.length);
      if (last && left.length < notes.length) this.#drop(accountId, noRoomAt(last.at));
      const known = this.#notesOf(accountId, by);
      known.notes = [...left, ...known.notes];
      this.#count += left.length;
    }
    // Keep the mark raised while retrying, so that other processes see the pending notes.
    this.#marks?.raise();
    this.#awaitFlush();
  }

  async flushAll(isLast = false): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const accounts = new Set([...this.#waiting.keys(), ...this.#recalls.accounts()]);
    const due = (accountId: string) => (this.#waiting.has(accountId) ? 'beside notes' : 'nothing else');
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
    this.onMiss('notes', this.#count);
    this.onMiss('recalls', this.#recalls.times);
  }
}

export const isReading = (note: SessionNote): note is ReadNote | QueryNote => note.kind !== 'error';

const sessionKeyText = ({ agent_id, session }: NotingSession) => `${agent_id}\n${session}`;
