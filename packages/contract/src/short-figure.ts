/** A number as people read it: whole ones in full, others to two decimals, or three digits where they are small. */
export function shortFigure(n: number): number {
  if (Number.isInteger(n)) return n;
  return Number(Math.abs(n) < 1 ? n.toPrecision(3) : n.toFixed(2));
}
