import type { ServerResponse } from 'node:http';
import type { Fault } from '@mem-service/contract';
import type { EventReader, LogEvent, Subscription } from '../kernel/index.ts';
import { ending, framesOf, heartbeat, opening } from './stream-frames.ts';

type StreamLimits = { maxWaitingBytes: number; stallMs: number };

/** One reader of the stream, at the other end of a connection. */
export class EventStream implements EventReader {
  readonly #raw: ServerResponse;
  readonly #subscription: Subscription;
  readonly #limits: StreamLimits;
  #draining: Promise<void> | undefined;

  constructor(raw: ServerResponse, subscription: Subscription, limits: StreamLimits) {
    this.#raw = raw;
    this.#subscription = subscription;
    this.#limits = limits;
    // A broken connection is closed, and `close` is handled.
    raw.on('error', () => {});
  }

  start(): void {
    void this.#write(opening(this.#subscription.position));
    this.#subscription.start(this);
  }

  take(events: readonly LogEvent[]): Promise<void> | undefined {
    return this.#write(framesOf(events, this.#subscription));
  }

  beat(): void {
    void this.#write(heartbeat(this.#subscription.position));
  }

  end(fault?: Fault): void {
    this.#subscription.close();
    if (fault) {
      // A reader that does not take it is disconnected.
      void this.#write(ending(fault));
      this.#raw.end();
    } else if (this.#raw.writableLength > 0) this.#raw.destroy();
    else this.#raw.end();
  }

  #write(bytes: Buffer | string): Promise<void> | undefined {
    if (this.#raw.destroyed || this.#raw.writableEnded) return undefined;
    if (this.#raw.writableLength > this.#limits.maxWaitingBytes) this.#raw.destroy();
    else if (!this.#raw.write(bytes)) return this.#drained();
    return undefined;
  }

  /** Resolves when all waiting bytes were taken, or the connection is closed. */
  #drained(): Promise<void> {
    this.#draining ??= new Promise((resolve) => {
      const timer = setTimeout(() => this.#raw.destroy(), this.#limits.stallMs);
      const done = () => {
        clearTimeout(timer);
        this.#raw.off('drain', done).off('close', done);
        this.#draining = undefined;
        resolve();
      };
      this.#raw.once('drain', done).once('close', done);
    });
    return this.#draining;
  }
}
