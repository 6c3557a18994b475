import { Fault } from '@mem-service/contract';

const MINUTE_MS = 60_000;
/** Wrong keys from one address within a minute, before it has to wait. */
const MAX_FAILURES = 30;
const MAX_ADDRESSES = 10_000;

type KeyFailures = { count: number; until: number };

/**
 * Counts wrong keys by client address. Many clients may share one (a proxy), so an address is never refused as a whole:
 * each key is checked first, and only a wrong one is counted and has to wait.
 */
export class FailedKeyCounter {
  readonly #failures = new Map<string, KeyFailures>();

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
