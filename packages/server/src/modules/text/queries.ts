import { type Dialect, fragment, type Insert, sql, type Transaction } from '../../db/index.ts';

export const insertWords: Insert = { table: 'entry_words', columns: { rowid: 'int', words: 'text' }, singly: true };

/** The form for a single row runs for every write: a list would have to be parsed first. */
export function deleteWords(tx: Transaction, dialect: Dialect, rowids: readonly number[]): Promise<number> {
  const [first, ...rest] = rowids;
  if (first !== undefined && rest.length === 0) return tx.run(sql`DELETE FROM entry_words WHERE rowid = ${first}`);
  return tx.run(sql`DELETE FROM entry_words WHERE rowid IN ${dialect.numbers(rowids)}`);
}

/** Moves PostgreSQL's pending list into the index; otherwise a write that finds the list full has to. */
export const tidyIndex = fragment(`SELECT gin_clean_pending_list('entries_by_word')`);
