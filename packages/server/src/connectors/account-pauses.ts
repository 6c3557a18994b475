/** Accounts whose events ended the thread of a connector too often: theirs wait, so that those of others do not. */
export class AccountPauses {
  readonly #most: number;
  readonly #withinMs: number;
  readonly #ends = new Map<string, number[]>();

  constructor(most: number, withinMs: number) {
    this.#most = most;
    this.#withinMs = withinMs;
  }

  addEnd(account_id: string, now: number): void {
    const recent = this.#recent(account_id, now);
    this.#ends.delete(account_id);
    this.#ends.set(account_id, [...recent, now].slice(-this.#most));
    // Those that are not asked for any more.
    for (const [oldest] of this.#ends) {
      if (this.#recent(oldest, now).length > 0) break;
      this.#ends.delete(oldest);
    }
  }

  isPaused(account_id: string, now: number): boolean {
    return this.#ends.has(account_id) && this.#recent(account_id, now).length >= this.#most;
  }

  #recent(account_id: string, now: number): number[] {
    return (this.#ends.get(account_id) ?? []).filter((at) => now - at < this.#withinMs);
  }
}
