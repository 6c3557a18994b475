import { andAll, fragment, joinSql, type Query, type Sql, sql } from '../../db/index.ts';
import { placesIn } from '../entries/index.ts';
import { wordIn } from './indexing.ts';
import {
  type ColumnScope,
  type Expression,
  expressionOf,
  type MatchScope,
  type NewestMatches,
  type Ranked,
} from './match-syntax.ts';
import { type FoundMatch, findNewest, matchingRows, newestOf, type SeqWindow } from './newest-matches.ts';
import { isMarked } from './path-marks.ts';
import type { Term } from './rules/query.ts';

/** A search on PostgreSQL, whose index of words is on a column beside the entry's path. */
type WordsScope = MatchScope & { column: ColumnScope };

/** With what filters may need besides the words. */
const WORDS = sql`SELECT account_id, branch, entity_path, key, seq, search_words, word_count, agent_id, memory_type, written_at,
  is_artifact, pattern_refs, shared, deleted, ttl_at FROM words_of_entries`;

/** Entries in the scope of the caller. */
const inScope = ({ view }: WordsScope): Sql[] => (view === undefined ? [] : placesIn(view));

const allOf = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? fragment('true') : joinSql(conditions, ' AND ');

/** More than few: as a limit it keeps the order in which entries are read. */
const MOST_READ = 100_000;

/** The entries that match, as FROM and WHERE. */
function rows({ account_id, column: { few } }: WordsScope, expression: Expression, window?: SeqWindow): Sql {
  if (!few) return matchingRows({ account_id, words: WORDS, expression, window });
  // Only the primary key gives this order: without it the planner has to guess among indexes with the same first columns.
  const parts = few.map(
    (conditions) =>
      sql`SELECT * FROM (${WORDS} WHERE account_id = ${account_id}${andAll(conditions)} ORDER BY entity_path, key LIMIT ${MOST_READ}) AS part`,
  );
  const none = sql`${WORDS} WHERE account_id = ${account_id} AND false`;
  const all = parts.length === 0 ? none : joinSql(parts, ' UNION ALL ');
  return sql`FROM (SELECT * FROM (${all}) AS parts OFFSET 0) AS matching
    WHERE search_words @@ (SELECT CAST(${expression} AS tsquery))`;
}

/** The part of the log that usually shows that a word is common. */
const RECENT = 2 ** 17;

/**
 * Of a scoped caller, at most so many times the cap are read: a word with more matches than that is common, whether in the
 * scope or not.
 */
const SCOPED_READS = 2;

export async function countInColumn(
  query: Query,
  words: WordsScope,
  { term, cap }: { term: Term; cap: number },
): Promise<number> {
  const { view } = words;
  // The paths that a search asks for do not change how common a word is; those that a key may see do.
  const column = { ...words.column, few: view && words.column.few };
  const scope = { ...words, column };
  const expression = expressionOf(scope, term);
  const most = column.few || view === undefined ? cap : SCOPED_READS * cap;
  const counted = (window?: SeqWindow) =>
    sql`SELECT count(*) AS n, CAST(coalesce(sum(CASE WHEN passes THEN 1 ELSE 0 END), 0) AS BIGINT) AS passing
        FROM (SELECT ${allOf(inScope(scope))} AS passes ${rows(scope, expression, window)} LIMIT ${most}) AS found`;
  const recent = { from: column.newest - RECENT, to: column.newest };
  // The second part is carried out only if the first one gives no row.
  const statement =
    column.few || recent.from < RECENT
      ? counted()
      : sql`SELECT * FROM (${counted(recent)}) AS recent WHERE n >= ${most} UNION ALL SELECT * FROM (${counted()}) AS whole LIMIT 1`;
  const { n = 0, passing = 0 } = (await query.get<{ n: number; passing: number }>(statement)) ?? {};
  return n >= most ? cap : Math.min(passing, cap);
}

type WeightedWords = { expression: Expression; terms: readonly { term: Term; idf: number }[]; limit: number };

/**
 * BM25 from the positions and lengths in the column. The usual k1 = 1.2 and b = 0.75; lengths are relative to the average of
 * the matches.
 */
export function rankInColumn(
  query: Query,
  scope: WordsScope,
  { expression, terms, limit }: WeightedWords,
): Promise<Ranked[]> {
  const weights = terms.flatMap(({ term, idf }) =>
    term.words.map((word, i) => {
      const lexeme = wordIn(scope.account, word);
      const prefix = term.prefix && i === term.words.length - 1;
      return { lexeme, upto: prefix ? `${lexeme}\u{10FFFF}` : lexeme, idf: idf / term.words.length };
    }),
  );
  return query.all<Ranked>(
    sql`SELECT seq, (
      SELECT coalesce(sum(w.idf * cardinality(u.positions) * 2.2
        / (cardinality(u.positions) + 1.2 * (0.25 + 0.75 * word_count / greatest(average, 1)))), 0)
      FROM unnest(search_words) AS u, jsonb_to_recordset(CAST(${JSON.stringify(weights)} AS jsonb)) AS w(lexeme text, upto text, idf float8)
      WHERE u.lexeme COLLATE "C" >= w.lexeme COLLATE "C" AND u.lexeme COLLATE "C" <= w.upto COLLATE "C"
    ) AS score
    FROM (SELECT seq, search_words, word_count, avg(word_count) OVER () AS average, ${allOf(scope.column.filters)} AS passes
      ${rows(scope, expression)}${andAll(inScope(scope))}) AS matched
    WHERE passes ORDER BY score DESC, seq DESC LIMIT ${limit}`,
  );
}

export async function newestInColumn(
  query: Query,
  scope: WordsScope,
  { expression, limit }: { expression: Expression; limit: number },
): Promise<NewestMatches> {
  const { few, filters, newest, globs } = scope.column;
  const wanted = [...inScope(scope), ...filters];
  if (few) {
    const found = await query.all<{ seq: number }>(
      sql`SELECT seq ${rows(scope, expression)}${andAll(wanted)} ORDER BY seq DESC LIMIT ${limit}`,
    );
    return { seqs: found.map(({ seq }) => seq), complete: found.length < limit };
  }
  const { account_id } = scope;
  const marked = isMarked(account_id, globs);
  return findNewest({
    newest,
    limit,
    most: scope.most,
    find: (window, most) => {
      const matching = matchingRows({ account_id, words: WORDS, expression, window, marked });
      const read = sql`SELECT seq, ${allOf(wanted)} AS passes ${matching} LIMIT ${most}`;
      return query.all<FoundMatch>(newestOf(read, limit));
    },
  });
}
