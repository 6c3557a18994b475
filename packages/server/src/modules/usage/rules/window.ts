/** A minute slides over two fixed ones: the current counts whole, the one before by the part that is still within. */
export const CELL_MS = 60_000;

export type Cells = { current: number; previous: number };

/** How much is in the window, where `CELL_MS` is one request: so whole numbers do. */
export const weightOf = ({ current, previous }: Cells, elapsedMs: number): number =>
  previous * (CELL_MS - 1 - elapsedMs) + current * CELL_MS;

/** How many more requests are let in now: as long as there is less than the limit in the window. */
export const roomIn = (cells: Cells, elapsedMs: number, limit: number): number =>
  Math.max(0, Math.ceil((limit * CELL_MS - weightOf(cells, elapsedMs)) / CELL_MS));

/** Milliseconds until one more request is let in, if nobody else comes in between; 0 is now. */
export function waitFor({ current, previous }: Cells, elapsedMs: number, limit: number): number {
  if (current < limit) return Math.max(0, reached(previous, limit - current) - elapsedMs);
  return CELL_MS - elapsedMs + reached(current, limit);
}

/** How far into a minute less than `spare` of the minute before is left within. */
const reached = (previous: number, spare: number): number =>
  previous === 0 ? 0 : Math.max(0, CELL_MS - 1 - Math.floor((spare * CELL_MS - 1) / previous));
