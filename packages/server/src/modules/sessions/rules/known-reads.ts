const MAIN = 'main';

/** A version, and the branch that it was read on: what a branch inherits has the same number as on its parent. */
export type KnownRead = { entry_id: number; version: number; branch: string };

/** Marks an entry that was read only in an earlier attempt, or on another branch. Versions begin at 1. */
const EARLIER = 0;

/** The versions that a session has read in the current attempt, and the entries of all its attempts. */
export class KnownReads {
  /** The first version of each entry that was read on `main`. */
  readonly #entries = new Map<number, number>();
  /** Further versions, and those read on other branches. */
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

  has({ entry_id, version, branch }: KnownRead): boolean {
    const isFirst = branch === MAIN && this.#entries.get(entry_id) === version;
    return isFirst || this.#others?.has(textOf({ entry_id, version, branch })) === true;
  }

  add({ entry_id, version, branch }: KnownRead): void {
    const first = this.#entries.get(entry_id);
    const isMain = branch === MAIN;
    if (isMain && (first === undefined || first === EARLIER)) this.#entries.set(entry_id, version);
    else {
      if (first === undefined) this.#entries.set(entry_id, EARLIER);
      this.#others ??= new Set();
      this.#others.add(textOf({ entry_id, version, branch }));
    }
  }
}

const textOf = ({ entry_id, version, branch }: KnownRead): string =>
  branch === MAIN ? `${entry_id}.${version}` : `${entry_id}.${version} ${branch}`;
