const MINUTE_MS = 60_000;

/** A bound on tokens in a minute. It may be overdrawn by one request; then the next one waits until that is made up for. */
export class TokenBucket {
  readonly #perMinute: number;
  #level: number;
  #at: number;

  constructor(perMinute: number, now: number) {
    this.#perMinute = perMinute;
    this.#level = perMinute;
    this.#at = now;
  }

  /** How long to wait before the next request; 0 where it may be made now. */
  waitMs(now: number): number {
    this.#fill(now);
    return this.#level > 0 ? 0 : Math.ceil(((1 - this.#level) * MINUTE_MS) / this.#perMinute);
  }

  /** Never more than a minute's worth of debt: the figure is the word of another server. */
  take(tokens: number, now: number): void {
    this.#fill(now);
    this.#level = Math.max(this.#level - tokens, -this.#perMinute);
  }

  #fill(now: number): void {
    const passed = Math.max(0, now - this.#at);
    this.#level = Math.min(this.#perMinute, this.#level + (passed * this.#perMinute) / MINUTE_MS);
    this.#at = now;
  }
}
