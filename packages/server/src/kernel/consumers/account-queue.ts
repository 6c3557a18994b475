/** Accounts beyond this are dropped; the walk over all accounts finds them again. */
const MAX_WAITING = 10_000;

/** Accounts that wait for a turn: each once, in order of arrival, some not before a given time. */
export class AccountQueue {
  readonly #ready = new Set<string>();
  readonly #later = new Map<string, number>();
  /** No account of `#later` is due before this time. */
  #earliest = Number.POSITIVE_INFINITY;
  /** The last time it was told. */
  #seen = Number.NEGATIVE_INFINITY;

  add(accountId: string): void {
    this.#later.delete(accountId);
    if (this.size < MAX_WAITING) this.#ready.add(accountId);
  }

  /** Keeps the earlier time when the account is already queued. */
  addAt(accountId: string, dueAt: number, now: number): void {
    this.#follow(now);
    if (this.#ready.has(accountId) || this.size >= MAX_WAITING) return;
    this.#later.set(accountId, Math.min(dueAt, this.#later.get(accountId) ?? dueAt));
    this.#earliest = Math.min(this.#earliest, dueAt);
  }

  take(now: number): string | undefined {
    this.#follow(now);
    if (this.#earliest <= now) this.#promote(now);
    const { value } = this.#ready.values().next();
    if (value !== undefined) this.#ready.delete(value);
    return value;
  }

  get size(): number {
    return this.#ready.size + this.#later.size;
  }

  /** When the next account is due; undefined when none waits. */
  get nextDueAt(): number | undefined {
    if (this.#ready.size > 0) return Number.NEGATIVE_INFINITY;
    return this.#later.size > 0 ? this.#earliest : undefined;
  }

  /** Where the clock was set back, what waits is due as soon as it would have been. */
  #follow(now: number): void {
    const back = this.#seen - now;
    this.#seen = now;
    if (back <= 0) return;
    for (const [accountId, dueAt] of this.#later) this.#later.set(accountId, dueAt - back);
    this.#earliest -= back;
  }

  #promote(now: number): void {
    this.#earliest = Number.POSITIVE_INFINITY;
    for (const [accountId, dueAt] of this.#later) {
      if (dueAt > now) this.#earliest = Math.min(this.#earliest, dueAt);
      else {
        this.#later.delete(accountId);
        this.#ready.add(accountId);
      }
    }
  }
}
