import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** Chromium cuts elements off at 33,554,428 px and other engines earlier. */
export const MAX_SPACER_PX = 8_000_000;
const NEAR_SCREENS = 4;
const OVERSCAN = 6;

export type RowWindow = {
  /** The first and the last row to draw, both included; last < first when there is none. */
  first: number;
  last: number;
  spacerPx: number;
  topOf: (row: number) => number;
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
  // A scroll that needs no other row, and moves none, draws nothing.
  const apply = useCallback(
    (next: Scroll) => {
      current.current = next;
      setDrawn((before) => drawnAt(before, next, { count, rowPx }));
    },
    [count, rowPx],
  );

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const sizes = { virtualPx, spacerPx };
    const read = () =>
      apply(moved(current.current, { scrollTop: element.scrollTop, height: element.clientHeight, ...sizes }));
    // After short moves the thumb is brought back to where the rows are.
    const align = () => {
      const { virtualTop, height } = current.current;
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
  }, [scroller, virtualPx, spacerPx, apply]);

  const reveal = useReveal(scroller, current, { rowPx, virtualPx, spacerPx, apply });
  // Rows may have gone since.
  const last = Math.min(count - 1, drawn.last);
  const topOf = (row: number) => row * rowPx + drawn.shiftPx;
  return { first: drawn.first, last, spacerPx, topOf, reveal };
}

/** Which rows are drawn, and how far from where they would be in a spacer of full height. */
type DrawnRows = { first: number; last: number; shiftPx: number };
const NONE: DrawnRows = { first: 0, last: -1, shiftPx: 0 };

function drawnAt(before: DrawnRows, scroll: Scroll, { count, rowPx }: { count: number; rowPx: number }): DrawnRows {
  const { scrollTop, virtualTop, height } = scroll;
  const first = Math.max(0, Math.floor(virtualTop / rowPx) - OVERSCAN);
  const last = Math.min(count - 1, Math.ceil((virtualTop + height) / rowPx) + OVERSCAN);
  const shiftPx = scrollTop - virtualTop;
  const isSame = before.first === first && before.last === last && before.shiftPx === shiftPx;
  return isSame ? before : { first, last, shiftPx };
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

type RevealOptions = Sizes & { rowPx: number; apply: (scroll: Scroll) => void };

function useReveal(scroller: RefObject<HTMLElement | null>, current: RefObject<Scroll>, options: RevealOptions) {
  const latest = useRef(options);
  useEffect(() => {
    latest.current = options;
  });
  return useCallback(
    (row: number) => {
      const element = scroller.current;
      const { rowPx, virtualPx, spacerPx, apply } = latest.current;
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
    [scroller, current],
  );
}
