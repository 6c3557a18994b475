import { setTimeout as sleep } from 'node:timers/promises';
import { StorageError } from '../db/index.ts';
import { type FollowedLog, type FollowedLogReader, PAGE, POLL_MS, type ReadEvents } from './followed-log.ts';
import type { LogEvent } from './work.ts';

/** What one caller wants to follow, and may see. */
export type FollowRequest = {
  /** Only events with a greater number; without it, what is committed from now on. */
  after: number | undefined;
  accepts(event: LogEvent): boolean;
  /** The event as JSON, the same for everybody who sees it. */
  toText(event: LogEvent): string;
};

export type EventReader = {
  /**
   * Is given events in order, each once. Pages of what happened before wait for the promise; what happens now does not,
   * so a reader that cannot keep up must give up. Readers that want all of a list are given the same one.
   */
  take(events: readonly LogEvent[]): Promise<void> | undefined;
  /** There will be no more. */
  end(): void;
};

/** Somebody's place in the log. */
export type Subscription = {
  /** Everything up to here has been handed over, or was not wanted. */
  readonly seq: number;
  toText(event: LogEvent): string;
  start(reader: EventReader): void;
  close(): void;
};

export type FollowerOptions = {
  log: FollowedLog;
  view: FollowRequest;
  seq: number;
  /** For what happened before. */
  read: ReadEvents;
  /** Whether it may still be told something. */
  holds: () => boolean;
  onError: (error: unknown) => void;
  onClose: (follower: Follower) => void;
};

/** Reads what happened before in pages, and joins the others once it has caught up. */
export class Follower implements Subscription, FollowedLogReader {
  readonly #options: FollowerOptions;
  #seq: number;
  #reader: EventReader | undefined;
  #closed = false;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#seq = options.seq;
  }

  get seq(): number {
    return this.#seq;
  }

  toText(event: LogEvent): string {
    return this.#options.view.toText(event);
  }

  start(reader: EventReader): void {
    this.#reader = reader;
    if (this.#closed) reader.end();
    else void this.#catchUp();
  }

  take(events: readonly LogEvent[]): Promise<void> | undefined {
    if (!this.#options.holds()) {
      this.end();
      return undefined;
    }
    const { accepts } = this.#options.view;
    const ahead = (events[0]?.seq ?? 0) > this.#seq ? events : events.filter(({ seq }) => seq > this.#seq);
    this.#seq = ahead.at(-1)?.seq ?? this.#seq;
    try {
      const wanted = ahead.every(accepts) ? ahead : ahead.filter(accepts);
      return wanted.length === 0 ? undefined : this.#reader?.take(wanted);
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#options.log.leave(this);
    this.#options.onClose(this);
  }

  end(): void {
    this.close();
    this.#reader?.end();
  }

  async #catchUp(): Promise<void> {
    const { log, read } = this.#options;
    for (let more = true; more && this.#seq < log.seq; ) {
      try {
        const events = await read(this.#seq, PAGE);
        if (this.#closed) return;
        await this.take(events);
        more = events.length > 0;
      } catch (error) {
        if (!(error instanceof StorageError)) this.#fail(error);
        // A store that cannot be reached now is asked again.
        else await sleep(POLL_MS);
      }
      if (this.#closed) return;
    }
    log.join(this);
  }

  #fail(error: unknown): void {
    this.#options.onError(error);
    this.end();
  }
}
