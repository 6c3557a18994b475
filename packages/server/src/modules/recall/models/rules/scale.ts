/**
 * Cosines of another model on the scale of the built-in one: its spread is what the weights of words were chosen for, and
 * entries that the model has no vector of are compared by the built-in one beside it.
 */

/** What the cosines of a question with its candidates are like, as the built-in embedder has them. */
const TYPICAL = { mean: 0.2, spread: 0.12 };
/** Fewer pairs say little about a spread. */
const LEAST_PAIRS = 8;
const MOST_FACTOR = 10;

export type CosinePair = { builtin: number; model: number };

/** From the entries that both have compared; `models` are all cosines of the model. */
export function scaleOf(pairs: readonly CosinePair[], models: readonly number[]): (cosine: number) => number {
  const isEnough = pairs.length >= LEAST_PAIRS;
  const own = spreadOf(isEnough ? pairs.map(({ model }) => model) : models);
  const target = isEnough ? spreadOf(pairs.map(({ builtin }) => builtin)) : TYPICAL;
  const factor = own.spread > 0 ? Math.min(target.spread / own.spread, MOST_FACTOR) : 1;
  return (cosine) => target.mean + (cosine - own.mean) * factor;
}

function spreadOf(values: readonly number[]): { mean: number; spread: number } {
  const count = Math.max(values.length, 1);
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, spread: Math.sqrt(squares / count) };
}
