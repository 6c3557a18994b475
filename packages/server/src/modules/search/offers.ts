import { isNewestOfOneBranch, type ReadContext } from '../../kernel/index.ts';
import {
  countMatches,
  expressionOf,
  type MatchScope,
  newestMatches,
  type Term,
  withSoundWords,
} from '../text/index.ts';
import {
  byScan,
  candidatesOf,
  columnScope,
  fetchIn,
  matchScopeOf,
  type SearchHits,
  type SearchInput,
  type Wanted,
} from './handlers.ts';
import { countAt, listNewestKeys } from './queries.ts';
import { countTermsIn, findByText } from './text-search.ts';

/**
 * What the words of a question find, in how many entries that the caller may see each of its terms is, and how many
 * entries these are.
 */
export type WordHits = SearchHits & { counts: readonly number[]; shown: number };

export type WordQuestion = {
  terms: readonly Term[];
  wanted: number;
  /** How many entries the caller may see, and how many it may not. */
  size: { shown: number; hidden: number };
  /** Terms are counted up to this number. */
  cap: number;
};

/** Finds entries by the words of a question, best first, within the filters of a search. */
export async function findByWords(context: ReadContext, input: SearchInput, asked: WordQuestion): Promise<WordHits> {
  if (asked.terms.length === 0) return nothingOf(asked);
  if (!isNewestOfOneBranch(context.view)) return findInScan(context, input, asked);
  return withSoundWords(context.services, () => findInIndex(context, input, asked));
}

const nothingOf = ({ size }: WordQuestion): WordHits => ({
  hits: [],
  truncated: false,
  counts: [],
  shown: size.shown,
});

/** The same without filters. */
const everywhere = ({ query, branch, limit }: SearchInput): SearchInput => ({
  ...{ query, branch, limit, include_descendants: false, include_artifacts: true },
});

/** In another state than the newest of a branch. Where it can be scanned as a whole, its words weigh as they did then. */
async function findInScan(
  context: ReadContext,
  input: SearchInput,
  { terms, wanted, cap }: WordQuestion,
): Promise<WordHits> {
  const { scan, view, services } = context;
  const asked: Wanted = { terms, wanted, sort: 'recency' };
  const all = await byScan(context, everywhere(input), asked);
  const found = all.truncated ? await byScan(context, input, asked) : all;
  const passing = all.truncated
    ? undefined
    : await listNewestKeys(scan, view, { ...candidatesOf(context, input), limit: services.limits.max_scanned_entries });
  const seqs = passing && new Set(passing.map(({ seq }) => seq));
  const best = found.hits.filter(({ row }) => seqs?.has(row.seq) ?? true).slice(0, wanted);
  const rows = best.length === 0 ? [] : await fetchIn(context, input)(best.map(({ row }) => row.seq));
  const bySeq = new Map(rows.map((row) => [row.seq, row]));
  return {
    hits: best.map(({ row, score }) => ({ row: bySeq.get(row.seq) ?? row, score })),
    truncated: found.truncated,
    counts: found.counts.map((count) => Math.min(cap, count)),
    shown: found.scanned,
  };
}

async function findInIndex(context: ReadContext, input: SearchInput, asked: WordQuestion): Promise<WordHits> {
  const { read, scan } = context;
  const found = await matchScopeOf(context, input);
  if (!found) return nothingOf(asked);
  const { scope, account } = found;
  const { terms, wanted, size, cap } = asked;
  const fetch = fetchIn(context, input);
  // What a question asks for does not change how common a word is.
  const column = scope.column && (await columnScope(context, everywhere(input), account.seq));
  const whole: MatchScope = { ...scope, places: scope.scoped, column };
  const isRemembered = size.shown >= MANY_ENTRIES;
  const totals = isRemembered
    ? await countTermsIn({ read, scan }, whole, { terms, size: account.seq })
    : await countMatches(scan, whole, { terms, cap: 2 * cap });
  const { hits, truncated } = await findByText({ read, scan }, scope, {
    ...{ terms, size: size.shown, fetch, wanted, counts: totals },
  });
  const { shown } = size;
  if (size.hidden === 0) return { hits, truncated, counts: totals.map((total) => Math.min(cap, total)), shown };
  const counts = await Promise.all(
    terms.map((term, at) => countShown(context, whole, { term, cap, total: totals[at] })),
  );
  return { hits, truncated, counts, shown };
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
    const newest = await newestMatches(scan, scope, wanted);
    return newest.seqs.length === 0 ? 0 : countAt(scan, view, newest.seqs);
  };
  // More than half of very many matches are more than the cap.
  if (total >= 2 * cap && (await shownOf(SAMPLE)) > 0.6 * SAMPLE) return cap;
  return Math.min(cap, await shownOf(2 * cap));
}
