/** Until a server runs compiled code, it answers a third of what it will. */
export const WARM_UP_SECONDS = 6;

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The value at this share of the sorted numbers. */
const quantile = (numbers, share) => [...numbers].sort((a, b) => a - b)[Math.round((numbers.length - 1) * share)];

/** Where most rounds lie: eight of ten, or all of them where there are few. */
function spreadOf(numbers) {
  return numbers.length < 10
    ? [Math.min(...numbers), Math.max(...numbers)]
    : [0.1, 0.9].map((at) => quantile(numbers, at));
}

/**
 * Runs the measurements one after the other, many times, so that all meet the same conditions on a machine that others
 * use too. Each round begins with another one. Returns the results of each, in the order of the rounds.
 */
export async function interleave(rounds, measurements) {
  const names = Object.keys(measurements);
  const results = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (let i = 0; i < names.length; i++) {
      const name = names[(round + i) % names.length];
      results[name].push(await measurements[name](round));
    }
  return results;
}

/**
 * Measures the floor and the service in turns. The ratio is the median of the ratios within a round. Each measurement
 * returns `{ value, non2xx }`.
 */
export async function compare(rounds, floor, ours) {
  const measured = await interleave(rounds, { floor, ours });
  return summarize(measured.ours.map((one, i) => ({ floor: measured.floor[i], ours: one })));
}

export function summarize(pairs) {
  const ratios = pairs.map(({ floor, ours }) => ours.value / floor.value);
  return {
    floor: median(pairs.map(({ floor }) => floor.value)),
    ours: median(pairs.map(({ ours }) => ours.value)),
    ratio: median(ratios),
    spread: spreadOf(ratios),
    non2xx: pairs.reduce((sum, { floor, ours }) => sum + (floor.non2xx ?? 0) + (ours.non2xx ?? 0), 0),
    pairs: pairs.map(({ floor, ours }) => ({ floor: floor.value, ours: ours.value })),
  };
}
