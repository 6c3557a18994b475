import { failed } from './thread-outputs.ts';
import type { Transformed } from './types.ts';

/** An event as JSON that waits for its results. */
export type QueuedEvent = {
  text: string;
  arrived: number;
  isDone: boolean;
  resolve: (transformed: Transformed) => void;
};

/** The first result of an event counts. */
export function resolveEvent(event: QueuedEvent, transformed: Transformed): void {
  if (event.isDone) return;
  event.isDone = true;
  event.resolve(transformed);
}

/** Events in the order of their arrival. */
export class EventQueue {
  #events: QueuedEvent[] = [];
  #chars = 0;

  get length(): number {
    return this.#events.length;
  }

  get chars(): number {
    return this.#chars;
  }

  add(text: string): Promise<Transformed> {
    this.#chars += text.length;
    return new Promise((resolve) => {
      this.#events.push({ text, resolve, arrived: performance.now(), isDone: false });
    });
  }

  /** At most so many events; no more characters than these either, unless it is one event. */
  take(most: number, mostChars: number): QueuedEvent[] {
    let [count, chars] = [0, 0];
    for (const { text } of this.#events) {
      if (count >= most || (count > 0 && chars + text.length > mostChars)) break;
      count++;
      chars += text.length;
    }
    this.#chars -= chars;
    return this.#events.splice(0, count);
  }

  putBack(events: readonly QueuedEvent[]): void {
    const left = events.filter(({ isDone }) => !isDone);
    for (const { text } of left) this.#chars += text.length;
    this.#events = [...left, ...this.#events];
  }

  failAll(reason: string): void {
    for (const event of this.take(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY))
      resolveEvent(event, failed(reason, true));
  }

  /** Fails those that arrived before this time. */
  expire(before: number, reason: string): void {
    for (let [first] = this.#events; first && first.arrived < before; [first] = this.#events) {
      this.#events.shift();
      this.#chars -= first.text.length;
      resolveEvent(first, failed(reason, true));
    }
  }
}
