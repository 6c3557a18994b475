import { client, isMemError } from './client.ts';
import { eventOfStream, type FeedEvent } from './events.ts';
import { refuseKey } from './key-store.ts';
import { logEnd, RECENT_MS } from './log-end.ts';

export type LiveState = 'off' | 'connecting' | 'live' | 'reconnecting' | 'paused';
export type LiveStatus = { state: LiveState /** When the last event or connection came. */; at: number; rate: number };
type Listener = (events: readonly FeedEvent[]) => void;

const RATE_WINDOW_MS = 5_000;
const HIDDEN_TAB_MS = 250;
/** Under many events each hand-over has several of them: nobody reads faster, and lists have time left to be scrolled. */
const BETWEEN_MS = 250;

/**
 * One stream of events for the whole page, of all branches that the key may read. An event after a while is handed on with
 * the next frame, many are some times a second, all of them and in order; after a pause or a lost connection it goes on after
 * the last one. It begins where the log ended before the page asked what it shows, so that nothing in between is missed.
 */
export class LiveStream {
  #status: LiveStatus = { state: 'off', at: 0, rate: 0 };
  #position: string | undefined;
  #endMs = RECENT_MS;
  #waiting: FeedEvent[] = [];
  #frame: ReturnType<typeof setTimeout> | undefined;
  #handedAt = Number.NEGATIVE_INFINITY;
  #stop: AbortController | undefined;
  #arrivals: { at: number; count: number }[] = [];
  #rateTimer: ReturnType<typeof setInterval> | undefined;
  readonly #listeners = new Set<Listener>();
  readonly #watchers = new Set<() => void>();

  readonly status = (): LiveStatus => this.#status;

  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => {
      this.#watchers.delete(watcher);
    };
  };

  /**
   * The first listener opens the stream, the last closes it. `after` is a position to begin after: a stream that is open
   * already goes back to it if it is somewhere else, so that nothing in between is missed. Others may then get events twice.
   */
  listen(listener: Listener, after?: string): () => void {
    this.#listeners.add(listener);
    const isFirst = this.#listeners.size === 1;
    const isElsewhere = after !== undefined && after !== this.#position;
    this.#position = after ?? this.#position;
    if (isFirst || (isElsewhere && this.#stop)) this.#open();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#close('off');
    };
  }

  pause(): void {
    if (this.#stop) this.#close('paused');
  }

  resume(): void {
    if (this.#status.state === 'paused') this.#open();
  }

  /** Does not wait any longer for the next try: the server is known to answer. */
  reconnect(): void {
    if (this.#status.state === 'reconnecting') this.#open();
  }

  /** Begins again, as with another key. */
  restart(): void {
    this.#position = undefined;
    // What was known of the log may not be true any more.
    this.#endMs = 0;
    if (this.#listeners.size > 0) this.#open();
  }

  close(): void {
    this.#listeners.clear();
    this.#close('off');
  }

  #open(): void {
    this.#stop?.abort();
    this.#stop = new AbortController();
    this.#set({ state: 'connecting' });
    this.#rateTimer ??= setInterval(() => this.#measure(), 1_000);
    void this.#follow(this.#stop.signal);
  }

  #close(state: LiveState): void {
    this.#stop?.abort();
    this.#stop = undefined;
    clearInterval(this.#rateTimer);
    this.#rateTimer = undefined;
    this.#arrivals = [];
    this.#set({ state, rate: 0 });
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const end = this.#position === undefined ? await logEnd(this.#endMs) : undefined;
    if (signal.aborted) return;
    this.#position ??= end;
    const input = { all_branches: true, ...(this.#position === undefined ? {} : { after: this.#position }) };
    const options = {
      signal,
      onOpen: () => this.#set({ state: 'live', at: Date.now() }),
      onRetry: () => this.#set({ state: 'reconnecting' }),
      retries: 1_000_000,
    };
    try {
      for await (const text of client().streamText('log.stream', input, options)) this.#take(eventOfStream(text));
    } catch (error) {
      if (signal.aborted) return;
      if (isMemError(error) && error.status === 401) refuseKey();
      // After a restored backup the position means nothing: go on with what comes now.
      if (isMemError(error, 'log_rewound')) return this.restart();
      this.#close('off');
    }
  }

  #take(event: FeedEvent): void {
    this.#position = event.position;
    this.#waiting.push(event);
    this.#frame ??= nextFrame(() => this.#hand(), this.#handedAt + BETWEEN_MS - performance.now());
  }

  #hand(): void {
    this.#frame = undefined;
    this.#handedAt = performance.now();
    const events = this.#waiting;
    this.#waiting = [];
    this.#arrivals.push({ at: Date.now(), count: events.length });
    for (const listener of this.#listeners) listener(events);
  }

  #measure(): void {
    const now = Date.now();
    this.#arrivals = this.#arrivals.filter(({ at }) => now - at < RATE_WINDOW_MS);
    const count = this.#arrivals.reduce((sum, arrival) => sum + arrival.count, 0);
    const rate = Math.round(count / (RATE_WINDOW_MS / 1_000));
    if (rate !== this.#status.rate) this.#set({ rate, ...(count > 0 ? { at: now } : {}) });
  }

  #set(change: Partial<LiveStatus>): void {
    this.#status = { ...this.#status, ...change };
    for (const watcher of this.#watchers) watcher();
  }
}

/** The next frame after a wait. A hidden tab draws no frames; its events go on by a timer. */
function nextFrame(run: () => void, waitMs: number): ReturnType<typeof setTimeout> {
  if (document.hidden) return setTimeout(run, HIDDEN_TAB_MS);
  if (waitMs > 0) return setTimeout(() => requestAnimationFrame(run), waitMs);
  return requestAnimationFrame(run) as unknown as ReturnType<typeof setTimeout>;
}

export const live = new LiveStream();
