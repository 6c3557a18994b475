import { type Engine, fragment, type Sql, sql, type Transaction } from '../../db/index.ts';
import type { TenantTable, WordIndex } from '../../kernel/index.ts';
import { rowidsOf } from '../text/index.ts';

/** Rows of a table, a few at a time, in the order of its key. */
export type PurgeBatch = { table: TenantTable; account_id: string; limit: number };

/** Returns the number of deleted rows. */
export function deleteSome(tx: Transaction, { table, account_id, limit }: PurgeBatch): Promise<number> {
  const [name, key] = [fragment(table.table), fragment(table.key.join(', '))];
  return tx.run(
    sql`DELETE FROM ${name} WHERE account_id = ${account_id} AND (${key}) IN (
          SELECT ${key} FROM ${name} WHERE account_id = ${account_id} ORDER BY ${key} LIMIT ${limit})`,
  );
}

export type WordBatch = { index: WordIndex; number: number; limit: number };

/** The same for words. On PostgreSQL they are in the rows themselves. */
export async function deleteSomeWords(tx: Transaction, engine: Engine, batch: WordBatch): Promise<number> {
  if (engine === 'postgres') return 0;
  const { first, end } = rowidsOf(batch.number);
  const index = fragment(batch.index.table);
  return tx.run(
    sql`DELETE FROM ${index} WHERE rowid IN (
          SELECT rowid FROM ${index} WHERE rowid >= ${first} AND rowid < ${end} LIMIT ${batch.limit})`,
  );
}

export const freeRows = ({ table }: TenantTable): Sql => fragment(`VACUUM ${table}`);
