import { type Query, type Sql, sql } from '../../db/index.ts';
import { type FileScope, seqIn } from './file-scope.ts';
import { rowidOf } from './indexing.ts';
import { type Expression, expressionOf, type PlacedTexts, type WantedMatches } from './match-syntax.ts';
import type { Term } from './rules/query.ts';
import { findTerms, type TermFinds } from './rules/term-finds.ts';

/** A condition on matches in the file: those with these `seq`. */
export const isSeqOf = (scope: FileScope, seqs: readonly number[]): Sql =>
  sql`${seqIn(scope)} IN (SELECT value FROM json_each(${JSON.stringify(seqs)}))`;

/** What was found last in texts: a search asks for the same terms in each of its steps. */
const known = new WeakMap<PlacedTexts, { terms: readonly Term[]; finds: TermFinds }>();

function findsIn(placed: PlacedTexts, terms: readonly Term[]): TermFinds {
  const last = known.get(placed);
  if (last?.terms === terms) return last.finds;
  const finds = findTerms(placed.texts, terms);
  known.set(placed, { terms, finds });
  return finds;
}

const longOf = ({ seqs, texts }: PlacedTexts): number[] => seqs.filter((_, i) => texts[i] === '');

export type TermInTexts = { term: Term; terms: readonly Term[]; placed: PlacedTexts };

/** Counts the texts with a term; long ones are looked up in the index. */
export async function countInTexts(query: Query, scope: FileScope, { term, terms, placed }: TermInTexts) {
  const has = findsIn(placed, terms);
  const short = placed.texts.filter((_, i) => has(i, term)).length;
  return short + (await longMatches(query, scope, { expression: expressionOf(scope, term), placed })).length;
}

/** The texts that are wanted, in any order. */
export async function matchTexts(
  query: Query,
  scope: FileScope,
  { placed, expression, terms, accepts }: Omit<WantedMatches, 'limit'> & { placed: PlacedTexts },
): Promise<number[]> {
  const has = findsIn(placed, terms);
  const found = placed.seqs.filter((_, i) => placed.texts[i] !== '' && accepts((term) => has(i, term)));
  return found.concat(await longMatches(query, scope, { expression, placed }));
}

async function longMatches(
  query: Query,
  scope: FileScope,
  { expression, placed }: { expression: Expression; placed: PlacedTexts },
): Promise<number[]> {
  const long = longOf(placed);
  if (long.length === 0) return long;
  const rows = await query.all<{ seq: number }>(
    sql`SELECT rowid - ${rowidOf(scope.account, 0)} AS seq FROM words.entry_words
        WHERE entry_words MATCH ${expression} AND ${isSeqOf(scope, long)}`,
  );
  return rows.map(({ seq }) => seq);
}
