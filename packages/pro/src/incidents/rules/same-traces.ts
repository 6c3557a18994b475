/** Whether more than half of the traces of each are those of the other. */
export function areMostlySame(some: readonly number[], others: readonly number[]): boolean {
  const known = new Set(some);
  const shared = others.filter((seq) => known.has(seq)).length;
  return 2 * shared > some.length && 2 * shared > others.length;
}
