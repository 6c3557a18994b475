import { type Dialect, fragment, type Insert, sql, type Transaction } from '../../db/index.ts';

export const insertWords: Insert = { table: 'entry_words', columns: { rowid: 'int', words: 'text' }, singly: true };

/** The form for one is for the way of every write: a list would have to be read first. */
export function deleteWords(tx: Transaction, dialect: Dialect, rowids: readonly number[]): Promise<number> {
  const [first, ...rest] = rowids;
  if (first !== undefined && rest.length === 0) return tx.run(sql`DELETE FROM entry_words WHERE rowid = ${first}`);
  return tx.run(sql`DELETE FROM entry_words WHERE rowid IN ${dialect.numbers(rowids)}`);
}

/** Moves what PostgreSQL collects beside the index into it; otherwise a write that finds too much there has to. */
export const tidyIndex = fragment(`SELECT gin_clean_pending_list('entries_by_word')`);
