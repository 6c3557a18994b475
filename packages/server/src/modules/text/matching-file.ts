import { emptySql, type Query, type Sql, sql } from '../../db/index.ts';
import { type FileScope, rowsUpTo, seqIn, tailAt } from './file-scope.ts';
import { rowidOf } from './indexing.ts';
import { type Expression, expressionOf, type PlacedTexts, type Ranked } from './match-syntax.ts';
import { countInTexts, isSeqOf } from './matching-texts.ts';
import { readAverages } from './queries.ts';
import { averagesOf, fileIdf, fileScore } from './rules/file-rank.ts';
import type { Term } from './rules/query.ts';
import { countTerm } from './rules/rank.ts';

/** More matches than this of a term that was counted as rare are not ranked. */
const MAX_RANKED = 10_000;

const tailHas = ({ index }: FileScope, term: Term): number =>
  index.tail.filter(({ words }) => countTerm(words, term) > 0).length;

/**
 * Of a scoped caller, at most so many times the cap are read: a word with more matches than that is common, whether in the
 * scope or not.
 */
const SCOPED_READS = 2;

/** One of the terms of a search, which is counted up to `cap`. */
type CountedTerm = { term: Term; terms: readonly Term[]; cap: number };

export async function countInFile(query: Query, scope: FileScope, counted: CountedTerm): Promise<number> {
  const { term, cap } = counted;
  const inTail = tailHas(scope, term);
  if (scope.index.upto === undefined || inTail >= cap) return Math.min(inTail, cap);
  return Math.min((await countIndexed(query, scope, counted)) + inTail, cap);
}

async function countIndexed(query: Query, scope: FileScope, { term, terms, cap }: CountedTerm): Promise<number> {
  const { scoped } = scope;
  const first = await countRows(query, scope, { term, most: scoped ? FEW_MATCHES : cap });
  if (!scoped || first === 0) return first;
  const few = first < FEW_MATCHES ? undefined : await scoped.few();
  return few ? countInTexts(query, scope, { term, terms, placed: few }) : countScoped(query, scope, { term, cap });
}

/** Rows that match and that nothing has replaced. */
const matching = (scope: FileScope, term: Term): Sql =>
  sql`FROM words.entry_words WHERE entry_words MATCH ${expressionOf(scope, term)}${rowsUpTo(scope)}${currentRows(scope)}`;

function currentRows(scope: FileScope): Sql {
  const { outdated } = scope.index;
  return outdated.size === 0 ? emptySql : sql` AND NOT (${isSeqOf(scope, [...outdated])})`;
}

async function countRows(
  query: Query,
  scope: FileScope,
  { term, most }: { term: Term; most: number },
): Promise<number> {
  const row = await query.get<{ n: number }>(
    sql`SELECT count(*) AS n FROM (SELECT 1 ${matching(scope, term)} LIMIT ${most})`,
  );
  return row?.n ?? 0;
}

async function countScoped(
  query: Query,
  scope: FileScope,
  { term, cap }: { term: Term; cap: number },
): Promise<number> {
  const most = SCOPED_READS * cap;
  const passes = scope.scoped?.isAt(seqIn(scope)) ?? sql`1`;
  const row = await query.get<{ n: number; passing: number }>(
    sql`SELECT count(*) AS n, coalesce(sum(passes), 0) AS passing
        FROM (SELECT ${passes} AS passes ${matching(scope, term)} LIMIT ${most})`,
  );
  const { n = 0, passing = 0 } = row ?? {};
  return n < most ? passing : cap;
}

/** No more matches than this are looked up one by one, to leave out those at other paths. */
const FEW_MATCHES = 300;

/** The entries at the paths of the search, if these are few and the matches may be many. */
const fewPlaced = (scope: FileScope, matches: number): Promise<PlacedTexts | undefined> | undefined =>
  matches > FEW_MATCHES || scope.scoped?.isRead() ? scope.places?.few() : undefined;

type RankedWords = {
  expression: Expression;
  terms: readonly { term: Term }[];
  limit: number;
  /** About how many there are, at whatever paths. */
  matches: number;
};

