import type { Query } from '../../db/index.ts';
import {
  type AcceptedTerms,
  countInOverlay,
  countMatches,
  type Expression,
  expressionOf,
  type MatchScope,
  newestMatches,
  type RankedTerm,
  rankMatches,
  syntaxOf,
  type Term,
} from '../text/index.ts';
import type { FoundRow, SizedKey } from './queries.ts';
import { BLOCK_HITS, hitsToOrder } from './rules/evidence-order.ts';
import { TermCounts } from './term-counts.ts';

/** A word found in this many entries does not distinguish them, and ranking them all would be slow. */
const COMMON = 2000;

/** Matches of words that are ranked at most; those of the rarest words are. */
const MAX_RANKED = 2 * COMMON;

/** `read` for quick statements, `scan` for those that may take milliseconds. */
export type SearchQueries = { read: Query; scan: Query };

/** The limits of terms to count and matches to rank on the main thread. */
const FEW_TERMS = 4;
const FEW_MATCHES = 500;

/** Matches fetched beyond the page, to replace private, deleted or filtered ones. */
const SLACK = 5;

/** Without a document where the search leaves it to be loaded for the page. */
export type SearchHit = { row: SizedKey & { document?: string | null }; score: number | null };

export type TextSearch = {
  terms: readonly Term[];
  /** The approximate number of entries, for the weight of a word. */
  size: number;
  wanted: number;
  /** Loads the entries that pass the caller's filters, in any order. */
  fetch(seqs: readonly number[]): Promise<FoundRow[]>;
  /** In how many entries each term is, where that is known. */
  counts?: readonly number[] | undefined;
  /** Puts matches that fit alike into another order, at least the first; without it they stay in that of their words. */
  order?: ((matches: readonly TextMatch[], wanted: number) => Promise<readonly TextMatch[]>) | undefined;
};

/** One cache per store. */
const termCounts = new WeakMap<Query, TermCounts>();
function countsOf(store: Query): TermCounts {
  const known = termCounts.get(store) ?? new TermCounts();
  termCounts.set(store, known);
  return known;
}

type SearchStage = {
  expression: Expression;
  accepts: AcceptedTerms;
  ranked: readonly RankedTerm[] | undefined;
  matches: number;
};

/**
 * Rare words decide: entries with them are ranked by BM25. Then follow entries with all of the common words, then those
 * with any of them, newest first. So the work is bounded by the page and by COMMON, not by the store.
 */
export async function findByText(
  queries: SearchQueries,
  scope: MatchScope,
  search: TextSearch,
): Promise<{ hits: SearchHit[]; truncated: boolean }> {
  const hits: SearchHit[] = [];
  let truncated = false;
  for (const stage of await stagesOf(queries, scope, search)) {
    const missing = search.wanted - hits.length;
    if (missing <= 0) break;
    const query = stage.matches <= FEW_MATCHES ? queries.read : queries.scan;
    const found = await runStage(query, scope, { stage, search, missing });
    hits.push(...found.hits);
    truncated ||= found.truncated;
  }
  return { hits, truncated };
}

/** In how many entries each term is, up to a number at which it is common. `size` is the current number of entries. */
export async function countTermsIn(
  { read, scan }: SearchQueries,
  scope: MatchScope,
  { terms, size }: Pick<TextSearch, 'terms' | 'size'>,
): Promise<readonly number[]> {
  const expressions = terms.map((term) => expressionOf(scope, term));
  // On PostgreSQL the counts are part of the score; those within a scope are valid only for that scope.
  const isRemembered = scope.engine === 'sqlite' && scope.view === undefined;
  // What is remembered is of the index, whatever a branch shows beside it.
  const counted = isRemembered ? { ...scope, overlay: undefined } : scope;
  const count = (missing: readonly Expression[]) =>
    countMatches(missing.length <= FEW_TERMS ? read : scan, counted, {
      terms: terms.filter((_, i) => missing.includes(expressions[i] as Expression)),
      cap: COMMON,
    });
  if (!isRemembered) return count(expressions);
  const counts = await countsOf(read).get(expressions, size, count);
  return scope.overlay ? counts.map((n, i) => n + countInOverlay(scope, terms[i] as Term)) : counts;
}

