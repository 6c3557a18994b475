import type { Query } from '../../db/index.ts';
import type { Expression, MatchScope, NewestMatches, Ranked, WantedMatches } from './match-syntax.ts';
import { countInColumn, newestInColumn, rankInColumn } from './matching-column.ts';
import { countInFile, rankInFile } from './matching-file.ts';
import { newestInFile } from './newest-in-file.ts';
import type { Term } from './rules/query.ts';

/** Counts the entries that match each term, up to `cap`. */
export function countMatches(
  query: Query,
  scope: MatchScope,
  { terms, cap }: { terms: readonly Term[]; cap: number },
): Promise<number[]> {
  const { index, column } = scope;
  const count = (term: Term): Promise<number> => {
    if (index) return countInFile(query, { ...scope, index }, { term, terms, cap });
    return column ? countInColumn(query, { ...scope, column }, { term, cap }) : Promise.resolve(0);
  };
  return Promise.all(terms.map(count));
}

export type RankedTerm = { term: Term; idf: number };

/** The best matches by BM25. */
export async function rankMatches(
  query: Query,
  scope: MatchScope,
  wanted: { expression: Expression; terms: readonly RankedTerm[]; limit: number; matches: number },
): Promise<Ranked[]> {
  const { index, column } = scope;
  if (index) return rankInFile(query, { ...scope, index }, wanted);
  return column ? rankInColumn(query, { ...scope, column }, wanted) : [];
}

/** The newest matches, in the order of the log. */
export async function newestMatches(query: Query, scope: MatchScope, wanted: WantedMatches): Promise<NewestMatches> {
  const { index, column } = scope;
  if (column) return newestInColumn(query, { ...scope, column }, wanted);
  return index ? newestInFile(query, { ...scope, index }, wanted) : { seqs: [], complete: true };
}
