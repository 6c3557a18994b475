/** How often an entry was recalled since the last flush. */
export type RecallCount = { entry_id: number; times: number };

/**
 * How many counts to write. Each rewrites a row, so few are written beside other notes and more when there are none.
 */
const DUE = { 'beside notes': 50, 'nothing else': 250, last: Number.POSITIVE_INFINITY };

/**
 * The most counts in one transaction. On SQLite, the cost of each grows with the pages that the transaction has
 * changed.
 */
const MAX_DUE = 2000;

/** Entries whose ids differ by less are mostly on the same page of the store. */
const NEIGHBOURS = 16;

/** Waiting counts beyond this number are written as soon as possible. */
const MAX_PUT_OFF = 100_000;

/** When the store accepts nothing for long, recalls of further entries are not counted beyond this number. */
const MAX_WAITING = 2 * MAX_PUT_OFF;

/** `oldest` keeps its position between calls, so that entries taken earlier are not visited again. */
type WaitingRecalls = { counts: Map<number, number>; oldest: Iterator<number> };

function noRecalls(): WaitingRecalls {
  const counts = new Map<number, number>();
  return { counts, oldest: counts.keys() };
}

/** Counts recalls by entry id, so that an entry waits once however often it is recalled. */
export class Recalls {
  readonly #waiting = new Map<string, WaitingRecalls>();
  #count = 0;

  /** Returns how many found no room. */
  add(accountId: string, entryId: number, times = 1): number {
    let waiting = this.#waiting.get(accountId);
    if (!waiting) {
      waiting = noRecalls();
      this.#waiting.set(accountId, waiting);
    }
    const { counts } = waiting;
    const known = counts.get(entryId);
    if (known === undefined && this.#count >= MAX_WAITING) return times;
    if (known === undefined) this.#count++;
    counts.set(entryId, (known ?? 0) + times);
    return 0;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Of all entries together. */
  get times(): number {
    let sum = 0;
    for (const { counts } of this.#waiting.values()) for (const times of counts.values()) sum += times;
    return sum;
  }

  accounts(): Iterable<string> {
    return this.#waiting.keys();
  }

  /**
   * Takes the entries that have waited longest, each with those of neighbouring ids: they share a page of the store.
   */
  take(accountId: string, moment: keyof typeof DUE): RecallCount[] {
    const waiting = this.#waiting.get(accountId);
    if (!waiting) return [];
    const { counts, oldest } = waiting;
    const most = Math.min(MAX_DUE, Math.max(DUE[moment], this.#count - MAX_PUT_OFF));
    const taken: RecallCount[] = [];
    while (taken.length < most) {
      const { value, done } = oldest.next();
      if (done) break;
      const first = value - (value % NEIGHBOURS);
      for (let entry_id = first; entry_id < first + NEIGHBOURS; entry_id++) {
        const times = counts.get(entry_id);
        if (times === undefined) continue;
        taken.push({ entry_id, times });
        counts.delete(entry_id);
      }
    }
    this.#count -= taken.length;
    if (counts.size === 0) this.#waiting.delete(accountId);
    return taken;
  }

  drop(accountId: string): void {
    this.#count -= this.#waiting.get(accountId)?.counts.size ?? 0;
    this.#waiting.delete(accountId);
  }

  /** Returns how many found no room. */
  takeBack(accountId: string, recalls: readonly RecallCount[]): number {
    return recalls.reduce((sum, { entry_id, times }) => sum + this.add(accountId, entry_id, times), 0);
  }
}
