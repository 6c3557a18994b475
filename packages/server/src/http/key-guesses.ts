import { Fault } from '@mem-service/contract';

const MINUTE_MS = 60_000;
/** Wrong keys from one address within a minute, before it has to wait. */
const MAX_FAILURES = 30;
const MAX_ADDRESSES = 10_000;

type KeyFailures = { count: number; until: number };

/**
 * Counts wrong keys by client address. Many clients may share one (a proxy), so an address is never refused as a whole:
 * only its further wrong keys are.
 */
export class FailedKeyCounter {
  readonly #failures = new Map<string, KeyFailures>();

  isOver(address: string): boolean {
    const seen = this.#failures.get(address);
    return seen !== undefined && seen.count >= MAX_FAILURES && seen.until > performance.now();
  }

  /** Returns the error for the wrong key: the given one, or to wait if there were too many. */
  count(address: string, wrong: Fault): Fault {
    const now = performance.now();
    const seen = this.#failures.get(address);
    if (seen && seen.until > now) {
      if (seen.count >= MAX_FAILURES) return tooMany(seen.until - now);
      seen.count++;
    } else {
      this.#failures.delete(address);
      if (this.#failures.size >= MAX_ADDRESSES) this.#failures.delete(this.#failures.keys().next().value as string);
      this.#failures.set(address, { count: 1, until: now + MINUTE_MS });
    }
    return wrong;
  }
}

function tooMany(leftMs: number): Fault {
  const retry_after = Math.ceil(leftMs / 1000);
  return new Fault('rate_limited', `too many wrong keys; try again in ${retry_after} s`, { retry_after });
}

const MAX_AT_ONCE = 2;
const MAX_WAITING = 1_000;

/**
 * Look-ups for addresses that sent too many wrong keys take turns, so that guesses cannot take the connections to the
 * database away from everyone else.
 */
export class LookUpTurns {
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  async take<T>(lookUp: () => Promise<T>): Promise<T> {
    if (this.#running >= MAX_AT_ONCE) {
      if (this.#waiting.length >= MAX_WAITING) throw tooMany(1000);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running++;
    try {
      return await lookUp();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
