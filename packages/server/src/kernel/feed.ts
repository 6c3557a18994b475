import type { LogPosition } from './log-position.ts';
import type { LogEvent } from './work.ts';

/** `after`: where the log ended before these events. */
export type FeedListener = (events: readonly LogEvent[], accountId: string, after: LogPosition) => void;

/** Passes committed events to listeners in this process. Called only after the commit. */
export class Feed {
  readonly #listeners = new Map<string, Set<FeedListener>>();
  readonly #all = new Set<FeedListener>();

  publish(accountId: string, events: readonly LogEvent[], after: LogPosition): void {
    for (const listener of this.#all) listener(events, accountId, after);
    for (const listener of this.#listeners.get(accountId) ?? []) listener(events, accountId, after);
  }

  subscribe(accountId: string, listener: FeedListener): () => void {
    const listeners = this.#listeners.get(accountId) ?? new Set();
    this.#listeners.set(accountId, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(accountId);
    };
  }

  subscribeAll(listener: FeedListener): () => void {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  }
}
