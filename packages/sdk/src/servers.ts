import type { Operation } from '@mem-service/contract';
import type { MemError } from './error.ts';

/** A server that could not answer a read gets none for this long. */
const ASIDE_MS = 1_000;

/** The key may be too new for a replica, which also does not answer what it cannot reach or has not got yet. */
const ELSEWHERE = new Set([0, 401, 421, 502, 503, 504]);

/** Where the calls of a client and its sessions go, and what they have written. */
export class Servers {
  readonly main: string;
  readonly #readers: readonly string[];
  readonly #asideUntil = new Map<string, number>();
  #turn = 0;
  #seq: number | undefined;

  constructor(main: string, readers: readonly string[]) {
    this.main = main;
    this.#readers = readers;
  }

  /** The read-only server whose turn it is; undefined where the call is for the main one. */
  readerFor({ effect, needs_notes, admin, stream, lines }: Operation): string | undefined {
    if (effect !== 'read' || needs_notes || admin || stream || lines) return undefined;
    const now = performance.now();
    const fit = this.#readers.filter((url) => (this.#asideUntil.get(url) ?? 0) <= now);
    return fit[this.#turn++ % fit.length];
  }

  /** Whether the main server may have an answer that a reader does not have. */
  canAnswer({ status }: MemError): boolean {
    return ELSEWHERE.has(status);
  }

  setAside(reader: string): void {
    this.#asideUntil.set(reader, performance.now() + ASIDE_MS);
  }

  /** How far the log must reach for the client to find its own writes. */
  get seq(): number | undefined {
    return this.#seq;
  }

  /**
   * Takes the `seq` that a write was answered with; `before` is what was known when it was sent. A lower one than that
   * means that the log was set back: nobody will reach what was known.
   */
  wrote(seq: number, before: number | undefined): void {
    const isSetBack = before !== undefined && seq < before;
    if (isSetBack || this.#seq === undefined || seq > this.#seq) this.#seq = seq;
  }
}
