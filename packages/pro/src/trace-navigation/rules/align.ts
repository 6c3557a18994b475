/** For each item of two lists of names: the place in one, in the other, or in both. */
export type AlignedPair = { left: number | null; right: number | null };

const ROWS_PER_STEP = 32;

/**
 * Puts two lists beside each other so that as many equal names as possible are together: the longest common subsequence.
 * What only one list has comes at its place, the left one first.
 */
export function* align(left: readonly string[], right: readonly string[]): Generator<void, AlignedPair[]> {
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start++;
  let [a, b] = [left.length, right.length];
  while (a > start && b > start && left[a - 1] === right[b - 1]) {
    a--;
    b--;
  }
  const pairs: AlignedPair[] = [];
  for (let i = 0; i < start; i++) pairs.push({ left: i, right: i });
  const lengths = yield* commonLengths(left.slice(start, a), right.slice(start, b));
  const width = b - start + 1;
  const at = (i: number, j: number) => lengths[i * width + j] as number;
  let [i, j] = [0, 0];
  while (start + i < a || start + j < b) {
    const [one, other] = [start + i, start + j];
    if (one < a && other < b && left[one] === right[other]) {
      pairs.push({ left: one, right: other });
      i++;
      j++;
    } else if (other >= b || (one < a && at(i + 1, j) >= at(i, j + 1))) {
      pairs.push({ left: one, right: null });
      i++;
    } else {
      pairs.push({ left: null, right: other });
      j++;
    }
  }
  for (let rest = 0; a + rest < left.length; rest++) pairs.push({ left: a + rest, right: b + rest });
  return pairs;
}

/** At (i, j): how long the longest common subsequence of the rests from i and j is. */
function* commonLengths(left: readonly string[], right: readonly string[]): Generator<void, Uint16Array> {
  const width = right.length + 1;
  const lengths = new Uint16Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      const here = i * width + j;
      lengths[here] =
        left[i] === right[j]
          ? (lengths[here + width + 1] as number) + 1
          : Math.max(lengths[here + width] as number, lengths[here + 1] as number);
    }
    if (i % ROWS_PER_STEP === 0) yield;
  }
  return lengths;
}
