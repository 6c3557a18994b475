import { emptySql, type Query, type Sql, sql } from '../../db/index.ts';
import { isSeqIn } from '../entries/index.ts';
import { rowidOf } from './indexing.ts';
import { type AcceptedTerms, type Expression, expressionOf, type MatchScope, type Ranked } from './match-syntax.ts';
import { readAverages } from './queries.ts';
import { averagesOf, fileIdf, fileScore } from './rules/file-rank.ts';
import type { Term } from './rules/query.ts';
import { countTerm } from './rules/rank.ts';
import type { IndexState } from './tail.ts';

/** A search on SQLite: the index in its file, and the tail that the file does not have yet. */
export type FileScope = MatchScope & { index: IndexState };

/** More matches than this of a term that was counted as rare are not ranked. */
const MAX_RANKED = 10_000;

/**
 * Rows of the index up to where it was when the search began: later ones are in the tail. The index contains no paths, so
 * those of a scope are looked up.
 */
function rowsWithin({ account, view, index }: FileScope): Sql {
  const upto = index.tail.length === 0 ? emptySql : sql` AND rowid <= ${rowidOf(account, index.upto ?? 0)}`;
  return view === undefined ? upto : sql`${upto} AND ${isSeqIn(view, sql`entry_words.rowid - ${rowidOf(account, 0)}`)}`;
}

const tailHas = ({ index }: FileScope, term: Term): number =>
  index.tail.filter(({ words }) => countTerm(words, term) > 0).length;

export async function countInFile(
  query: Query,
  scope: FileScope,
  { term, cap }: { term: Term; cap: number },
): Promise<number> {
  const inTail = tailHas(scope, term);
  if (scope.index.upto === undefined || inTail >= cap) return Math.min(inTail, cap);
  const row = await query.get<{ n: number }>(
    sql`SELECT count(*) AS n FROM (SELECT 1 FROM words.entry_words
        WHERE entry_words MATCH ${expressionOf(scope, term)}${rowsWithin(scope)} LIMIT ${cap})`,
  );
  return Math.min((row?.n ?? 0) + inTail, cap);
}

export async function newestInFile(
  query: Query,
  scope: FileScope,
  { expression, limit, accepts }: { expression: Expression; limit: number; accepts: AcceptedTerms },
): Promise<number[]> {
  const { tail, outdated, upto } = scope.index;
  const newest: number[] = [];
  for (const { seq, words } of tail) if (accepts((term) => countTerm(words, term) > 0)) newest.push(seq);
  newest.reverse();
  if (newest.length >= limit || upto === undefined) return newest.slice(0, limit);
  const rows = await query.all<{ seq: number }>(
    sql`SELECT rowid - ${rowidOf(scope.account, 0)} AS seq FROM words.entry_words
        WHERE entry_words MATCH ${expression}${rowsWithin(scope)}
        ORDER BY rowid DESC LIMIT ${limit - newest.length + outdated.size}`,
  );
  for (const { seq } of rows) if (!outdated.has(seq)) newest.push(seq);
  return newest.slice(0, limit);
}

type RankedWords = { expression: Expression; terms: readonly { term: Term }[]; limit: number };

export async function rankInFile(query: Query, scope: FileScope, wanted: RankedWords): Promise<Ranked[]> {
  const { tail, upto } = scope.index;
  if (tail.length > 0 || scope.index.outdated.size > 0 || upto === undefined) return rankWithTail(query, scope, wanted);
  return query.all<Ranked>(
    sql`SELECT rowid - ${rowidOf(scope.account, 0)} AS seq, -rank AS score FROM words.entry_words
        WHERE entry_words MATCH ${wanted.expression}${rowsWithin(scope)} ORDER BY rank, rowid DESC LIMIT ${wanted.limit}`,
  );
}

/**
 * The scores that the index would give if it had the tail: those it gives are the weight of a term times a factor of the
 * entry, and the weight is computed again with the tail counted in.
 */
async function rankWithTail(query: Query, scope: FileScope, { terms, limit }: RankedWords): Promise<Ranked[]> {
  const { tail, outdated, upto } = scope.index;
  const file = upto === undefined ? { rows: 0, words: 0 } : averagesOf(await readAverages(query));
  // FTS5 goes on counting rows that were deleted from such a table.
  const rows = file.rows + tail.length;
  // The average length that the scores of the index are based on, so that equal texts have equal scores.
  const average =
    file.rows > 0 ? file.words / file.rows : tail.reduce((sum, { words }) => sum + words.length, 0) / tail.length;
  const scores = new Map<number, number>();
  const add = (seq: number, score: number) => scores.set(seq, (scores.get(seq) ?? 0) + score);
  for (const { term } of terms) {
    const found = upto === undefined ? { count: 0, rows: [] } : await rankedRows(query, scope, term);
    const current = found.rows.filter(({ seq }) => !outdated.has(seq));
    const counts = tail.map((text) => countTerm(text.words, term));
    const inTail = counts.filter((count) => count > 0).length;
    const given = fileIdf(file.rows, found.count);
    const idf = fileIdf(rows, found.count - (found.rows.length - current.length) + inTail);
    for (const { seq, score } of current) add(seq, (score / given) * idf);
    tail.forEach((text, i) => {
      const count = counts[i] as number;
      if (count > 0) add(text.seq, idf * fileScore(count, text.words.length / average));
    });
  }
  // Without the last digits, in which two ways to the same score differ.
  const ranked = [...scores].map(([seq, score]) => ({ seq, score: Number(score.toPrecision(12)) }));
  return ranked.sort((a, b) => b.score - a.score || b.seq - a.seq).slice(0, limit);
}

/** The matches of one term with their scores, and how many there are in all scopes: the weight is theirs. */
async function rankedRows(query: Query, scope: FileScope, term: Term): Promise<{ count: number; rows: Ranked[] }> {
  const expression = expressionOf(scope, term);
  const [counted, rows] = await Promise.all([
    query.get<{ n: number }>(sql`SELECT count(*) AS n FROM words.entry_words WHERE entry_words MATCH ${expression}`),
    query.all<Ranked>(
      sql`SELECT rowid - ${rowidOf(scope.account, 0)} AS seq, -rank AS score FROM words.entry_words
          WHERE entry_words MATCH ${expression}${rowsWithin(scope)} ORDER BY rowid DESC LIMIT ${MAX_RANKED}`,
    ),
  ]);
  return { count: counted?.n ?? 0, rows };
}
