import { emptySql, fragment, type Sql, sql } from '../../db/index.ts';
import type { NewestMatches } from './match-syntax.ts';

/**
 * The blocks of `seq` that a row lies in, as the indexes of words on PostgreSQL have them beside the words: so they find the
 * newest matches of a common word without reading the older ones. Never changed: the indexes are made of this text.
 */
const BLOCK_BITS = [8, 14, 20] as const;
const blockText = (bits: number) => `account_id || ' ${bits} ' || CAST(seq >> ${bits} AS TEXT)`;
export const WORD_BLOCKS = `ARRAY[${BLOCK_BITS.map(blockText).join(', ')}]`;

const BLOCKS = fragment(WORD_BLOCKS);
/** With more of them, the index takes longer to combine them than to read the words. */
const MAX_BLOCKS = 64;

/** From one `seq` to another, both included. */
export type SeqWindow = { from: number; to: number };

function isInBlocks(accountId: string, { from, to }: SeqWindow): Sql {
  const blockOf = (seq: number, bits: number) => Math.floor(seq / 2 ** bits);
  const bits = BLOCK_BITS.find((one) => blockOf(to, one) - blockOf(from, one) < MAX_BLOCKS);
  if (bits === undefined) return emptySql;
  return sql` AND ${BLOCKS} && (SELECT array_agg(CAST(${accountId} AS TEXT) || ${fragment(`' ${bits} '`)} || CAST(block AS TEXT))
    FROM generate_series(CAST(${blockOf(from, bits)} AS BIGINT), CAST(${blockOf(to, bits)} AS BIGINT)) AS blocks(block))`;
}

export type WordRows = {
  account_id: string;
  /** SELECT and FROM, with the columns `account_id` and `seq`. */
  words: Sql;
  expression: string;
  window?: SeqWindow | undefined;
  /** Further conditions that the index of words knows. */
  marked?: Sql;
};

/**
 * The rows of an account whose words match, for FROM, WHERE and further conditions. They are found by the index of words
 * and by nothing else: the planner sees neither the words, whose frequency it would guess, nor the account, by whose
 * indexes it would read all rows of it. It keeps to this with statistics and without.
 */
export function matchingRows({ account_id, words, expression, window, marked = emptySql }: WordRows): Sql {
  const inBlocks = window ? isInBlocks(account_id, window) : emptySql;
  const inWindow = window ? sql` AND seq >= ${window.from} AND seq <= ${window.to}` : emptySql;
  return sql`FROM (${words} WHERE search_words @@ (SELECT CAST(${expression} AS tsquery))${inBlocks}${marked} OFFSET 0) AS matching
    WHERE account_id = ${account_id}${inWindow}`;
}

/** A row that has the words, and how many rows were read to find it. */
export type FoundMatch = { seq: number; passes: boolean; n: number };

/** The newest of rows that were read in any order, those first that pass. */
export const newestOf = (rows: Sql, limit: number): Sql =>
  sql`SELECT seq, passes, count(*) OVER () AS n FROM (${rows}) AS found ORDER BY passes DESC, seq DESC LIMIT ${limit}`;

export type NewestSearch = {
  /** The newest `seq` of the account. */
  newest: number;
  limit: number;
  /** Rows that are read in all, if not as many as usual. */
  most?: number | undefined;
  /** Reads at most so many rows of a window, and returns those that `newestOf` gives. */
  find(window: SeqWindow, most: number): Promise<FoundMatch[]>;
};

const FIRST_WINDOW = 2 ** 9;
const GROWTH = 8;
/** Rows that are read at once, and in all where a filter drops most of them. */
const MOST_AT_ONCE = 2_000;
const MOST_IN_ALL = 4_000;

/**
 * Finds the newest matches in windows of the log that grow while there are few matches and shrink where there are many. So
 * the work is bounded by the number of matches that are wanted, not by those there are.
 */
export async function findNewest({ newest, limit, most, find }: NewestSearch): Promise<NewestMatches> {
  const mostInAll = most ?? Math.max(MOST_IN_ALL, 2 * limit);
  const seqs: number[] = [];
  let size = FIRST_WINDOW;
  let read = 0;
  for (let to = newest; to >= 0; ) {
    const from = Math.max(0, to - size + 1);
    const found = await find({ from, to }, MOST_AT_ONCE);
    const n = found[0]?.n ?? 0;
    if (n >= MOST_AT_ONCE && size > FIRST_WINDOW) {
      size /= GROWTH;
      continue;
    }
    read += n;
    for (const { seq, passes } of found) if (passes) seqs.push(seq);
    if (seqs.length >= limit) return { seqs: seqs.slice(0, limit), complete: false };
    if (read >= mostInAll) return { seqs, complete: from === 0 };
    to = from - 1;
    if (n < MOST_AT_ONCE / GROWTH) size *= GROWTH;
  }
  return { seqs, complete: true };
}
