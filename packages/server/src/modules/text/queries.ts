import { type Insert, sql, type Transaction } from '../../db/index.ts';

export const insertWords: Insert = { table: 'entry_words', columns: { rowid: 'int', words: 'text' } };

export function deleteWords(tx: Transaction, rowid: number): Promise<number> {
  return tx.run(sql`DELETE FROM entry_words WHERE rowid = ${rowid}`);
}