async function stagesOf(queries: SearchQueries, scope: MatchScope, search: TextSearch): Promise<SearchStage[]> {
  const { terms, size } = search;
  const syntax = syntaxOf(scope.engine);
  const expressions = terms.map((term) => expressionOf(scope, term));
  const counts = search.counts ?? (await countTermsIn(queries, scope, search));
  const isRare = rarestOf(counts);
  const ranked: RankedTerm[] = [];
  const rare: Expression[] = [];
  const common: Expression[] = [];
  const commonTerms: Term[] = [];
  let matches = 0;
  terms.forEach((term, i) => {
    const n = counts[i] ?? 0;
    const expression = expressions[i] as Expression;
    if (n === 0) return;
    if (!isRare.has(i)) {
      common.push(expression);
      commonTerms.push(term);
    } else {
      rare.push(expression);
      matches += n;
      ranked.push({ term, n, idf: Math.log(1 + (Math.max(size, n) - n + 0.5) / (n + 0.5)) });
    }
  });
  const hasRare: AcceptedTerms = (has) => ranked.some(({ term }) => has(term));
  const stages: SearchStage[] =
    rare.length > 0 ? [{ expression: syntax.any(rare), accepts: hasRare, ranked, matches }] : [];
  const notRare = (expression: Expression) =>
    rare.length > 0 ? syntax.without(expression, syntax.any(rare)) : expression;
  const addCommon = (expression: Expression, accepts: AcceptedTerms) =>
    stages.push({
      expression: notRare(expression),
      accepts: (has) => accepts(has) && !hasRare(has),
      ranked: undefined,
      matches: Number.POSITIVE_INFINITY,
    });
  if (common.length > 0) addCommon(syntax.every(common), (has) => commonTerms.every(has));
  if (common.length > 1)
    addCommon(
      syntax.without(syntax.any(common), syntax.every(common)),
      (has) => commonTerms.some(has) && !commonTerms.every(has),
    );
  return stages;
}

/** The places of the terms with the fewest matches, as long as these can all be ranked. */
function rarestOf(counts: readonly number[]): Set<number> {
  const rarest = new Set<number>();
  let total = 0;
  for (const [i, n] of [...counts.entries()].sort(([, a], [, b]) => a - b)) {
    total += n;
    if (n < COMMON && total <= MAX_RANKED) rarest.add(i);
  }
  return rarest;
}

type StageRun = { stage: SearchStage; search: TextSearch; missing: number };

/** Loads slightly more than the page needs; when the filters drop too many, loads all. */
async function runStage(query: Query, scope: MatchScope, { stage, search, missing }: StageRun) {
  const all = Math.max(COMMON * search.terms.length, missing);
  const few = missing + SLACK;
  for (const load of [few, all]) {
    const limit = search.order ? hitsToOrder(load) : load;
    const { ranked, expression, accepts, matches: expected } = stage;
    const { matches, isAll } = ranked
      ? await rankStage(query, scope, { expression, terms: ranked, limit, matches: expected })
      : await newestStage(query, scope, { expression, terms: search.terms, limit, accepts });
    const hits = await hitsOf(matches, search, { load, missing });
    const isLast = matches.length < limit && matches.length <= load;
    if (hits.length >= missing || isLast || load === all) {
      return { hits: hits.slice(0, missing), truncated: !(isLast && isAll) && hits.length < missing };
    }
  }
  return { hits: [], truncated: true };
}

export type TextMatch = { seq: number; score: number | null };

/** `isAll`: there are no further ones. */
type StageMatches = { matches: readonly TextMatch[]; isAll: boolean };

async function rankStage(...asked: Parameters<typeof rankMatches>): Promise<StageMatches> {
  const matches = await rankMatches(...asked);
  return { matches, isAll: matches.length < asked[2].limit };
}

async function newestStage(...asked: Parameters<typeof newestMatches>): Promise<StageMatches> {
  const { seqs, complete } = await newestMatches(...asked);
  return { matches: seqs.map((seq) => ({ seq, score: null })), isAll: complete };
}

/** Matches that are ordered and loaded at once: whole blocks, each of which is ordered by itself. */
const STEP = 2 * BLOCK_HITS;

/** Those of the first `load` matches that pass the filters, in order, until none is missing. */
async function hitsOf(
  matches: readonly TextMatch[],
  search: TextSearch,
  { load, missing }: { load: number; missing: number },
): Promise<SearchHit[]> {
  const hits: SearchHit[] = [];
  for (let at = 0; at < Math.min(load, matches.length) && hits.length < missing; at += STEP) {
    const step = matches.slice(at, at + STEP);
    const ordered = ((await search.order?.(step, load - at)) ?? step).slice(0, load - at);
    // Few are dropped as a rule, so those that are missing come first.
    const first = missing - hits.length;
    for (const some of [ordered.slice(0, first), ordered.slice(first)]) {
      if (some.length === 0 || hits.length >= missing) break;
      for (const hit of await fetchInOrder(search, some)) hits.push(hit);
    }
  }
  return hits;
}

async function fetchInOrder({ fetch }: TextSearch, matches: readonly TextMatch[]): Promise<SearchHit[]> {
  const rows = new Map<number, FoundRow>();
  for (const row of await fetch(matches.map(({ seq }) => seq))) rows.set(row.seq, row);
  return matches.flatMap(({ seq, score }) => {
    const row = rows.get(seq);
    return row ? [{ row, score }] : [];
  });
}
