/**
 * How well entries fit after a reranker ordered them: the fits are the same numbers, each now that of the entry which the
 * reranker put at its place. So scores keep their scale, and trust and time still count. Entries that it left out come
 * last, in the order they had.
 */
export function rerankedFits(fits: readonly number[], scores: readonly (number | undefined)[]): number[] {
  const places = fits.map((_, at) => at);
  const order = places.toSorted((a, b) => compareScores(scores[a], scores[b]) || a - b);
  const sorted = fits.toSorted((a, b) => b - a);
  const reranked = new Array<number>(fits.length).fill(0);
  order.forEach((at, place) => {
    reranked[at] = sorted[place] as number;
  });
  return reranked;
}

function compareScores(a: number | undefined, b: number | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return b - a;
}
