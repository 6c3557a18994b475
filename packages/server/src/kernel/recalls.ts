/** How often an entry was recalled since that was last written. */
export type RecallCount = { entry_id: number; times: number };

/** Each is a row to be written anew, so beside other notes they are put off; when there is nothing else, more are due. */
const DUE = { 'beside notes': 50, alone: 250, last: Number.POSITIVE_INFINITY };

/** In one transaction. SQLite takes longer for each the more pages a transaction has changed. */
const MAX_DUE = 2000;

/** Entries whose numbers differ by less mostly share a page of the store. */
const NEIGHBOURS = 16;

/** What waits beyond this is due as soon as can be. */
const MAX_PUT_OFF = 100_000;

/** A store that takes nothing for long: entries that do not wait yet go uncounted. */
const MAX_WAITING = 2 * MAX_PUT_OFF;

/** A walk through the oldest goes on where it was: what was taken before it is not passed again. */
type WaitingRecalls = { counts: Map<number, number>; oldest: Iterator<number> };

function noRecalls(): WaitingRecalls {
  const counts = new Map<number, number>();
  return { counts, oldest: counts.keys() };
}

/** Counts recalls of entries by their numbers, so that however often one is recalled, it waits once. */
export class Recalls {
  readonly #waiting = new Map<string, WaitingRecalls>();
  #count = 0;

  add(accountId: string, entryId: number, times = 1): void {
    let waiting = this.#waiting.get(accountId);
    if (!waiting) {
      waiting = noRecalls();
      this.#waiting.set(accountId, waiting);
    }
    const { counts } = waiting;
    const known = counts.get(entryId);
    if (known === undefined && this.#count >= MAX_WAITING) return;
    if (known === undefined) this.#count++;
    counts.set(entryId, (known ?? 0) + times);
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  accounts(): Iterable<string> {
    return this.#waiting.keys();
  }

  /** Those that have waited longest, each with what was written about when it was: that lies beside it in the store. */
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

  takeBack(accountId: string, recalls: readonly RecallCount[]): void {
    for (const { entry_id, times } of recalls) this.add(accountId, entry_id, times);
  }
}
