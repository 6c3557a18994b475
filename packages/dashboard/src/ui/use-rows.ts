import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** Chromium cuts elements off at 33,554,428 px and other engines earlier. */
export const MAX_SPACER_PX = 8_000_000;
const NEAR_SCREENS = 4;
const OVERSCAN = 6;
/** After a move by more rows than these nearly all that is drawn is new. */
const FAR_ROWS = 2 * OVERSCAN;
/** So long after such a move the rows around those in view are drawn, too. */
const AROUND_MS = 100;

export type RowWindow = {
  /** The first and the last row to draw, both included; last < first when there is none. */
  first: number;
  last: number;
  spacerPx: number;
  topOf: (row: number) => number;
  /** The element of a row. After a far move other rows have the same ones: new texts in them take less time than new elements. */
  keyOf: (row: number) => number;
  /** Brings a row into view. */
  reveal: (row: number) => void;
};

type Scroll = { scrollTop: number; virtualTop: number; height: number };
const START: Scroll = { scrollTop: 0, virtualTop: 0, height: 0 };

/**
 * Which rows of one height to draw. Where the rows are higher than a spacer may be, short moves go one to one and long ones
 * by proportion; both ends are exact.
 */
export function useRows(scroller: RefObject<HTMLElement | null>, count: number, rowPx: number): RowWindow {
  const [drawn, setDrawn] = useState(NONE);
  const current = useRef(START);
  const virtualPx = count * rowPx;
  const spacerPx = Math.min(virtualPx, MAX_SPACER_PX);
  const sizes = useRef({ count, rowPx, virtualPx, spacerPx });
  // A scroll that needs no other row, and moves none, draws nothing.
  const apply = useCallback((next: Scroll) => {
    current.current = next;
    setDrawn((before) => drawnAt(before, next, sizes.current));
  }, []);

  // Whether there are more rows is known without asking the browser, which would have to lay out the page for it.
  useLayoutEffect(() => {
    sizes.current = { count, rowPx, virtualPx, spacerPx };
    const { scrollTop, height } = current.current;
    const nearest = Math.max(0, Math.min(scrollTop, spacerPx - height));
    if (height > 0) apply(moved(current.current, { scrollTop: nearest, height, virtualPx, spacerPx }));
  }, [count, rowPx, virtualPx, spacerPx, apply]);
  useScroll(scroller, { current, sizes, apply });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each far move begins the wait again.
  useEffect(() => {
    if (!drawn.isNarrow) return;
    const widen = () => setDrawn((before) => drawnAt({ ...before, isNarrow: false }, current.current, sizes.current));
    const timer = setTimeout(widen, AROUND_MS);
    return () => clearTimeout(timer);
  }, [drawn.isNarrow, drawn.keyShift]);

  const reveal = useReveal(scroller, { current, sizes, apply });
  // Rows may have gone since.
  const last = Math.min(count - 1, drawn.last);
  const topOf = (row: number) => row * rowPx + drawn.shiftPx;
  const keyOf = (row: number) => row - drawn.keyShift;
  return { first: drawn.first, last, spacerPx, topOf, keyOf, reveal };
}

type RowSizes = Sizes & { count: number; rowPx: number };
type Scrolled = { current: RefObject<Scroll>; sizes: RefObject<RowSizes>; apply: (scroll: Scroll) => void };

/** Follows the scrolling and the height of the element. */
function useScroll(scroller: RefObject<HTMLElement | null>, { current, sizes, apply }: Scrolled): void {
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const read = () =>
      apply(moved(current.current, { scrollTop: element.scrollTop, height: element.clientHeight, ...sizes.current }));
    // After short moves the thumb is brought back to where the rows are.
    const align = () => {
      const { virtualTop, height } = current.current;
      const { virtualPx, spacerPx } = sizes.current;
      const wanted = proportion(virtualTop, virtualPx - height, spacerPx - height);
      if (virtualPx === spacerPx || Math.abs(wanted - element.scrollTop) < 1) return;
      element.scrollTop = wanted;
      apply({ virtualTop, height, scrollTop: element.scrollTop });
    };
    read();
    const observer = new ResizeObserver(read);
    observer.observe(element);
    element.addEventListener('scroll', read, { passive: true });
    element.addEventListener('scrollend', align);
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', read);
      element.removeEventListener('scrollend', align);
    };
  }, [scroller, current, sizes, apply]);
}

/** Which rows are drawn, and how far from where they would be in a spacer of full height. `isNarrow`: only those in view. */
export type DrawnRows = {
  first: number;
  last: number;
  /** The first in view. */
  top: number;
  shiftPx: number;
  keyShift: number;
  isNarrow: boolean;
};
export const NONE: DrawnRows = { first: 0, last: -1, top: 0, shiftPx: 0, keyShift: 0, isNarrow: true };

export function drawnAt(
  before: DrawnRows,
  { scrollTop, virtualTop, height }: Scroll,
  { count, rowPx }: { count: number; rowPx: number },
): DrawnRows {
  const top = Math.floor(virtualTop / rowPx);
  const isFar = Math.abs(top - before.top) > FAR_ROWS;
  const isNarrow = isFar || before.isNarrow;
  const around = isNarrow ? 0 : OVERSCAN;
  const first = Math.max(0, top - around);
  const last = Math.min(count - 1, Math.ceil((virtualTop + height) / rowPx) + around);
  const keyShift = isFar ? before.keyShift + first - before.first : before.keyShift;
  const next = { first, last, top, shiftPx: scrollTop - virtualTop, keyShift, isNarrow };
  const names = ['first', 'last', 'shiftPx', 'isNarrow'] as const;
  return names.every((name) => next[name] === before[name]) ? before : next;
}

type Sizes = { virtualPx: number; spacerPx: number };

const proportion = (at: number, from: number, to: number): number => (from <= 0 ? 0 : (at / from) * Math.max(0, to));

export function moved(before: Scroll, now: { scrollTop: number; height: number } & Sizes): Scroll {
  const { scrollTop, height, virtualPx, spacerPx } = now;
  const end = spacerPx - height;
  if (virtualPx === spacerPx) return { scrollTop, virtualTop: scrollTop, height };
  if (scrollTop <= 0) return { scrollTop, virtualTop: 0, height };
  if (scrollTop >= end - 1) return { scrollTop, virtualTop: Math.max(0, virtualPx - height), height };
  const delta = scrollTop - before.scrollTop;
  const virtualTop =
    Math.abs(delta) < NEAR_SCREENS * height
      ? before.virtualTop + delta
      : proportion(scrollTop, end, virtualPx - height);
  return { scrollTop, virtualTop: Math.min(Math.max(0, virtualTop), virtualPx - height), height };
}

function useReveal(scroller: RefObject<HTMLElement | null>, { current, sizes, apply }: Scrolled) {
  return useCallback(
    (row: number) => {
      const element = scroller.current;
      const { rowPx, virtualPx, spacerPx } = sizes.current;
      const { virtualTop, height } = current.current;
      const top = row * rowPx;
      if (!element || (top >= virtualTop && top + rowPx <= virtualTop + height)) return;
      const aim = top < virtualTop ? top : top + rowPx - height;
      const virtual = Math.max(0, Math.min(aim, virtualPx - height));
      const scrollTop = Math.round(proportion(virtual, virtualPx - height, spacerPx - height));
      // Known before the browser reports the scroll, which then is a move of nothing.
      apply({ scrollTop, virtualTop: virtual, height });
      element.scrollTop = scrollTop;
    },
    [scroller, current, sizes, apply],
  );
}
