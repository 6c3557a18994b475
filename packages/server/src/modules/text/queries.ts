import { fragment, type Insert, sql, type Transaction } from '../../db/index.ts';

export const insertWords: Insert = { table: 'entry_words', columns: { rowid: 'int', words: 'text' }, singly: true };

export function deleteWords(tx: Transaction, rowid: number): Promise<number> {
  return tx.run(sql`DELETE FROM entry_words WHERE rowid = ${rowid}`);
}

/** Moves what PostgreSQL collects beside the index into it; otherwise a write that finds too much there has to. */
export const tidyIndex = fragment(`SELECT gin_clean_pending_list('entries_by_word')`);
