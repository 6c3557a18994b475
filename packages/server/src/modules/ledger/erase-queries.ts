import { andAll, fragment, type Query, type Sql, sql, type Transaction } from '../../db/index.ts';
import { type ErasedEntries, visibleTo } from '../../kernel/index.ts';
import { linesOfEntries } from './walk-queries.ts';

/** Conditions for lines: by entry number, or by name for names that match no entry. */
function lines({ account_id, agent_id, paths, keys, namedIds, names }: ErasedEntries): readonly Sql[] {
  const known = sql`entry_id IS NOT NULL
      AND (seq, no) IN (${linesOfEntries(account_id, namedIds)})`;
  const unknown = sql`entry_id IS NULL AND entity_path IS NOT NULL${andAll([...paths, ...keys])}`;
  return [known, unknown].map(
    (where) => sql`account_id = ${account_id} AND ${where}
      AND (${visibleTo(agent_id)} OR ${names('evidence', 'path and key')})`,
  );
}

/** Removes entry references from ledger lines, and for erased entries also the links between their lines. */
export async function eraseEvidence(tx: Transaction, erased: ErasedEntries): Promise<number> {
  const untied = (column: string) =>
    sql`CASE WHEN ${erased.names('evidence', 'path and key')} THEN NULL ELSE ${fragment(column)} END`;
  let count = 0;
  for (const where of lines(erased))
    count += await tx.run(
      sql`UPDATE evidence SET entry_id = NULL, entity_path = NULL, key = NULL, written_by = NULL,
            before_seq = ${untied('before_seq')}, before_no = ${untied('before_no')} WHERE ${where}`,
    );
  return count;
}

export async function countEvidence(query: Query, erased: ErasedEntries): Promise<number> {
  let count = 0;
  for (const where of lines(erased))
    count += (await query.get<{ n: number }>(sql`SELECT count(*) AS n FROM evidence WHERE ${where}`))?.n ?? 0;
  return count;
}
