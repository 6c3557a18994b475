import { type Query, sql, type Transaction } from '../../../db/index.ts';
import type { SessionKey } from '../queries.ts';

/** The outcome of a session whose trace was to follow, while none has. */
export function getUnfollowed(
  query: Query,
  { account_id, agent_id, session }: SessionKey,
  outcomeRef: string,
): Promise<{ seq: number } | undefined> {
  return query.get(
    sql`SELECT seq FROM outcomes WHERE account_id = ${account_id} AND outcome_ref = ${outcomeRef} AND agent_id = ${agent_id}
        AND session = ${session} AND trace_id IS NULL ORDER BY seq DESC LIMIT 1`,
  );
}

export function followOutcome(
  tx: Transaction,
  accountId: string,
  at: { seq: number; trace_id: string },
): Promise<number> {
  return tx.run(sql`UPDATE outcomes SET trace_id = ${at.trace_id} WHERE account_id = ${accountId} AND seq = ${at.seq}`);
}
