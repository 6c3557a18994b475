/** Where runs began to fail more often: the place at which fewest failed before and most since. */
export type FailureOnset = {
  /** The first run since, counted from the oldest. */
  at: number;
  before: { failed: number; of: number };
  since: { failed: number; of: number };
};

/** Results are in order, the oldest first; undefined where none failed. The largest of the cumulative sums of what is above the average. */
export function onsetOf(failed: readonly boolean[]): FailureOnset | undefined {
  const all = failed.filter(Boolean).length;
  if (all === 0) return undefined;
  const average = all / failed.length;
  let [sum, best, at, before] = [0, 0, 0, 0];
  let failures = 0;
  for (const [i, one] of failed.entries()) {
    sum += average - Number(one);
    failures += Number(one);
    if (sum > best + 1e-9) [best, at, before] = [sum, i + 1, failures];
  }
  return { at, before: { failed: before, of: at }, since: { failed: all - before, of: failed.length - at } };
}
