import { firstInOrder } from '../../evaluation/rules/first-in-order.ts';
import { type CutRun, type DimensionValue, valuesIn } from './dimensions.ts';

/** Runs with the same value in a dimension. */
export type CountedValue = { value: DimensionValue; runs: number; failed: number };

/** A dimension, how many values it has, and those that are shown of them, of the most runs first. */
export type CutDimension = { name: string; runs: number; value_count: number; values: CountedValue[] };

/** So many values of each dimension are shown, of those that may be. */
export type ShownValues = { most: number; isShown?: (value: CountedValue) => boolean };

/** Runs between two pauses. */
const STEP = 10;

/** Counts runs by their values, in steps, as there may be many. */
export function* cutRuns(
  runs: readonly CutRun[],
  names: readonly string[],
  { most, isShown = () => true }: ShownValues,
): Generator<void, CutDimension[]> {
  const cut: CutDimension[] = [];
  for (const name of names) {
    const counts = new Map<string, CountedValue>();
    let having = 0;
    for (const [at, run] of runs.entries()) {
      if (at % STEP === 0) yield;
      const values = new Set(valuesIn(name, run));
      if (values.size > 0) having += 1;
      for (const value of values) count(counts, value, run.failed === true);
    }
    const values = yield* firstInOrder(thoseOf(counts, isShown), most, byRuns);
    cut.push({ name, runs: having, value_count: counts.size, values });
  }
  return cut;
}

function* thoseOf(counts: ReadonlyMap<string, CountedValue>, isShown: (value: CountedValue) => boolean) {
  for (const value of counts.values()) if (isShown(value)) yield value;
}

const byRuns = (a: CountedValue, b: CountedValue): number => b.runs - a.runs || byText(a.value, b.value);

function count(counts: Map<string, CountedValue>, value: DimensionValue, failed: boolean): void {
  // The number 1 is another value than the text.
  const name = JSON.stringify(value);
  const known = counts.get(name);
  if (known) {
    known.runs += 1;
    known.failed += Number(failed);
  } else counts.set(name, { value, runs: 1, failed: Number(failed) });
}

const byText = (a: DimensionValue, b: DimensionValue): number => (String(a) < String(b) ? -1 : 1);
