const WINDOW_MS = 250;
/** So many events in a window are many: 600 in a second. */
const MANY_EVENTS = 150;

/** How many events this process commits at the moment. */
export class WriteLoad {
  #window = 0;
  #events = 0;
  #before = 0;

  add(events: number): void {
    this.#follow();
    this.#events += events;
  }

  /** Until a whole window was calm. */
  get isHigh(): boolean {
    this.#follow();
    return Math.max(this.#events, this.#before) >= MANY_EVENTS;
  }

  #follow(): void {
    const window = Math.floor(performance.now() / WINDOW_MS);
    if (window === this.#window) return;
    this.#before = window === this.#window + 1 ? this.#events : 0;
    this.#events = 0;
    this.#window = window;
  }
}
