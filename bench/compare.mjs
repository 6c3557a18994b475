export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Measures the floor and the service in turns, so that both meet the same conditions; which goes first alternates. The
 * ratio is the median of the ratios of neighbouring runs. Each measurement returns `{ value, non2xx }`.
 */
export async function compare(repeats, floor, ours) {
  const pairs = [];
  for (let i = 0; i < repeats; i++) {
    const pair = {};
    const sides = [
      ['floor', floor],
      ['ours', ours],
    ];
    for (const [name, measure] of i % 2 === 0 ? sides : sides.reverse()) pair[name] = await measure(i);
    pairs.push(pair);
  }
  return summarize(pairs);
}

export function summarize(pairs) {
  const ratios = pairs.map(({ floor, ours }) => ours.value / floor.value);
  return {
    floor: median(pairs.map(({ floor }) => floor.value)),
    ours: median(pairs.map(({ ours }) => ours.value)),
    ratio: median(ratios),
    spread: [Math.min(...ratios), Math.max(...ratios)],
    non2xx: pairs.reduce((sum, { floor, ours }) => sum + (floor.non2xx ?? 0) + (ours.non2xx ?? 0), 0),
    pairs: pairs.map(({ floor, ours }) => ({ floor: floor.value, ours: ours.value })),
  };
}
