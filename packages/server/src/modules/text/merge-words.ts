import { fragment, sql, type Transaction } from '../../db/index.ts';

/**
 * One step of merging segments of an index on SQLite. A negative number of pages starts a merge of all into one, which drops the
 * words of deleted rows. Returns whether more steps are needed: a step with nothing to merge changes one row at most.
 */
export async function mergeWords(tx: Transaction, index: string, pages: number): Promise<boolean> {
  const changes = async () => (await tx.get<{ n: number }>(sql`SELECT total_changes() AS n`))?.n ?? 0;
  const before = await changes();
  const name = fragment(index);
  await tx.run(sql`INSERT INTO ${name}(${name}, rank) VALUES ('merge', ${pages})`);
  return (await changes()) - before >= 2;
}
