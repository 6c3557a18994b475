import { isNewestOfOneBranch, type ReadContext } from '../../kernel/index.ts';
import { countMatches, expressionOf, newestMatches, type Term, withSoundWords } from '../text/index.ts';
import { byScan, fetchIn, matchScopeOf, type SearchHits, type SearchInput } from './handlers.ts';
import { countAt } from './queries.ts';
import { findByText } from './text-search.ts';

/** What the words of a question find, and in how many entries that the caller may see each of its terms is. */
export type WordHits = SearchHits & { counts: readonly number[] };

export type WordQuestion = {
  terms: readonly Term[];
  wanted: number;
  /** How many entries the caller may see, and how many it may not. */
  size: { shown: number; hidden: number };
  /** Terms are counted up to this number. */
  cap: number;
};

const NOTHING: WordHits = { hits: [], truncated: false, counts: [] };

/** Finds entries by the words of a question, best first, within the filters of a search. */
export async function findByWords(context: ReadContext, input: SearchInput, asked: WordQuestion): Promise<WordHits> {
  if (asked.terms.length === 0) return NOTHING;
  if (isNewestOfOneBranch(context.view))
    return withSoundWords(context.services, () => findInIndex(context, input, asked));
  const { terms, wanted } = asked;
  const { hits, truncated } = await byScan(context, input, { terms, wanted, sort: 'recency' });
  hits.sort((a, b) => (b.score ?? 0) - (a.score ?? 0) || b.row.seq - a.row.seq);
  return { hits: hits.slice(0, wanted), truncated, counts: [] };
}

async function findInIndex(context: ReadContext, input: SearchInput, asked: WordQuestion): Promise<WordHits> {
  const { read, scan, view } = context;
  const found = await matchScopeOf(context, input);
  if (!found) return NOTHING;
  const { scope } = found;
  const { terms, wanted, size, cap } = asked;
  const count = async (term: Term): Promise<number> => {
    const expression = expressionOf(scope, term);
    const newest = await newestMatches(
      scan,
      { ...scope, places: scope.scoped },
      { expression, terms, limit: 2 * cap, accepts: (has) => has(term) },
    );
    return newest.seqs.length === 0 ? 0 : Math.min(cap, await countAt(scan, view, newest.seqs));
  };
  const counting = size.hidden > 0 ? Promise.all(terms.map(count)) : countMatches(scan, scope, { terms, cap });
  const searching = findByText({ read, scan }, scope, {
    terms,
    size: size.shown,
    fetch: fetchIn(context, input),
    wanted,
  });
  const [counts, { hits, truncated }] = await Promise.all([counting, searching]);
  return { hits, truncated, counts };
}
