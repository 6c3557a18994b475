/** In an earlier try only. Versions begin at 1. */
const EARLIER = 0;

/** Which versions a session has read in the try that is going on, and which entries in all of them. */
export class KnownReads {
  /** For each entry the first version that was read. */
  readonly #entries = new Map<number, number>();
  /** Few entries are read in a second one. */
  #others: Set<string> | undefined;
  #attempt: number;

  constructor(attempt: number) {
    this.#attempt = attempt;
  }

  /** A version counts once for each try. */
  begin(attempt: number): void {
    if (attempt === this.#attempt) return;
    this.#attempt = attempt;
    this.#others = undefined;
    for (const entryId of this.#entries.keys()) this.#entries.set(entryId, EARLIER);
  }

  get size(): number {
    return this.#entries.size + (this.#others?.size ?? 0);
  }

  hasEntry(entryId: number): boolean {
    return this.#entries.has(entryId);
  }

  has(entryId: number, version: number): boolean {
    return this.#entries.get(entryId) === version || this.#others?.has(`${entryId}.${version}`) === true;
  }

  add(entryId: number, version: number): void {
    const first = this.#entries.get(entryId);
    if (first === undefined || first === EARLIER) this.#entries.set(entryId, version);
    else {
      this.#others ??= new Set();
      this.#others.add(`${entryId}.${version}`);
    }
  }
}
