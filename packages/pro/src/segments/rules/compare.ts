import { benjaminiHochberg } from '../../evaluation/rules/benjamini-hochberg.ts';
import { twoProportions } from '../../evaluation/rules/two-proportions.ts';
import { type Rate, wilson } from '../../evaluation/rules/wilson.ts';
import type { CountedValue, CutDimension, ShownValues } from './cut.ts';
import type { DimensionValue } from './dimensions.ts';

export type ComparedSegment = {
  dimension: string;
  value: DimensionValue;
  fails: Rate;
  rest: Rate;
  difference: number;
  low: number;
  high: number;
  p: number;
  /** The same, given how many segments were compared. */
  adjusted_p: number;
  /** Null where chance explains the difference. */
  differs: 'worse' | 'better' | null;
};

/** Beyond this, a difference is taken for chance. */
const MOST_BY_CHANCE = 0.05;
/** Values of a dimension that are compared: those with the most runs. */
const MAX_VALUES = 50;

type AllRuns = { runs: number; failed: number; min_runs: number };

/** A segment of all runs has nothing to be compared with. */
export const comparedValues = (runs: number, min_runs: number): ShownValues => ({
  most: MAX_VALUES,
  isShown: (one) => one.runs >= min_runs && one.runs < runs,
});

/**
 * Compares each segment with all other runs; the worst first, then the better ones, then what chance explains. Of two values that all runs
 * are divided into only the one that fails more often: the other is its rest.
 */
export function* compareSegments(
  dimensions: readonly CutDimension[],
  all: AllRuns,
): Generator<void, ComparedSegment[]> {
  const { runs, failed } = all;
  const found: Omit<ComparedSegment, 'adjusted_p' | 'differs'>[] = [];
  for (const dimension of dimensions) {
    const { name } = dimension;
    for (const one of withoutMirror(dimension, all)) {
      const group = { a: one.failed, ofA: one.runs, b: failed - one.failed, ofB: runs - one.runs };
      const [fails, rest] = [wilson(group.a, group.ofA), wilson(group.b, group.ofB)];
      found.push({ dimension: name, value: one.value, fails, rest, ...twoProportions(group) });
      yield;
    }
  }
  const adjusted = benjaminiHochberg(found.map(({ p }) => p));
  return found
    .map((one, at): ComparedSegment => {
      const adjusted_p = adjusted[at] as number;
      const isMore = adjusted_p <= MOST_BY_CHANCE && one.difference !== 0;
      return { ...one, adjusted_p, differs: isMore ? (one.difference > 0 ? 'worse' : 'better') : null };
    })
    .sort((a, b) => ranks(a) - ranks(b) || a.p - b.p || b.difference - a.difference || byName(a, b));
}

function withoutMirror({ values, value_count, runs: having }: CutDimension, all: AllRuns): readonly CountedValue[] {
  const [one, other] = values;
  if (having !== all.runs || value_count !== 2 || !one) return values;
  // The other value has too few runs, and so has the rest of this one.
  if (!other) return all.runs - one.runs < all.min_runs ? [] : values;
  if (one.runs + other.runs !== all.runs) return values;
  return [other.failed * one.runs > one.failed * other.runs ? other : one];
}

/** The values of a dimension that are compared with nothing. Of two that are compared with each other, neither is. */
export function countUncompared(dimension: CutDimension, all: AllRuns): number {
  const { values, value_count } = dimension;
  return withoutMirror(dimension, all).length === 0 ? value_count : value_count - values.length;
}

const ranks = ({ differs }: ComparedSegment): number => (differs === 'worse' ? 0 : differs === 'better' ? 1 : 2);

const nameOf = ({ dimension, value }: ComparedSegment): string => JSON.stringify([dimension, value]);
const byName = (a: ComparedSegment, b: ComparedSegment): number => (nameOf(a) < nameOf(b) ? -1 : 1);
