import { andAll, type Find, type Query, type Sql, sql, type Transaction } from '../../db/index.ts';
import { scopeConditions, type Viewer, visibleTo } from '../../kernel/index.ts';

/** Returns the outcome of a session whose trace was announced and has not arrived yet. */
export function getUnfollowed(
  query: Query,
  { account_id, agent_id, session }: { account_id: string; agent_id: string; session: string },
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

export type ChangeRow = {
  seq: number;
  entity_path: string;
  key: string;
  confidence_before: number;
  confidence_after: number;
};

/** Returns the changes of confidence that outcomes made, in order. */
export function listConfidenceChanges(query: Query, viewer: Viewer, seqs: Sql): Promise<ChangeRow[]> {
  return query.all<ChangeRow>(
    sql`SELECT seq, entity_path, key, confidence_before, confidence_after FROM evidence WHERE account_id = ${viewer.account_id}
        AND seq IN (SELECT CAST(value AS BIGINT) FROM ${seqs}) AND applied = 1 AND entity_path IS NOT NULL
        AND ${visibleTo(viewer.agent_id)}${andAll(scopeConditions(viewer.scope))} ORDER BY seq, no`,
  );
}

/** What lists show of an outcome. */
export type NumberedOutcome = {
  seq: number;
  outcome_ref: string;
  outcome_type: string;
  agent_id: string;
  branch: string;
  committed_at: number;
  visible_to: string;
  session: string;
  trace_id: string | null;
};

const outcomeFacts: Find = {
  table: 'outcomes',
  select: 'seq, outcome_ref, outcome_type, agent_id, branch, committed_at, visible_to, session, trace_id',
  by: { account_id: 'text', seq: 'int' },
};

/** Finds outcomes by number, without a visibility check. One result per number, in order. */
export function findOutcomes(
  query: Query,
  accountId: string,
  seqs: readonly number[],
): Promise<(NumberedOutcome | undefined)[]> {
  return query.findMany<NumberedOutcome>(
    outcomeFacts,
    seqs.map((seq) => [accountId, seq]),
  );
}
