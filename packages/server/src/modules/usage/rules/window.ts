/** A minute slides over two fixed ones: the current counts whole, the one before by the part that is still within. */
export const CELL_MS = 60_000;

export type Cells = { current: number; previous: number };

/** In thousandths of a request's second, so that whole numbers do: `CELL_MS` is one request. */
const weight = ({ current, previous }: Cells, elapsedMs: number): number =>
  previous * (CELL_MS - elapsedMs) + current * CELL_MS;

/** How many more requests fit now. */
export const roomIn = (cells: Cells, elapsedMs: number, limit: number): number =>
  Math.max(0, Math.floor((limit * CELL_MS - weight(cells, elapsedMs)) / CELL_MS));

/** Milliseconds until one more request fits, if nobody else comes in between; 0 is now. */
export function waitFor({ current, previous }: Cells, elapsedMs: number, limit: number): number {
  const spare = limit - 1 - current;
  if (spare >= 0) return Math.max(0, reached(previous, spare) - elapsedMs);
  return CELL_MS - elapsedMs + reached(current, limit - 1);
}

/** How far into a minute no more than `spare` of the minute before are left within. */
const reached = (previous: number, spare: number): number =>
  previous <= spare ? 0 : CELL_MS - Math.floor((spare * CELL_MS) / previous);
