import { useCallback, useEffect, useReducer, useRef } from 'react';

/** A page of rows, and what the next one is asked with: undefined after the last. */
export type RowPage<R, C> = { rows: readonly R[]; next: C | undefined };

export type PagedRows<R> = {
  /** Rows known so far. */
  count: number;
  /** Undefined while its page is not here. */
  rowAt: (index: number) => R | undefined;
  /** Which rows are in view: their pages are loaded, and the next page where the end is near. */
  onRange: (first: number, last: number) => void;
  hasMore: boolean;
  isLoading: boolean;
  error: unknown;
  retry: () => void;
};

type KeptPage<R, C> = { cursor: C; at: number; count: number; rows: readonly R[] | undefined; used: number };
type Kept<R, C> = { pages: KeptPage<R, C>[]; next: C | undefined; count: number; loading: Set<number>; error: unknown };

/** Pages whose rows are kept; of the others only the cursor and the length. */
const MOST_PAGES = 24;
/** So many rows before the end the next page is asked for. */
const AHEAD = 60;

/**
 * A list that grows while it is scrolled: cursors of all pages are kept, rows of the last few. With another question, or once
 * the first cursor is known, the list begins anew.
 */
export function usePagedRows<R, C>(
  question: string,
  first: C | undefined,
  load: (cursor: C, signal: AbortSignal) => Promise<RowPage<R, C>>,
): PagedRows<R> {
  const id = `${question} ${first !== undefined}`;
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const kept = useRef<{ id: string; state: Kept<R, C>; stop: AbortController }>(undefined);
  if (kept.current?.id !== id) {
    kept.current?.stop.abort();
    const state: Kept<R, C> = { pages: [], next: first, count: 0, loading: new Set(), error: undefined };
    kept.current = { id, state, stop: new AbortController() };
  }
  const latest = useRef({ load, range: [0, 0] as [number, number] });
  latest.current.load = load;

  const fetchPage = useCallback((index: number) => {
    const mine = kept.current;
    if (!mine || mine.state.loading.has(index) || mine.state.error !== undefined) return;
    const { state, stop } = mine;
    const cursor = index < state.pages.length ? state.pages[index]?.cursor : state.next;
    if (cursor === undefined) return;
    state.loading.add(index);
    redraw();
    latest.current.load(cursor, stop.signal).then(
      (page) => {
        state.loading.delete(index);
        if (stop.signal.aborted) return;
        keep(state, index, cursor, page);
        redraw();
        fill(...latest.current.range);
      },
      (error) => {
        state.loading.delete(index);
        if (stop.signal.aborted) return;
        state.error = error;
        redraw();
      },
    );
  }, []);

  const fill = useCallback(
    (from: number, to: number) => {
      const state = kept.current?.state;
      if (!state) return;
      latest.current.range = [from, to];
      for (const [i, page] of state.pages.entries()) {
        if (page.at + page.count <= from || page.at > to) continue;
        page.used = performance.now();
        if (page.rows === undefined) fetchPage(i);
      }
      if (state.next !== undefined && to >= state.count - AHEAD) fetchPage(state.pages.length);
    },
    [fetchPage],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new question begins with its first page.
  useEffect(() => {
    latest.current.range = [0, 0];
    fill(0, 0);
  }, [id, fill]);
  useEffect(() => () => kept.current?.stop.abort(), []);

  const { state } = kept.current;
  return {
    count: state.count,
    rowAt: (index) => {
      const page = pageAt(state.pages, index);
      return page?.rows?.[index - page.at];
    },
    onRange: fill,
    hasMore: state.next !== undefined,
    isLoading: state.loading.size > 0,
    error: state.error,
    retry: () => {
      state.error = undefined;
      fill(...latest.current.range);
      redraw();
    },
  };
}

function keep<R, C>(state: Kept<R, C>, index: number, cursor: C, { rows, next }: RowPage<R, C>): void {
  const known = state.pages[index];
  const used = performance.now();
  if (known) {
    // The same rows as before: what a list shows under a cursor does not change its length.
    known.rows = rows.slice(0, known.count);
    known.used = used;
  } else {
    state.pages.push({ cursor, at: state.count, count: rows.length, rows, used });
    state.count += rows.length;
    state.next = next;
  }
  const full = state.pages.filter((page) => page.rows !== undefined);
  if (full.length <= MOST_PAGES) return;
  full.sort((a, b) => a.used - b.used);
  for (const page of full.slice(0, full.length - MOST_PAGES)) page.rows = undefined;
}

/** By bisection: there may be thousands of pages. */
function pageAt<R, C>(pages: readonly KeptPage<R, C>[], index: number): KeptPage<R, C> | undefined {
  let low = 0;
  let high = pages.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const page = pages[middle] as KeptPage<R, C>;
    if (index < page.at) high = middle - 1;
    else if (index >= page.at + page.count) low = middle + 1;
    else return page;
  }
  return undefined;
}
