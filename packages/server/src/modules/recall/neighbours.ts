import type { RecallEntries } from './candidates.ts';
import type { RetrieveInput } from './handlers.ts';
import { cosinesOf, type MeaningSearch } from './meaning.ts';
import { listAround } from './queries.ts';
import { scoresOf } from './rank.ts';
import { placesOf } from './rules/places.ts';

/** The best entries, whose neighbours are looked up. */
const ANCHORS = 50;

/**
 * Adds the entries written just before and after the best ones, which often hold what a question is about. Returns where
 * entries stand in what their authors wrote.
 */
export async function addNeighbours(
  search: MeaningSearch,
  entries: RecallEntries,
  { input, weights }: { input: RetrieveInput; weights: readonly number[] },
): Promise<Map<number, number>> {
  const { scan, view } = search.context;
  const { all } = entries;
  const scores = scoresOf(all, { input, weights, places: new Map() });
  const best = all
    .map(({ row }, at) => ({ seq: row.seq, score: scores[at]?.score ?? 0 }))
    .sort((a, b) => b.score - a.score || b.seq - a.seq)
    .slice(0, ANCHORS);
  if (best.length === 0) return new Map();
  const around = await listAround(
    scan,
    view,
    best.map(({ seq }) => seq),
  );
  const places = placesOf(around);
  const missing = [...places.keys()].filter((seq) => !entries.has(seq));
  if (missing.length > 0) {
    const rows = await search.fetch(missing);
    const cosines = await cosinesOf(search, rows);
    await entries.add(rows, ({ seq }) => cosines.get(seq));
  }
  return places;
}
