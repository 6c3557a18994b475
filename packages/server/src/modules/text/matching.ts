import type { Query } from '../../db/index.ts';
import type { Expression, MatchScope, NewestMatches, Ranked, RankedTerm, WantedMatches } from './match-syntax.ts';
import { countInColumn, newestInColumn, rankInColumn } from './matching-column.ts';
import { countInFile, rankInFile } from './matching-file.ts';
import { countInOverlay, newestWithOverlay, rankWithOverlay } from './matching-overlay.ts';
import { newestInFile } from './newest-in-file.ts';
import type { Term } from './rules/query.ts';

/** Counts the entries that match each term, up to `cap`. */
export function countMatches(
  query: Query,
  scope: MatchScope,
  { terms, cap }: { terms: readonly Term[]; cap: number },
): Promise<number[]> {
  const { index, column } = scope;
  const count = async (term: Term): Promise<number> => {
    const beside = countInOverlay(scope, term);
    if (index) return Math.min(cap, beside + (await countInFile(query, { ...scope, index }, { term, terms, cap })));
    return column ? Math.min(cap, beside + (await countInColumn(query, { ...scope, column }, { term, cap }))) : beside;
  };
  return Promise.all(terms.map(count));
}

/** The best matches by BM25. */
export async function rankMatches(
  query: Query,
  scope: MatchScope,
  wanted: { expression: Expression; terms: readonly RankedTerm[]; limit: number; matches: number },
): Promise<Ranked[]> {
  const { index, column, overlay } = scope;
  const find = () => {
    if (index) return rankInFile(query, { ...scope, index }, wanted);
    return column ? rankInColumn(query, { ...scope, column }, wanted) : [];
  };
  const ranked = await find();
  return overlay ? rankWithOverlay(query, { ...scope, overlay }, { ...wanted, ranked }) : ranked;
}

/** The newest matches, in the order of the log. */
export async function newestMatches(query: Query, scope: MatchScope, wanted: WantedMatches): Promise<NewestMatches> {
  const { index, column, overlay } = scope;
  const find = () => {
    if (column) return newestInColumn(query, { ...scope, column }, wanted);
    return index ? newestInFile(query, { ...scope, index }, wanted) : { seqs: [], complete: true };
  };
  const newest = await find();
  return overlay ? newestWithOverlay({ ...scope, overlay }, newest, wanted) : newest;
}
