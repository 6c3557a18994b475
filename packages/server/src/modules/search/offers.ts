import { isNewestOfOneBranch, type ReadContext } from '../../kernel/index.ts';
import {
  countMatches,
  expressionOf,
  type MatchScope,
  newestMatches,
  type Term,
  withSoundWords,
} from '../text/index.ts';
import { byScan, fetchIn, matchScopeOf, type SearchHits, type SearchInput } from './handlers.ts';
import { countAt } from './queries.ts';
import { countTermsIn, findByText } from './text-search.ts';

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
  const { read, scan } = context;
  const found = await matchScopeOf(context, input);
  if (!found) return NOTHING;
  const { scope, account } = found;
  const { terms, wanted, size, cap } = asked;
  const fetch = fetchIn(context, input);
  const isRemembered = size.shown >= MANY_ENTRIES;
  const totals = isRemembered
    ? await countTermsIn({ read, scan }, scope, { terms, size: account.seq })
    : await countMatches(scan, scope, { terms, cap: 2 * cap });
  const { hits, truncated } = await findByText({ read, scan }, scope, {
    ...{ terms, size: size.shown, fetch, wanted, counts: totals },
  });
  if (size.hidden === 0) return { hits, truncated, counts: totals.map((total) => Math.min(cap, total)) };
  const counts = await Promise.all(
    terms.map((term, at) => countShown(context, scope, { term, cap, total: totals[at] })),
  );
  return { hits, truncated, counts };
}

/** Where there are so many entries, a count may miss the newest: a term with few more of them weighs about the same. */
const MANY_ENTRIES = 10_000;

/** Of the matches of a common term, as many are looked at. */
const SAMPLE = 100;

type ShownTerm = { term: Term; cap: number; total: number | undefined };

/** How many entries that the caller may see have a term, up to a number. */
async function countShown(
  { scan, view }: ReadContext,
  scope: MatchScope,
  { term, cap, total = 0 }: ShownTerm,
): Promise<number> {
  if (total === 0) return 0;
  const expression = expressionOf(scope, term);
  const shownOf = async (limit: number): Promise<number> => {
    const wanted = { expression, terms: [term], limit, accepts: (has: (one: Term) => boolean) => has(term) };
    // The paths that a question asks for do not change how common a word is.
    const newest = await newestMatches(scan, { ...scope, places: scope.scoped }, wanted);
    return newest.seqs.length === 0 ? 0 : countAt(scan, view, newest.seqs);
  };
  // More than half of very many matches are more than the cap.
  if (total >= 2 * cap && (await shownOf(SAMPLE)) > 0.6 * SAMPLE) return cap;
  return Math.min(cap, await shownOf(2 * cap));
}
