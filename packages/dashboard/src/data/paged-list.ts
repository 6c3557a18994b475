/**
 * A page of rows, and what the next one is asked with: undefined after the last. `pause`: enough was looked at without
 * finding much, so that a person decides whether to go on.
 */
export type RowPage<R, C> = { rows: readonly R[]; next: C | undefined; pause?: boolean };
export type LoadPage<R, C> = (cursor: C) => Promise<RowPage<R, C>>;

/** `isOld`: to be asked for again when it is in view; its rows are shown until then. */
type KeptPage<R, C> = {
  cursor: C;
  at: number;
  count: number;
  rows: readonly R[] | undefined;
  used: number;
  isOld: boolean;
};

type PagedListOptions<R, C> = { id: string; first: C | undefined; load: LoadPage<R, C>; changed: () => void };

/** Pages whose rows are kept; of the others only the cursor and the length. */
const MOST_PAGES = 24;
/** So many rows before the end the next page is asked for. */
const AHEAD = 60;
/** With more new rows than these a list begins again. */
export const MOST_FRESH = 5_000;

/** A list that grows while it is scrolled: it keeps the cursors of all pages, and the rows of the last few. */
export class PagedList<R, C> {
  /** Another question is another list. */
  readonly id: string;
  error: unknown;
  isPaused = false;
  #fresh: readonly R[] = [];
  #next: C | undefined;
  #isOver = false;
  #range: [number, number] = [0, 0];
  readonly #pages: KeptPage<R, C>[] = [];
  readonly #loading = new Set<number>();
  readonly #load: LoadPage<R, C>;
  readonly #changed: () => void;

  constructor({ id, first, load, changed }: PagedListOptions<R, C>) {
    this.id = id;
    this.#next = first;
    this.#load = load;
    this.#changed = changed;
  }

  get count(): number {
    return this.#fresh.length + this.#count;
  }

  /** Rows that were put before the first. They stay, so that a list that is live for hours must begin again. */
  get freshCount(): number {
    return this.#fresh.length;
  }

  get hasMore(): boolean {
    return this.#next !== undefined;
  }

  /** Also just before the first page is asked for. */
  get isLoading(): boolean {
    return this.#loading.size > 0 || (this.isPending && this.hasMore);
  }

  /** Nothing is known of it yet. */
  get isPending(): boolean {
    return this.#pages.length === 0 && this.error === undefined;
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
    if (this.#isOver) return;
    const [from, to] = [first - this.#fresh.length, last - this.#fresh.length];
    // Below the last row, or where there is none, the last page is what is in view.
    for (let i = Math.max(0, Math.min(this.#placeOf(from), this.#pages.length - 1)); i < this.#pages.length; i++) {
      const page = this.#pages[i] as KeptPage<R, C>;
      if (page.at > to) break;
      page.used = performance.now();
      if (page.rows === undefined || page.isOld) this.#fetch(i, page.cursor);
    }
    if (this.#next !== undefined && !this.isPaused && to >= this.#count - AHEAD)
      this.#fetch(this.#pages.length, this.#next);
  }

  /** Puts newer rows before the first. */
  prepend(rows: readonly R[]): void {
    if (rows.length === 0) return;
    this.#fresh = [...rows, ...this.#fresh];
    this.#changed();
  }

  /** Asks again for what is in view, and for the rest when it comes into view. */
  refresh(): void {
    for (const page of this.#pages) page.isOld = true;
    this.error = undefined;
    this.show(...this.#range);
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

  /** Rows of all pages. */
  get #count(): number {
    const last = this.#pages.at(-1);
    return last ? last.at + last.count : 0;
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
    // A page before it came back shorter or longer meanwhile, and this is no page of the list any more.
    const expected = index === this.#pages.length ? this.#next : this.#pages[index]?.cursor;
    if (!isSame(expected, cursor)) return;
    const known = this.#pages[index];
    const following = this.#pages[index + 1]?.cursor ?? this.#next;
    const at = known?.at ?? this.#count;
    this.#pages[index] = { cursor, at, count: rows.length, rows, used: performance.now(), isOld: false };
    // Where a page ends elsewhere than before, those after it are no longer known.
    if (known === undefined || known.count !== rows.length || !isSame(following, next)) {
      this.#pages.length = index + 1;
      this.#next = next;
      this.isPaused = pause;
    }
    this.#dropUnused();
  }

  #dropUnused(): void {
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

const isSame = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);
