import type { LogEvent } from '../work.ts';

const WINDOW_MS = 250;
/** So many events in a window are many: 600 in a second. */
const MANY_EVENTS = 150;
/** So long after the last of many events there is a lull. */
const CALM_MS = 200;

/** How much this process commits at the moment, in events, each by its weight. */
export class WriteLoad {
  #window = 0;
  #events = 0;
  #before = 0;
  #calmAt = 0;

  add(events: number): void {
    if (events === 0) return;
    this.#follow();
    this.#events += events;
    if (Math.max(this.#events, this.#before) >= MANY_EVENTS) this.#calmAt = performance.now() + CALM_MS;
  }

  /** How long there will be no lull, unless more comes in; 0 where there is one. */
  get calmInMs(): number {
    return Math.max(0, this.#calmAt - performance.now());
  }

  #follow(): void {
    const window = Math.floor(performance.now() / WINDOW_MS);
    if (window === this.#window) return;
    this.#before = window === this.#window + 1 ? this.#events : 0;
    this.#events = 0;
    this.#window = window;
  }
}

/** An outcome moves the confidence of every entry that led to it: it counts as a write of each. */
export function weightOf({ event_type, details }: Pick<LogEvent, 'event_type' | 'details'>): number {
  if (event_type !== 'outcome') return 1;
  const { causal_entries = 0 } = JSON.parse(details) as { causal_entries?: number };
  return 1 + causal_entries;
}
