/** Marks an entry that was read only in an earlier attempt. Versions begin at 1. */
const EARLIER = 0;

/** The versions that a session has read in the current attempt, and the entries of all its attempts. */
export class KnownReads {
  /** The first version read of each entry. */
  readonly #entries = new Map<number, number>();
  /** Further versions; few entries are read in more than one. */
  #others: Set<string> | undefined;
  #attempt: number;

  constructor(attempt: number) {
    this.#attempt = attempt;
  }

  /** Starts an attempt. A version counts once per attempt. */
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
