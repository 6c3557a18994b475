import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@mem-service/contract';
import { StorageError } from '../db/index.ts';
import type { AccessWatch } from './branch-access.ts';
import { type FollowedLog, type FollowedLogReader, PAGE, POLL_MS, type ReadEvents } from './followed-log.ts';
import { isLogRewound } from './log-pages.ts';
import type { GivenPosition, LogPosition } from './log-position.ts';
import type { LogEvent } from './work.ts';

/** What one caller wants to follow, and may see. */
export type FollowRequest = {
  /** Only events after this position; undefined means those committed from now on. */
  after: GivenPosition | undefined;
  accepts(event: LogEvent): boolean;
  /** Looks up what `accepts` has to know about these events, where there is something. */
  lookUp?(events: readonly LogEvent[]): Promise<void> | undefined;
  /** Formats an event as JSON, the same text for every reader. */
  toText(event: LogEvent): string;
};

export type EventReader = {
  /**
   * Receives events in order, each once. Past events wait for the promise, live ones do not: a reader that cannot keep
   * up must end. Readers that want all events of a list receive the same list object.
   */
  take(events: readonly LogEvent[]): Promise<void> | undefined;
  /** No more events will follow: because of the fault, or the service ends it. */
  end(fault?: Fault): void;
};

/** A caller's position in the log. */
export type Subscription = {
  /** Everything up to here was delivered or filtered out. */
  readonly position: LogPosition;
  toText(event: LogEvent): string;
  start(reader: EventReader): void;
  close(): void;
};

export type FollowerOptions = {
  log: FollowedLog;
  view: FollowRequest;
  position: LogPosition;
  /** Reads past events. */
  read: ReadEvents;
  /** Whether the caller may still receive events. */
  holds: () => boolean;
  /** Whether the caller still has access to the branch, where it could lose it. */
  access?: AccessWatch | undefined;
  onError: (error: unknown) => void;
  onClose: (follower: Follower) => void;
};

/** Reads past events in pages, and joins the live readers once it has caught up. */
export class Follower implements Subscription, FollowedLogReader {
  readonly #options: FollowerOptions;
  #position: LogPosition;
  #reader: EventReader | undefined;
  #closed = false;
  #isCatchingUp = false;
  #ended: Fault | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#position = options.position;
  }

  get position(): LogPosition {
    return this.#position;
  }

  toText(event: LogEvent): string {
    return this.#options.view.toText(event);
  }

  start(reader: EventReader): void {
    this.#reader = reader;
    if (this.#closed) reader.end(this.#ended);
    else void this.#catchUp();
  }

  take(events: readonly LogEvent[]): Promise<void> | undefined {
    if (!this.#options.holds()) {
      this.end();
      return undefined;
    }
    const { seq: behind } = this.#position;
    const ahead = (events[0]?.seq ?? 0) > behind ? events : events.filter(({ seq }) => seq > behind);
    const looking = this.#options.view.lookUp?.(ahead);
    if (!looking) return this.#takeKnown(ahead);
    this.#options.log.leave(this);
    return this.#takeAfter(looking, ahead);
  }

  async #takeAfter(looking: Promise<void>, events: readonly LogEvent[]): Promise<void> {
    try {
      await looking;
      if (!this.#closed) await this.#takeKnown(events);
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (!this.#closed && !this.#isCatchingUp) void this.#catchUp();
  }

  #takeKnown(ahead: readonly LogEvent[]): Promise<void> | undefined {
    const { access, log } = this.#options;
    const due = access ? ahead.findIndex((event) => access.isDue(event)) : -1;
    if (!access || due < 0) return this.#pass(ahead);
    // What follows waits until it is known whether the caller may still see it.
    log.leave(this);
    return this.#checkAccess(access, this.#pass(ahead.slice(0, due + 1)));
  }

  #pass(events: readonly LogEvent[]): Promise<void> | undefined {
    this.#position = events.at(-1) ?? this.#position;
    const { accepts } = this.#options.view;
    try {
      const wanted = events.every(accepts) ? events : events.filter(accepts);
      return wanted.length === 0 ? undefined : this.#reader?.take(wanted);
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  async #checkAccess(access: AccessWatch, passed: Promise<void> | undefined): Promise<void> {
    try {
      await passed;
      await access.check();
    } catch (error) {
      if (error instanceof Fault) this.end(error);
      else this.#fail(error);
      return;
    }
    if (!this.#closed && !this.#isCatchingUp) void this.#catchUp();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#options.log.leave(this);
    this.#options.onClose(this);
  }

  end(fault?: Fault): void {
    this.close();
    this.#ended = fault;
    this.#reader?.end(fault);
  }

  async #catchUp(): Promise<void> {
    const { log, read } = this.#options;
    this.#isCatchingUp = true;
    for (let more = true; more && this.#position.seq < log.position.seq; ) {
      try {
        const events = await read(this.#position, PAGE);
        if (this.#closed) return;
        await this.take(events);
        more = events.length > 0;
      } catch (error) {
        if (isLogRewound(error)) this.end(error);
        else if (!(error instanceof StorageError)) this.#fail(error);
        // The store cannot be reached: try again.
        else await sleep(POLL_MS);
      }
      if (this.#closed) return;
    }
    this.#isCatchingUp = false;
    log.join(this);
  }

  #fail(error: unknown): void {
    this.#options.onError(error);
    this.end();
  }
}
