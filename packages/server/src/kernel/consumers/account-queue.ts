/** What does not fit is found again by the walk over all accounts. */
const MAX_WAITING = 10_000;

/** Accounts that wait for a turn: in the order they came, each once, some of them not before a time. */
export class AccountQueue {
  readonly #ready = new Set<string>();
  readonly #later = new Map<string, number>();
  /** No account of `#later` is due before. */
  #earliest = Number.POSITIVE_INFINITY;

  add(accountId: string): void {
    this.#later.delete(accountId);
    if (this.size < MAX_WAITING) this.#ready.add(accountId);
  }

  /** An account that is due earlier already stays so. */
  addAt(accountId: string, dueAt: number): void {
    if (this.#ready.has(accountId) || this.size >= MAX_WAITING) return;
    this.#later.set(accountId, Math.min(dueAt, this.#later.get(accountId) ?? dueAt));
    this.#earliest = Math.min(this.#earliest, dueAt);
  }

  take(now: number): string | undefined {
    if (this.#earliest <= now) this.#promote(now);
    const { value } = this.#ready.values().next();
    if (value !== undefined) this.#ready.delete(value);
    return value;
  }

  get size(): number {
    return this.#ready.size + this.#later.size;
  }

  /** When the next one is due; undefined where none waits. */
  get nextDueAt(): number | undefined {
    if (this.#ready.size > 0) return Number.NEGATIVE_INFINITY;
    return this.#later.size > 0 ? this.#earliest : undefined;
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
