import type { Route } from '@mem-service/contract/client';
import type { MemError } from './error.ts';

/** A reader that could not answer is asked again after this time, and after four times as long with each further failure. */
const FIRST_ASIDE_MS = 1_000;
const MAX_ASIDE_MS = 60_000;

/** The key may be too new for a replica, which also does not answer what it cannot reach or has not got yet. */
const ELSEWHERE = new Set([0, 401, 421, 502, 503, 504]);

type ReadServer = { readonly url: string; failures: number; asideUntil: number };

/** A call to a read-only server. */
export type ReaderCall = { url: string; end(result: 'answered' | 'failed'): void };

/** Where the calls of a client and its sessions go, and how far into the log they have seen. */
export class Servers {
  readonly main: string;
  readonly #readers: readonly ReadServer[];
  #turn = 0;
  #seq: number | undefined;

  constructor(main: string, readers: readonly string[]) {
    this.main = main;
    this.#readers = readers.map((url) => ({ url, failures: 0, asideUntil: 0 }));
  }

  /** Whether answers to reads come from servers that are not equally far. */
  get hasReaders(): boolean {
    return this.#readers.length > 0;
  }

  /** The read-only server whose turn it is; undefined where the call is for the main one. */
  readerFor({ effect, needs_notes, admin, stream, lines }: Route): ReaderCall | undefined {
    if (effect !== 'read' || needs_notes || admin || stream || lines) return undefined;
    const now = performance.now();
    const fit = this.#readers.filter(({ asideUntil }) => asideUntil <= now);
    const reader = fit[this.#turn++ % fit.length];
    // One call finds out whether it answers again; others do not wait for it meanwhile.
    if (reader && reader.failures > 0) reader.asideUntil = now + asideMs(reader.failures);
    return reader && callOf(reader);
  }

  /** Whether the main server may have an answer that a reader does not have. */
  canAnswer({ status }: MemError): boolean {
    return ELSEWHERE.has(status);
  }

  /** How far the log must reach for the client to find what it has written and seen. */
  get seq(): number | undefined {
    return this.#seq;
  }

  /**
   * Takes the `seq` of an answer; `before` is what was known when the call was sent. A lower one than that means that the
   * log was set back: nobody will reach what was known.
   */
  learn(seq: number, before: number | undefined): void {
    const isSetBack = before !== undefined && seq < before;
    if (isSetBack || this.#seq === undefined || seq > this.#seq) this.#seq = seq;
  }
}

const asideMs = (failures: number): number => Math.min(MAX_ASIDE_MS, FIRST_ASIDE_MS * 4 ** failures);

function callOf(reader: ReadServer): ReaderCall {
  const { url, failures } = reader;
  return {
    url,
    end(result) {
      // Of the calls that were sent together, the first to fail counts.
      if (reader.failures !== failures) return;
      if (result === 'answered') Object.assign(reader, { failures: 0, asideUntil: 0 });
      else Object.assign(reader, { failures: failures + 1, asideUntil: performance.now() + asideMs(failures) });
    },
  };
}
