/** How often an entry was recalled since that was last written. */
export type Recall = { entry_id: number; times: number };

/** Each is a row to be written anew, so beside other notes they are put off; when there is nothing else, more are due. */
const DUE_BESIDE_NOTES = 50;
const DUE_ALONE = 250;

/** Entries whose numbers differ by less mostly share a page of the store. */
const NEIGHBOURS = 16;

/** What waits beyond this is due at once. */
const MAX_PUT_OFF = 100_000;

/** A store that takes nothing for long: entries that do not wait yet go uncounted. */
const MAX_WAITING = 2 * MAX_PUT_OFF;

/** Counts recalls of entries by their numbers, so that however often one is recalled, it waits once. */
export class Recalls {
  readonly #waiting = new Map<string, Map<number, number>>();
  #count = 0;

  add(accountId: string, entryId: number, times = 1): void {
    const counts = this.#waiting.get(accountId) ?? new Map<number, number>();
    if (counts.size === 0) this.#waiting.set(accountId, counts);
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
  take(accountId: string, moment: 'beside notes' | 'alone' | 'last'): Recall[] {
    const counts = this.#waiting.get(accountId);
    if (!counts) return [];
    const due = moment === 'beside notes' ? DUE_BESIDE_NOTES : DUE_ALONE;
    const most = moment === 'last' ? counts.size : Math.max(due, this.#count - MAX_PUT_OFF);
    const taken: Recall[] = [];
    for (const oldest of counts.keys()) {
      if (taken.length >= most) break;
      const first = oldest - (oldest % NEIGHBOURS);
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

  takeBack(accountId: string, recalls: readonly Recall[]): void {
    for (const { entry_id, times } of recalls) this.add(accountId, entry_id, times);
  }
}
