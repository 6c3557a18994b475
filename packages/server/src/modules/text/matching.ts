import { andAll, emptySql, type Query, type Sql, sql } from '../../db/index.ts';
import { placesIn } from '../entries/index.ts';
import { wordIn } from './indexing.ts';
import { type AcceptedTerms, type Expression, expressionOf, type MatchScope, type Ranked } from './match-syntax.ts';
import { countInFile, newestInFile, rankInFile } from './matching-file.ts';
import type { Term } from './rules/query.ts';

/** The index of PostgreSQL is a column beside the entry's path. */
const columnsWithin = ({ view }: MatchScope): Sql => (view === undefined ? emptySql : andAll(placesIn(view)));

/** Counts the entries that match each term, up to `cap`. */
export async function countMatches(
  query: Query,
  scope: MatchScope,
  { terms, cap }: { terms: readonly Term[]; cap: number },
): Promise<number[]> {
  const { index } = scope;
  if (index) return Promise.all(terms.map((term) => countInFile(query, { ...scope, index }, { term, cap })));
  const counts = terms.map(
    (term) => sql`SELECT count(*) AS n FROM (SELECT 1 FROM words_of_entries WHERE account_id = ${scope.account_id}
            AND search_words @@ CAST(${expressionOf(scope, term)} AS tsquery)${columnsWithin(scope)} LIMIT ${cap}) AS found`,
  );
  const rows = await Promise.all(counts.map((count) => query.get<{ n: number }>(count)));
  return rows.map((row) => row?.n ?? 0);
}

export type RankedTerm = { term: Term; idf: number };

/** The best matches by BM25. On PostgreSQL it is computed here, from the positions and lengths in the index column. */
export function rankMatches(
  query: Query,
  scope: MatchScope,
  wanted: { expression: Expression; terms: readonly RankedTerm[]; limit: number },
): Promise<Ranked[]> {
  const { index } = scope;
  if (index) return rankInFile(query, { ...scope, index }, wanted);
  const weights = wanted.terms.flatMap(({ term, idf }) =>
    term.words.map((word, i) => {
      const lexeme = wordIn(scope.account, word);
      const prefix = term.prefix && i === term.words.length - 1;
      return { lexeme, upto: prefix ? `${lexeme}\u{10FFFF}` : lexeme, idf: idf / term.words.length };
    }),
  );
  return query.all<Ranked>(bm25(scope, wanted, weights));
}

type TermWeight = { lexeme: string; upto: string; idf: number };

/** The usual k1 = 1.2 and b = 0.75; lengths are relative to the average of the matches. */
function bm25(
  scope: MatchScope,
  wanted: { expression: Expression; limit: number },
  weights: readonly TermWeight[],
): Sql {
  return sql`SELECT seq, (
      SELECT coalesce(sum(w.idf * cardinality(u.positions) * 2.2
        / (cardinality(u.positions) + 1.2 * (0.25 + 0.75 * word_count / greatest(average, 1)))), 0)
      FROM unnest(search_words) AS u, jsonb_to_recordset(CAST(${JSON.stringify(weights)} AS jsonb)) AS w(lexeme text, upto text, idf float8)
      WHERE u.lexeme COLLATE "C" >= w.lexeme COLLATE "C" AND u.lexeme COLLATE "C" <= w.upto COLLATE "C"
    ) AS score
    FROM (SELECT seq, search_words, word_count, avg(word_count) OVER () AS average FROM words_of_entries
      WHERE account_id = ${scope.account_id} AND search_words @@ CAST(${wanted.expression} AS tsquery)${columnsWithin(scope)}) AS matched
    ORDER BY score DESC, seq DESC LIMIT ${wanted.limit}`;
}

/** The newest matches, in the order of the log. `accepts` says the same as the expression, given which terms a text has. */
export async function newestMatches(
  query: Query,
  scope: MatchScope,
  wanted: { expression: Expression; limit: number; accepts: AcceptedTerms },
): Promise<number[]> {
  const { index } = scope;
  if (index) return newestInFile(query, { ...scope, index }, wanted);
  const rows = await query.all<{ seq: number }>(
    sql`SELECT seq FROM words_of_entries WHERE account_id = ${scope.account_id}
            AND search_words @@ CAST(${wanted.expression} AS tsquery)${columnsWithin(scope)} ORDER BY seq DESC LIMIT ${wanted.limit}`,
  );
  return rows.map((row) => row.seq);
}
