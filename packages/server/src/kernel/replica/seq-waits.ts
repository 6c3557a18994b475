import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '@mem-service/contract';
import type { Database } from '../../db/index.ts';
import { readSeq } from '../queries.ts';

const FIRST_LOOK_MS = 2;
const MAX_LOOK_MS = 50;
/** More reads than that are refused at once. Those of one account leave room for others when they all go on. */
const MAX_WAITING = { ofAccount: 100, inAll: 10_000 };

type SeqWaiter = { min_seq: number; until: number; resolve: () => void; reject: (error: unknown) => void };

const NONE: ReadonlySet<SeqWaiter> = new Set();

export type SeqWaitsOptions = {
  database: Database;
  waitMs: number;
  behind: (place: { seq: number; min_seq: number }) => Fault;
};

/** Reads that wait until a standby has a `seq` of their account. However many wait, an account is looked up once at a time. */
export class SeqWaits {
  readonly #options: SeqWaitsOptions;
  readonly #waiting = new Map<string, Set<SeqWaiter>>();
  #count = 0;

  constructor(options: SeqWaitsOptions) {
    this.#options = options;
  }

  async reached(accountId: string, min_seq: number): Promise<void> {
    const { waitMs, behind } = this.#options;
    const until = performance.now() + waitMs;
    const seq = await this.#look(accountId);
    if (seq >= min_seq) return;
    const { size } = this.#waiting.get(accountId) ?? NONE;
    if (size >= MAX_WAITING.ofAccount || this.#count >= MAX_WAITING.inAll) throw behind({ seq, min_seq });
    await new Promise<void>((resolve, reject) => this.#wait(accountId, { min_seq, until, resolve, reject }));
  }

  #wait(accountId: string, waiter: SeqWaiter): void {
    this.#count++;
    const others = this.#waiting.get(accountId);
    if (others) {
      others.add(waiter);
      return;
    }
    const waiters = new Set([waiter]);
    this.#waiting.set(accountId, waiters);
    void this.#follow(accountId, waiters);
  }

  async #follow(accountId: string, waiters: Set<SeqWaiter>): Promise<void> {
    const end = (waiter: SeqWaiter, failure?: unknown) => {
      waiters.delete(waiter);
      this.#count--;
      if (failure === undefined) waiter.resolve();
      else waiter.reject(failure);
    };
    for (let delayMs = FIRST_LOOK_MS; waiters.size > 0; delayMs = Math.min(2 * delayMs, MAX_LOOK_MS)) {
      await sleep(delayMs);
      try {
        const seq = await this.#look(accountId);
        const now = performance.now();
        for (const waiter of waiters) {
          const { min_seq } = waiter;
          if (seq >= min_seq) end(waiter);
          else if (waiter.until <= now) end(waiter, this.#options.behind({ seq, min_seq }));
        }
      } catch (error) {
        for (const waiter of waiters) end(waiter, error);
      }
    }
    this.#waiting.delete(accountId);
  }

  #look(accountId: string): Promise<number> {
    return readSeq(this.#options.database.forAccount(accountId).read, accountId);
  }
}
