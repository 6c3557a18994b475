/** Items between two pauses. */
const STEP = 1000;

/** The first of many items, as sorting all of them would have them, in steps. */
export function* firstInOrder<T>(
  items: Iterable<T>,
  count: number,
  compare: (a: T, b: T) => number,
): Generator<void, T[]> {
  const first: T[] = [];
  let seen = 0;
  for (const item of items) {
    if (seen++ % STEP === 0) yield;
    const last = first[count - 1];
    if (last !== undefined && compare(item, last) >= 0) continue;
    first.splice(placeIn(first, item, compare), 0, item);
    if (first.length > count) first.pop();
  }
  return first;
}

/** Behind those that come before it and those that are equal. */
function placeIn<T>(sorted: readonly T[], item: T, compare: (a: T, b: T) => number): number {
  let from = 0;
  let until = sorted.length;
  while (from < until) {
    const middle = (from + until) >> 1;
    if (compare(item, sorted[middle] as T) < 0) until = middle;
    else from = middle + 1;
  }
  return from;
}
