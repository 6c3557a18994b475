import { andAll, joinSql, type Query, type Sql, sql, type Transaction } from '../../../db/index.ts';
import { type Erased, visible } from '../../../kernel/index.ts';
import { linesOfNumbers } from '../../entries/index.ts';

/** The parts that name erased entries, and those that speak of their path alone. */
function partsAt({ account_id, agent_id, paths, keys, isAboutDoomed }: Erased, where: Sql): Sql {
  const named = keys.length === 0 ? sql`true` : joinSql(keys, ' AND ');
  return sql`account_id = ${account_id} AND ${where} AND entity_path IS NOT NULL${andAll(paths)}
    AND (key IS NULL OR ${named}) AND (${visible(agent_id)} OR ${isAboutDoomed('trace_items', 'path and key')})`;
}

const toldOf = ({ account_id, entryIds }: Erased): Sql => linesOfNumbers(account_id, entryIds);

/** By their paths, or where the ledger has the same, by its lines. */
const parts = (erased: Erased): readonly Sql[] => [
  partsAt(erased, sql`in_ledger = 0`),
  partsAt(erased, sql`in_ledger = 1 AND seq IN (SELECT told.seq FROM (${toldOf(erased)}) AS told)`),
];

/** Takes out names and content; the hashes stay, so that the rest can still be proven. Comes before the ledger's turn. */
export async function eraseItems(tx: Transaction, erased: Erased): Promise<number> {
  let count = 0;
  for (const where of parts(erased))
    count += await tx.run(
      sql`UPDATE trace_items SET entity_path = NULL, key = NULL, entry_id = NULL, data = NULL WHERE ${where}`,
    );
  return count;
}

export async function countItems(query: Query, erased: Erased): Promise<number> {
  let count = 0;
  for (const where of parts(erased))
    count += (await query.get<{ n: number }>(sql`SELECT count(*) AS n FROM trace_items WHERE ${where}`))?.n ?? 0;
  return count;
}
