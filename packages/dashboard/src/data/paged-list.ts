/**
 * A page of rows, and what the next one is asked with: undefined after the last. `pause`: enough was looked at without
 * finding much, so that a person decides whether to go on.
 */
export type RowPage<R, C> = { rows: readonly R[]; next: C | undefined; pause?: boolean };
export type LoadPage<R, C> = (cursor: C) => Promise<RowPage<R, C>>;

type KeptPage<R, C> = { cursor: C; at: number; count: number; rows: readonly R[] | undefined; used: number };

/** Pages whose rows are kept; of the others only the cursor and the length. */
const MOST_PAGES = 24;
/** So many rows before the end the next page is asked for. */
const AHEAD = 60;

/** A list that grows while it is scrolled: it keeps the cursors of all pages, and the rows of the last few. */
export class PagedList<R, C> {
  error: unknown;
  isPaused = false;
  #fresh: readonly R[] = [];
  #next: C | undefined;
  #isOver = false;
  /** Rows of all pages. */
  #count = 0;
  #range: [number, number] = [0, 0];
  readonly #pages: KeptPage<R, C>[] = [];
  readonly #loading = new Set<number>();
  readonly #load: LoadPage<R, C>;
  readonly #changed: () => void;

  constructor(first: C | undefined, load: LoadPage<R, C>, changed: () => void) {
    this.#next = first;
    this.#load = load;
    this.#changed = changed;
  }

  get count(): number {
    return this.#fresh.length + this.#count;
  }

  get hasMore(): boolean {
    return this.#next !== undefined;
  }

  get isLoading(): boolean {
    return this.#loading.size > 0;
  }

  /** Undefined while its page is not here. */
  rowAt(index: number): R | undefined {
    if (index < this.#fresh.length) return this.#fresh[index];
    const at = index - this.#fresh.length;
    const page = this.#pages[this.#placeOf(at)];
    return page?.rows?.[at - page.at];
  }

  /** Which rows are in view: their pages are loaded, and the next page where the end is near. */
  show(first: number, last: number): void {
    this.#range = [first, last];
    const [from, to] = [first - this.#fresh.length, last - this.#fresh.length];
    for (let i = this.#placeOf(from); i < this.#pages.length; i++) {
      const page = this.#pages[i] as KeptPage<R, C>;
      if (page.at > to) break;
      page.used = performance.now();
      if (page.rows === undefined) this.#fetch(i, page.cursor);
    }
    if (this.#next !== undefined && !this.isPaused && to >= this.#count - AHEAD)
      this.#fetch(this.#pages.length, this.#next);
  }

  /** Puts newer rows before the first. */
  prepend(rows: readonly R[]): void {
    this.#fresh = [...rows, ...this.#fresh];
    this.#changed();
  }

  /** Goes on after an error or a pause. */
  retry(): void {
    this.error = undefined;
    this.isPaused = false;
    this.show(...this.#range);
    this.#changed();
  }

  close(): void {
    this.#isOver = true;
  }

  #fetch(index: number, cursor: C): void {
    if (this.#loading.has(index) || this.error !== undefined) return;
    this.#loading.add(index);
    this.#load(cursor)
      .then(
        (page) => this.#keep(index, cursor, page),
        (error) => {
          this.error = error;
        },
      )
      .finally(() => {
        this.#loading.delete(index);
        if (this.#isOver) return;
        this.#changed();
        this.show(...this.#range);
      });
  }

  #keep(index: number, cursor: C, { rows, next, pause = false }: RowPage<R, C>): void {
    const known = this.#pages[index];
    const used = performance.now();
    if (known) Object.assign(known, { rows: rows.slice(0, known.count), used });
    else {
      this.#pages.push({ cursor, at: this.#count, count: rows.length, rows, used });
      this.#count += rows.length;
      this.#next = next;
      this.isPaused = pause;
    }
    const full = this.#pages.filter((page) => page.rows !== undefined).sort((a, b) => a.used - b.used);
    for (const page of full.slice(0, Math.max(0, full.length - MOST_PAGES))) page.rows = undefined;
  }

  /** Which page has a row, by bisection: there may be thousands. The first for a row before it. */
  #placeOf(index: number): number {
    let low = 0;
    let high = this.#pages.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const page = this.#pages[middle] as KeptPage<R, C>;
      if (index >= page.at + page.count) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
