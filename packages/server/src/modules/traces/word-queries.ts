import { type Engine, type Query, sql } from '../../db/index.ts';
import { type FoundMatch, findNewest, matchingRows, newestOf, rowidOf, type SeqWindow } from '../text/index.ts';

/**
 * Returns the newest traces that match an expression. On SQLite words are prefixed with their account, so other accounts'
 * traces never match.
 */
export async function listMatches(
  query: Query,
  { account_id, number, seq: newest }: { account_id: string; number: number; seq: number },
  { engine, expression, limit }: { engine: Engine; expression: string; limit: number },
): Promise<number[]> {
  if (engine === 'sqlite') {
    const rows = await query.all<{ seq: number }>(
      sql`SELECT rowid - ${rowidOf(number, 0)} AS seq FROM trace_words WHERE trace_words MATCH ${expression}
          ORDER BY rowid DESC LIMIT ${limit}`,
    );
    return rows.map(({ seq }) => seq);
  }
  const words = sql`SELECT account_id, seq FROM words_of_traces`;
  const find = (window: SeqWindow, most: number) => {
    const read = sql`SELECT seq, true AS passes ${matchingRows({ account_id, words, expression, window })} LIMIT ${most}`;
    return query.all<FoundMatch>(newestOf(read, limit));
  };
  return (await findNewest({ newest, limit, find })).seqs;
}
