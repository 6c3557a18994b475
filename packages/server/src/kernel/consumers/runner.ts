import { AccountQueue } from './account-queue.ts';
import { AT_ONCE, type Due, Turn, type TurnParts } from './turn.ts';

/** The number of accounts that one consumer handles at the same time. */
const CONCURRENCY = 4;
/** Accounts that come due within this time are started together. */
const GATHER_MS = 20;
/** Where there was none, it rests so many times as long as each of its turns took, but not longer than it waits for a lull. */
const REST = 9;
const MAX_GIVING_WAY = 10_000;

/** Works through the accounts of one consumer, one batch each in turn. */
export class ConsumerRunner {
  readonly parts: TurnParts;
  readonly #queue = new AccountQueue();
  readonly #running = new Map<string, Promise<void>>();
  /** Accounts woken during their turn. */
  readonly #again = new Set<string>();
  readonly #retrying = new Set<string>();
  /** Accounts announced by another server only, with the `seq` to handle up to. */
  readonly #wanted = new Map<string, number>();
  /** Accounts that give way to writes, and since when. */
  readonly #givingWay = new Map<string, number>();
  /** Accounts in which more came in during their last turn, and until when they rest. */
  readonly #resting = new Map<string, number>();
  #isDraining = false;
  #timer: NodeJS.Timeout | undefined;
  /** When the timer ends, by a clock that nobody sets. */
  #timerAt = 0;
  #closed = false;

  constructor(parts: TurnParts) {
    this.parts = parts;
  }

  get #now(): number {
    return this.parts.kernel.services.clock.now();
  }

  /** Queues the account. */
  wake(accountId: string): void {
    this.#wanted.delete(accountId);
    const { delay_seconds = 0 } = this.parts.consumer;
    if (delay_seconds > 0) this.#later(accountId, this.#now + delay_seconds * 1000);
    else this.#soon(accountId);
  }

  /** Queues the account after the grace period, in case the other server handles the events first. */
  wakeLater(accountId: string, seq: number): void {
    this.#wanted.set(accountId, seq);
    const { consumer, times } = this.parts;
    const graceMs = times.grace_ms * (1 + Math.random());
    this.#later(accountId, this.#now + (consumer.delay_seconds ?? 0) * 1000 + graceMs);
  }

  retry(accountId: string): void {
    this.#retrying.add(accountId);
    this.#soon(accountId);
  }

  #soon(accountId: string): void {
    const restUntil = this.#resting.get(accountId);
    if (this.#running.has(accountId)) this.#again.add(accountId);
    else if (restUntil !== undefined) this.#queue.addAt(accountId, restUntil, this.#now);
    else this.#queue.add(accountId);
    this.#schedule(0);
  }

  #later(accountId: string, dueAt: number): void {
    if (this.#running.has(accountId)) this.#again.add(accountId);
    else this.#queue.addAt(accountId, dueAt, this.#now);
    this.#schedule(Math.max(0, (this.#queue.nextDueAt ?? dueAt) - this.#now));
  }

  #schedule(delayMs: number): void {
    const at = performance.now() + delayMs;
    if (this.#closed || (this.#timer && at >= this.#timerAt)) return;
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(() => this.#start(), Math.min(delayMs + GATHER_MS, 2 ** 31 - 1)).unref();
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (!this.#closed && this.#running.size < CONCURRENCY) {
      const accountId = this.#queue.take(this.#now);
      if (accountId === undefined) break;
      if (this.#givesWay(accountId)) continue;
      const turn = this.#takeTurn(accountId).finally(() => {
        this.#running.delete(accountId);
        if (this.#again.delete(accountId)) this.#queueAgain(accountId);
        this.#start();
      });
      this.#running.set(accountId, turn);
    }
    const { nextDueAt } = this.#queue;
    if (nextDueAt !== undefined && this.#running.size < CONCURRENCY)
      this.#schedule(Math.max(MIN_WAIT_MS, nextDueAt - this.#now));
  }

  /** Whether the account waits for a lull of writes. */
  #givesWay(accountId: string): boolean {
    const { consumer, load } = this.parts;
    const { gives_way_seconds = 0 } = consumer;
    const { calmInMs } = load;
    if (gives_way_seconds === 0 || this.#isDraining || calmInMs === 0 || this.#givingWay.size >= MAX_GIVING_WAY) {
      this.#givingWay.delete(accountId);
      return false;
    }
    const since = this.#givingWay.get(accountId) ?? performance.now();
    this.#givingWay.set(accountId, since);
    if (performance.now() - since >= gives_way_seconds * 1000) return false;
    this.#queue.addAt(accountId, this.#now + Math.ceil(calmInMs), this.#now);
    return true;
  }

  /** When an account goes on that has more to do: at once, unless it gave way and there was no lull. */
  #next(accountId: string, tookMs: number): number {
    if (!this.#givingWay.has(accountId) || this.#isDraining) return AT_ONCE;
    const { gives_way_seconds = 0 } = this.parts.consumer;
    return this.#now + Math.min(REST * tookMs, gives_way_seconds * 1000);
  }

  /** What came in during a turn waits for the pause to be over, or for more of it, unless the account has to go on at once. */
  #queueAgain(accountId: string): void {
    const { delay_seconds = 0, pause_seconds = delay_seconds } = this.parts.consumer;
    const restUntil = this.#now + pause_seconds * 1000;
    if (pause_seconds > 0 && !this.#isDraining) {
      this.#resting.set(accountId, restUntil);
      this.#queue.addAt(accountId, restUntil, this.#now);
    } else this.#queue.add(accountId);
  }

  async #takeTurn(accountId: string): Promise<void> {
    let due: Due;
    const started = performance.now();
    const turn = new Turn(this.parts, accountId);
    this.#resting.delete(accountId);
    try {
      const wanted = this.#wanted.get(accountId);
      this.#wanted.delete(accountId);
      due = await turn.run({ hasRetries: this.#retrying.delete(accountId), wanted });
    } catch (error) {
      this.parts.onError(error);
      due = this.#now + FAILED_TURN_MS;
    }
    if (turn.hasRetries && due !== undefined) this.#retrying.add(accountId);
    if (due === AT_ONCE) due = this.#next(accountId, performance.now() - started);
    else this.#givingWay.delete(accountId);
    if (due === AT_ONCE) this.#queue.add(accountId);
    else if (due !== undefined) this.#queue.addAt(accountId, due, this.#now);
  }

  /** Resolves when nothing is due. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    for (const accountId of [...this.#givingWay.keys(), ...this.#resting.keys()]) this.#queue.add(accountId);
    for (;;) {
      this.#start();
      if (this.#running.size === 0) break;
      await Promise.all(this.#running.values());
    }
    this.#isDraining = false;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await Promise.all(this.#running.values());
  }
}

/** Prevents a busy loop when a test's clock does not advance. */
const MIN_WAIT_MS = 100;
const FAILED_TURN_MS = 5_000;
