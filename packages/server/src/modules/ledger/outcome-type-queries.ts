import { joinSql, type Query, type Sql, sql } from '../../db/index.ts';

/** The outcomes of some types: rows of `seq`. What an erasure takes from the log, the ledger still has. */
export const outcomesOfTypes = (accountId: string, types: readonly string[]): Sql =>
  sql`SELECT seq FROM outcomes WHERE account_id = ${accountId}
      AND outcome_type IN (${joinSql(
        types.map((type) => sql`${type}`),
        ', ',
      )})`;

/** Which of some outcomes are of these types, without a visibility check. */
export async function findOutcomesOfTypes(
  query: Query,
  accountId: string,
  { seqs, types }: { seqs: Sql; types: readonly string[] },
): Promise<Set<number>> {
  const rows = await query.all<{ seq: number }>(
    sql`${outcomesOfTypes(accountId, types)} AND seq IN (SELECT CAST(value AS BIGINT) FROM ${seqs})`,
  );
  return new Set(rows.map(({ seq }) => seq));
}
