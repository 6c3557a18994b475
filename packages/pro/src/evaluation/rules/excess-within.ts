import type { TwoGroups } from './fisher.ts';
import { twoProportions, upperTail } from './two-proportions.ts';

/** Whether the first groups have something more often than the second ones, and how probable the difference is by chance. */
export type Excess = { isMore: boolean; p: number };

/**
 * Two groups that are compared stratum by stratum, so that what sets the strata apart is not taken for a difference of the groups: the
 * test of Cochran, Mantel and Haenszel, with Yates's correction, two-sided. Where one stratum only is informative, its exact test.
 */
export function excessWithin(strata: readonly TwoGroups[]): Excess {
  const informative = strata.filter(({ a, ofA, b, ofB }) => ofA > 0 && ofB > 0 && a + b > 0 && a + b < ofA + ofB);
  const [only] = informative;
  if (!only) return { isMore: false, p: 1 };
  if (informative.length === 1) return { isMore: only.a * only.ofB > only.b * only.ofA, p: twoProportions(only).p };
  let [surplus, variance] = [0, 0];
  for (const { a, ofA, b, ofB } of informative) {
    const [all, having] = [ofA + ofB, a + b];
    surplus += a - (ofA * having) / all;
    variance += (ofA * ofB * having * (all - having)) / (all * all * (all - 1));
  }
  const z = Math.max(0, Math.abs(surplus) - 0.5) / Math.sqrt(variance);
  return { isMore: surplus > 0, p: Math.min(1, 2 * upperTail(z)) };
}
