import { type CutRun, type DimensionValue, valuesIn } from './dimensions.ts';

/** Runs with the same value in a dimension. */
export type CountedValue = { value: DimensionValue; runs: number; failed: number };

/** A dimension and its values, those of the most runs first. */
export type CutDimension = { name: string; runs: number; values: CountedValue[] };

/** Runs between two pauses. */
const STEP = 100;

/** Counts runs by their values, in steps, as there may be many. */
export function* cutRuns(runs: readonly CutRun[], names: readonly string[]): Generator<void, CutDimension[]> {
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
    const values = [...counts.values()].sort((a, b) => b.runs - a.runs || byText(a.value, b.value));
    cut.push({ name, runs: having, values });
  }
  return cut;
}

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
