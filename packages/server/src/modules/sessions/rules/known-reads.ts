const MAIN = 'main';

/** A version, and the branch that it was read on: what a branch inherits has the same number as on its parent. */
export type KnownRead = { entry_id: number; version: number; branch: string };

const DAY_MS = 86_400_000;

/** The day of a time, in UTC. */
export const dayOf = (time: number): number => Math.floor(time / DAY_MS);

/** The versions that a session has read in the current attempt, and the entries that it has read on its newest day. */
export class KnownReads {
  /** The first version of each entry that was read on `main`. */
  readonly #entries = new Map<number, number>();
  /** Further versions, and those read on other branches. */
  #others: Set<string> | undefined;
  #attempt: number;
  #day = 0;
  /** Those of other agents, and of its own where the pages of the session were read. */
  readonly #today = new Set<number>();
  /** The last day on which something was read again. */
  #againDay: number | undefined;

  constructor(attempt: number) {
    this.#attempt = attempt;
  }

  /** Starts an attempt. A version counts once per attempt, an entry once per day. */
  begin(attempt: number): void {
    if (attempt === this.#attempt) return;
    this.#attempt = attempt;
    this.#others = undefined;
    this.#entries.clear();
  }

  get size(): number {
    return this.#entries.size + (this.#others?.size ?? 0) + this.#today.size;
  }

  /** Whether an entry was read on a day; of a day before the newest one that is not known any more. */
  hasOn(day: number, entryId: number): boolean {
    return day < this.#day || (day === this.#day && this.#today.has(entryId));
  }

  addOn(day: number, entryId: number): void {
    if (day < this.#day) return;
    if (day > this.#day) this.#today.clear();
    this.#day = day;
    this.#today.add(entryId);
  }

  /** Returns whether pages of an earlier day are over. */
  addAgain(day: number): boolean {
    const before = this.#againDay;
    this.#againDay = Math.max(day, before ?? day);
    return before !== undefined && before < day;
  }

  has({ entry_id, version, branch }: KnownRead): boolean {
    const isFirst = branch === MAIN && this.#entries.get(entry_id) === version;
    return isFirst || this.#others?.has(textOf({ entry_id, version, branch })) === true;
  }

  add({ entry_id, version, branch }: KnownRead): void {
    if (branch === MAIN && !this.#entries.has(entry_id)) this.#entries.set(entry_id, version);
    else {
      this.#others ??= new Set();
      this.#others.add(textOf({ entry_id, version, branch }));
    }
  }
}

const textOf = ({ entry_id, version, branch }: KnownRead): string =>
  branch === MAIN ? `${entry_id}.${version}` : `${entry_id}.${version} ${branch}`;
