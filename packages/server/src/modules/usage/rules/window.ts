/** A sliding minute over two fixed ones: the current one counts fully, the previous one by the part still inside. */
export const CELL_MS = 60_000;

export type Cells = { current: number; previous: number };

/** The weight in the window, where `CELL_MS` is one request: this keeps it an integer. */
export const weightOf = ({ current, previous }: Cells, elapsedMs: number): number =>
  previous * (CELL_MS - 1 - elapsedMs) + current * CELL_MS;

/** How many more requests are admitted now: the window must hold less than the limit. */
export const roomIn = (cells: Cells, elapsedMs: number, limit: number): number =>
  Math.max(0, Math.ceil((limit * CELL_MS - weightOf(cells, elapsedMs)) / CELL_MS));

/** Milliseconds until one more request is admitted, if no other comes in between; 0 is now. */
export function waitFor({ current, previous }: Cells, elapsedMs: number, limit: number): number {
  if (current < limit) return Math.max(0, reached(previous, limit - current) - elapsedMs);
  return CELL_MS - elapsedMs + reached(current, limit);
}

/** How far into a minute less than `spare` of the previous minute is left inside. */
const reached = (previous: number, spare: number): number =>
  previous === 0 ? 0 : Math.max(0, CELL_MS - 1 - Math.floor((spare * CELL_MS - 1) / previous));
