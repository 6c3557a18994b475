/** Round numbers up to at least the highest value: 50, 100 or 0.5, 1. */
export function ticksTo(highest: number, count = 2): number[] {
  if (highest <= 0) return [1];
  const rough = highest / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  // Labels have no decimals above one: 2.5 would be shown as 3.
  const steps = [1, 2, 2.5, 5, 10].map((n) => (n * power > 1 ? Math.ceil(n * power) : n * power));
  const step = steps.find((n) => n >= rough && (n >= 1 || highest < 1)) ?? power * 10;
  const ticks: number[] = [];
  for (let tick = step; ticks.length < 2 || (ticks.at(-1) ?? 0) < highest; tick += step) ticks.push(tick);
  return ticks;
}

/** Which places get a label, so that each has room: round ones, and always the last. */
export function labelledPlaces(places: readonly { isRound?: boolean }[], width: number, labelPx: number): number[] {
  const last = places.length - 1;
  if (last < 0) return [];
  const pxOf = (place: number) => (place / places.length) * width;
  const hasRound = places.some(({ isRound }) => isRound);
  const round = places.flatMap(({ isRound }, i) => (i !== last && (isRound || !hasRound) ? [i] : []));
  const most = Math.max(1, Math.floor(width / labelPx));
  const step = Math.max(1, Math.ceil(round.length / most));
  return [...round.filter((place, i) => i % step === 0 && pxOf(last) - pxOf(place) > labelPx / 2), last];
}