export async function rankInFile(query: Query, scope: FileScope, wanted: RankedWords): Promise<Ranked[]> {
  const { tail, outdated, upto } = scope.index;
  if (upto === undefined) return rankWithTail(query, scope, { ...wanted, at: emptySql });
  const { places } = scope;
  const { expression, limit, matches } = wanted;
  const few = await fewPlaced(scope, matches);
  const isPlaced = few ? isSeqOf(scope, few.seqs) : places?.isAt(seqIn(scope));
  const at = isPlaced ? sql` AND ${isPlaced}` : emptySql;
  if (tail.length > 0 || outdated.size > 0) return rankWithTail(query, scope, { ...wanted, at });
  const ranked = (where: Sql) => sql`SELECT rowid - ${rowidOf(scope.account, 0)} AS seq, -rank AS score
    FROM words.entry_words WHERE entry_words MATCH ${expression}${rowsUpTo(scope)}${where} ORDER BY rank, rowid DESC`;
  // At paths with many entries, most of the best matches are at these paths.
  if (places && !few && matches > FEW_MATCHES)
    return query.all<Ranked>(
      sql`SELECT seq, score FROM (${ranked(emptySql)} LIMIT -1) AS ranked WHERE ${places.isAt(sql`ranked.seq`)} LIMIT ${limit}`,
    );
  return query.all<Ranked>(sql`${ranked(at)} LIMIT ${limit}`);
}

/**
 * The scores that the index would give if it had the tail: those it gives are the weight of a term times a factor of the
 * entry, and the weight is computed again with the tail counted in.
 */
async function rankWithTail(
  query: Query,
  scope: FileScope,
  { terms, limit, at }: RankedWords & { at: Sql },
): Promise<Ranked[]> {
  const { tail, outdated, upto } = scope.index;
  const shown = new Set(tailAt(scope));
  const file = upto === undefined ? { rows: 0, words: 0 } : averagesOf(await readAverages(query));
  // FTS5 goes on counting rows that were deleted from such a table.
  const rows = file.rows + tail.length;
  // The average length that the scores of the index are based on, so that equal texts have equal scores.
  const average =
    file.rows > 0 ? file.words / file.rows : tail.reduce((sum, { words }) => sum + words.length, 0) / tail.length;
  const scores = new Map<number, number>();
  const add = (seq: number, score: number) => scores.set(seq, (scores.get(seq) ?? 0) + score);
  for (const { term } of terms) {
    const found = upto === undefined ? NOT_RANKED : await rankedRows(query, scope, { term, at });
    const current = found.rows.filter(({ seq }) => !outdated.has(seq));
    const counts = tail.map((text) => countTerm(text.words, term));
    const inTail = counts.filter((count) => count > 0).length;
    const given = fileIdf(file.rows, found.count);
    const idf = fileIdf(rows, found.count - found.outdated + inTail);
    for (const { seq, score } of current) add(seq, (score / given) * idf);
    tail.forEach((text, i) => {
      const count = counts[i] as number;
      if (count > 0 && shown.has(text)) add(text.seq, idf * fileScore(count, text.words.length / average));
    });
  }
  // Without the last digits, in which two ways to the same score differ.
  const ranked = [...scores].map(([seq, score]) => ({ seq, score: Number(score.toPrecision(12)) }));
  return ranked.sort((a, b) => b.score - a.score || b.seq - a.seq).slice(0, limit);
}

/** `count` and `outdated` are of all paths and scopes: the weight is theirs. */
type RankedRows = { count: number; outdated: number; rows: Ranked[] };
const NOT_RANKED: RankedRows = { count: 0, outdated: 0, rows: [] };

/** The matches of one term with their scores. */
async function rankedRows(query: Query, scope: FileScope, { term, at }: { term: Term; at: Sql }): Promise<RankedRows> {
  const expression = expressionOf(scope, term);
  const outdated = [...scope.index.outdated];
  const [counted, rows] = await Promise.all([
    query.get<{ n: number; outdated: number }>(
      sql`SELECT count(*) AS n, coalesce(sum(${isSeqOf(scope, outdated)}), 0) AS outdated FROM words.entry_words
          WHERE entry_words MATCH ${expression}`,
    ),
    query.all<Ranked>(
      sql`SELECT rowid - ${rowidOf(scope.account, 0)} AS seq, -rank AS score FROM words.entry_words
          WHERE entry_words MATCH ${expression}${rowsUpTo(scope)}${at} ORDER BY rowid DESC LIMIT ${MAX_RANKED}`,
    ),
  ]);
  return { count: counted?.n ?? 0, outdated: counted?.outdated ?? 0, rows };
}
