import { failed, late } from './thread-outputs.ts';
import type { Transformed } from './types.ts';

/** An event as JSON that waits for its results. */
export type QueuedEvent = {
  text: string;
  account_id: string;
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

/** Events in the order of their arrival, of each account in turn. */
export class EventQueue {
  /** The account whose turn it is comes first. None is empty. */
  readonly #accounts = new Map<string, QueuedEvent[]>();
  #length = 0;
  #chars = 0;

  get length(): number {
    return this.#length;
  }

  get chars(): number {
    return this.#chars;
  }

  add(text: string, account_id: string): Promise<Transformed> {
    return new Promise((resolve) => {
      const event = { text, account_id, resolve, arrived: performance.now(), isDone: false };
      const own = this.#accounts.get(account_id);
      if (own) own.push(event);
      else this.#accounts.set(account_id, [event]);
      this.#count(event, 1);
    });
  }

  /** At most so many events; no more characters than these either, unless it is one event. */
  take(most: number, mostChars: number): QueuedEvent[] {
    const taken: QueuedEvent[] = [];
    let chars = 0;
    while (taken.length < most) {
      const [account_id, own] = this.#accounts.entries().next().value ?? [];
      const first = own?.[0];
      if (account_id === undefined || !first || (taken.length > 0 && chars + first.text.length > mostChars)) break;
      // An account alone needs no turns.
      const count = this.#accounts.size > 1 ? 1 : fitting(own, most - taken.length, mostChars - chars);
      const events = own.splice(0, count);
      this.#accounts.delete(account_id);
      if (own.length > 0) this.#accounts.set(account_id, own);
      for (const event of events) {
        chars += event.text.length;
        this.#count(event, -1);
        taken.push(event);
      }
    }
    return taken;
  }

  /** Before all others of their accounts. The turn of `lastAccount` comes after that of all others. */
  putBack(events: readonly QueuedEvent[], lastAccount?: string): void {
    const left = new Map<string, QueuedEvent[]>();
    for (const event of events)
      if (!event.isDone) left.set(event.account_id, [...(left.get(event.account_id) ?? []), event]);
    const names = new Set([...left.keys(), ...this.#accounts.keys()]);
    if (lastAccount !== undefined && names.delete(lastAccount)) names.add(lastAccount);
    for (const name of names) {
      const first = left.get(name) ?? [];
      const own = [...first, ...(this.#accounts.get(name) ?? [])];
      this.#accounts.delete(name);
      if (own.length > 0) this.#accounts.set(name, own);
      for (const event of first) this.#count(event, 1);
    }
  }

  failAccount(account_id: string, reason: string): void {
    for (const event of this.#accounts.get(account_id) ?? []) {
      this.#count(event, -1);
      resolveEvent(event, failed(reason, true));
    }
    this.#accounts.delete(account_id);
  }

  failAll(reason: string): void {
    for (const event of this.take(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY))
      resolveEvent(event, failed(reason, true));
  }

  /** Fails those that arrived before this time. */
  expire(before: number, reason: string): void {
    for (const [account_id, own] of this.#accounts) {
      for (let [first] = own; first && first.arrived < before; [first] = own) {
        own.shift();
        this.#count(first, -1);
        resolveEvent(first, late(reason));
      }
      if (own.length === 0) this.#accounts.delete(account_id);
    }
  }

  #count({ text }: QueuedEvent, by: 1 | -1): void {
    this.#length += by;
    this.#chars += by * text.length;
  }
}

function fitting(events: readonly QueuedEvent[], most: number, mostChars: number): number {
  let [count, chars] = [0, 0];
  for (const { text } of events) {
    if (count >= most || (count > 0 && chars + text.length > mostChars)) break;
    count++;
    chars += text.length;
  }
  return count;
}
