/**
 * Benjamini and Hochberg: of many comparisons, some look like more than chance by chance. Returns for each the share of
 * false ones that is accepted by accepting it and all with lower probabilities.
 */
export function benjaminiHochberg(probabilities: readonly number[]): number[] {
  const order = probabilities.map((p, at) => ({ p, at })).sort((one, other) => other.p - one.p || other.at - one.at);
  const adjusted = new Array<number>(probabilities.length).fill(1);
  let least = 1;
  for (const [i, { p, at }] of order.entries()) {
    least = Math.min(least, (p * probabilities.length) / (probabilities.length - i));
    adjusted[at] = least;
  }
  return adjusted;
}
