import { andAll, type Engine, emptySql, type Query, type Sql, sql } from '../../db/index.ts';
import type { EntryView } from '../../kernel/index.ts';
import { isSeqIn, placesIn } from '../entries/index.ts';
import { rowidOf, wordIn } from './indexing.ts';
import type { Term } from './rules/query.ts';

/** A full-text expression in the engine's syntax. Words are letters and digits, so quoting is all it needs. */
export type Expression = string;

type MatchSyntax = {
  term(term: Term, account: number): Expression;
  any(parts: readonly Expression[]): Expression;
  every(parts: readonly Expression[]): Expression;
  without(expression: Expression, other: Expression): Expression;
};

const joined = (operator: string) => (parts: readonly Expression[]) => parts.map((part) => `(${part})`).join(operator);

const syntaxes: Record<Engine, MatchSyntax> = {
  sqlite: {
    term: ({ words, prefix }, account) =>
      `"${words.map((word) => wordIn(account, word)).join(' ')}"${prefix ? ' *' : ''}`,
    any: joined(' OR '),
    every: joined(' AND '),
    without: (expression, other) => `(${expression}) NOT (${other})`,
  },
  postgres: {
    term: ({ words, prefix }, account) =>
      words.map((word, i) => `'${wordIn(account, word)}'${prefix && i === words.length - 1 ? ':*' : ''}`).join(' <-> '),
    any: joined(' | '),
    every: joined(' & '),
    without: (expression, other) => `(${expression}) & !(${other})`,
  },
};

export const syntaxOf = (engine: Engine): MatchSyntax => syntaxes[engine];

/** `view` is set for a scoped caller, so that entries out of scope are neither counted nor ranked. */
export type MatchScope = { engine: Engine; account_id: string; account: number; view: EntryView | undefined };

/** The index of words contains no paths. */
const wordsWithin = ({ account, view }: MatchScope): Sql =>
  view === undefined ? emptySql : sql` AND ${isSeqIn(view, sql`entry_words.rowid - ${rowidOf(account, 0)}`)}`;

/** The same where the index is a column beside the entry's path. */
const columnsWithin = ({ view }: MatchScope): Sql => (view === undefined ? emptySql : andAll(placesIn(view)));

/** Counts matching entries, up to `cap`. */
export async function countMatches(
  query: Query,
  scope: MatchScope,
  { expressions, cap }: { expressions: readonly Expression[]; cap: number },
): Promise<number[]> {
  const counts = expressions.map((expression) =>
    scope.engine === 'sqlite'
      ? sql`SELECT count(*) AS n FROM (SELECT 1 FROM entry_words WHERE entry_words MATCH ${expression}${wordsWithin(scope)} LIMIT ${cap})`
      : sql`SELECT count(*) AS n FROM (SELECT 1 FROM words_of_entries WHERE account_id = ${scope.account_id}
            AND search_words @@ CAST(${expression} AS tsquery)${columnsWithin(scope)} LIMIT ${cap}) AS found`,
  );
  const rows = await Promise.all(counts.map((count) => query.get<{ n: number }>(count)));
  return rows.map((row) => row?.n ?? 0);
}

export type Ranked = { seq: number; score: number };
export type RankedTerm = { term: Term; idf: number };

/** The best matches by BM25. On PostgreSQL it is computed here, from the positions and lengths in the index column. */
export function rankMatches(
  query: Query,
  scope: MatchScope,
  wanted: { expression: Expression; terms: readonly RankedTerm[]; limit: number },
): Promise<Ranked[]> {
  if (scope.engine === 'sqlite')
    return query.all<Ranked>(
      sql`SELECT rowid - ${rowidOf(scope.account, 0)} AS seq, -rank AS score FROM entry_words
          WHERE entry_words MATCH ${wanted.expression}${wordsWithin(scope)} ORDER BY rank, rowid DESC LIMIT ${wanted.limit}`,
    );
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

/** The newest matches, in the order of the log. */
export async function newestMatches(
  query: Query,
  scope: MatchScope,
  wanted: { expression: Expression; limit: number },
): Promise<number[]> {
  const rows = await query.all<{ seq: number }>(
    scope.engine === 'sqlite'
      ? sql`SELECT rowid - ${rowidOf(scope.account, 0)} AS seq FROM entry_words
            WHERE entry_words MATCH ${wanted.expression}${wordsWithin(scope)} ORDER BY rowid DESC LIMIT ${wanted.limit}`
      : sql`SELECT seq FROM words_of_entries WHERE account_id = ${scope.account_id}
            AND search_words @@ CAST(${wanted.expression} AS tsquery)${columnsWithin(scope)} ORDER BY seq DESC LIMIT ${wanted.limit}`,
  );
  return rows.map((row) => row.seq);
}
