import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '@mem-service/contract';
import { StorageError } from '../db/index.ts';
import { isLogRewound } from './log-pages.ts';
import { isSamePosition, type LogPosition } from './log-position.ts';
import type { LogEvent } from './work.ts';

/** Reads events of an account after a position, in order. Throws `log_rewound` where the log no longer has it. */
export type ReadEvents = (after: LogPosition, limit: number) => Promise<readonly LogEvent[]>;

export type FollowedLogReader = { take(events: readonly LogEvent[]): Promise<void> | undefined };

export const PAGE = 500;
/** The most events kept in memory for readers; the store has them too. */
const MAX_FRESH = 2 * PAGE;
/** How often the store is read for events that no process announced. */
export const POLL_MS = 1_000;
/** How long a full page waits for readers that are still busy with the previous one. */
const PATIENCE_MS = 50;

export type FollowedLogOptions = {
  position: LogPosition;
  read: ReadEvents;
  /** The log was set back behind what was passed on. */
  onRewound: (fault: Fault) => void;
  onError: (error: unknown) => void;
};

/**
 * The log of one account, read once for all its followers in this process. Events committed by this process are passed
 * on directly when they are next in order; all others are read from the store.
 */
export class FollowedLog {
  readonly #options: FollowedLogOptions;
  readonly #live = new Set<FollowedLogReader>();
  readonly #timer: NodeJS.Timeout;
  #position: LogPosition;
  /** Committed by this process, next in order, not yet passed on. */
  #fresh: LogEvent[] = [];
  /** The store may hold events that were not read yet. */
  #behind = true;
  #reading = false;
  #running = false;
  #closed = false;

  constructor(options: FollowedLogOptions) {
    this.#options = options;
    this.#position = options.position;
    this.#timer = setInterval(() => this.poll(), POLL_MS);
  }

  /** A reader that has seen everything up to here may join. */
  get position(): LogPosition {
    return this.#position;
  }

  join(reader: FollowedLogReader): void {
    this.#live.add(reader);
    this.#wake();
  }

  leave(reader: FollowedLogReader): void {
    this.#live.delete(reader);
  }

  /** Takes events committed by this process, and the position before them. */
  committed(events: readonly LogEvent[], after: LogPosition): void {
    const last = this.#fresh.at(-1) ?? this.#position;
    if ((events.at(-1)?.seq ?? 0) <= last.seq) return;
    const fits = this.#fresh.length + events.length <= MAX_FRESH;
    if (fits && !this.#reading && isSamePosition(after, last)) this.#fresh.push(...events);
    else this.#behind = true;
    this.#wake();
  }

  /** Reads the store, unless it is known to hold nothing new. */
  poll(upTo = Number.POSITIVE_INFINITY): void {
    if (upTo <= (this.#fresh.at(-1) ?? this.#position).seq) return;
    this.#behind = true;
    this.#wake();
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
    this.#live.clear();
  }

  #wake(): void {
    if (this.#running || this.#closed) return;
    this.#running = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    let failed = false;
    try {
      // Answers to writes go first; events committed meanwhile join this batch.
      await nextTurn();
      for (let events = await this.#next(); events.length > 0; events = await this.#next()) await this.#hand(events);
    } catch (error) {
      failed = true;
      if (isLogRewound(error)) this.#options.onRewound(error);
      // The store cannot be reached: the next poll tries again.
      else if (!(error instanceof StorageError)) this.#options.onError(error);
    }
    this.#running = false;
    if (!failed && (this.#behind || this.#fresh.length > 0)) this.#wake();
  }

  /** Returns the next events, and advances the position past them. */
  async #next(): Promise<readonly LogEvent[]> {
    if (this.#closed) return [];
    if (this.#fresh.length > 0) return this.#pass(this.#fresh.splice(0));
    if (!this.#behind) return [];
    this.#behind = false;
    this.#reading = true;
    try {
      const events = await this.#options.read(this.#position, PAGE);
      if (events.length === PAGE) this.#behind = true;
      return this.#pass(events);
    } finally {
      this.#reading = false;
    }
  }

  #pass(events: readonly LogEvent[]): readonly LogEvent[] {
    this.#position = events.at(-1) ?? this.#position;
    return events;
  }

  async #hand(events: readonly LogEvent[]): Promise<void> {
    const busy: Promise<void>[] = [];
    for (const reader of this.#live) {
      const done = reader.take(events);
      if (done) busy.push(done);
    }
    if (busy.length > 0 && events.length >= PAGE) await Promise.race([Promise.all(busy), sleep(PATIENCE_MS)]);
  }
}
