import { type Query, type Sql, sql } from '../../db/index.ts';

/** An entry that a good outcome is traced back to, and the version that was read. */
export type CreditedRow = { seq: number; entry_id: number; version: number; visible_to: string };

/** What good outcomes are traced back to, without a visibility check; replays and attempts that failed are left out. */
export function listCredited(query: Query, accountId: string, seqs: Sql): Promise<CreditedRow[]> {
  return query.all<CreditedRow>(
    sql`SELECT seq, entry_id, coalesce(read_version, version) AS version, visible_to FROM evidence
        WHERE account_id = ${accountId} AND seq IN (SELECT CAST(value AS BIGINT) FROM ${seqs}) AND attempt IS NULL
          AND success = 1 AND entry_id IS NOT NULL AND coalesce(reason, '') <> 'replayed' ORDER BY seq, no`,
  );
}

export type SameOutcome = { account_id: string; agent_id: string; outcome_ref: string; branch: string; before: number };
export type EarlierOutcome = { seq: number; session: string };

/** The outcomes that an agent reported of the same thing before, newest first. */
export function listEarlier(query: Query, same: SameOutcome, limit: number): Promise<EarlierOutcome[]> {
  return query.all<EarlierOutcome>(
    sql`SELECT seq, session FROM outcomes WHERE account_id = ${same.account_id} AND outcome_ref = ${same.outcome_ref}
          AND agent_id = ${same.agent_id} AND branch = ${same.branch} AND seq < ${same.before} ORDER BY seq DESC LIMIT ${limit}`,
  );
}

/** Which of the outcomes say what was used of what was shown before an earlier commit. */
export async function listOpenRefs(query: Query, accountId: string, refs: Sql): Promise<Set<string>> {
  const rows = await query.all<{ outcome_ref: string }>(
    sql`SELECT DISTINCT outcome_ref FROM outcomes WHERE account_id = ${accountId}
          AND outcome_ref IN (SELECT value FROM ${refs}) AND document LIKE '%"shown":[%'`,
  );
  return new Set(rows.map(({ outcome_ref }) => outcome_ref));
}
