import { type Find, type Insert, type Query, sql, type Transaction } from '../../../db/index.ts';
import type { SessionKey } from '../../sessions/index.ts';

export type TraceOwnerRow = {
  trace_id: string;
  agent_id: string;
  agent_rank: number;
  session: string;
  session_rank: number;
};

export const findSpans: Find = {
  table: 'otel_spans',
  select: 'span_id',
  by: { account_id: 'text', trace_id: 'text', span_id: 'text' },
};

export const insertSpans: Insert = {
  table: 'otel_spans',
  columns: {
    account_id: 'text',
    trace_id: 'text',
    span_id: 'text',
    agent_id: 'text',
    session: 'text',
    item_no: 'int',
    call_no: 'int',
    at: 'int',
  },
};

export const findTraceOwners: Find = {
  table: 'otel_traces',
  select: 'trace_id, agent_id, agent_rank, session, session_rank',
  by: { account_id: 'text', trace_id: 'text' },
};

export const upsertTraceOwners: Insert = {
  table: 'otel_traces',
  columns: {
    account_id: 'text',
    trace_id: 'text',
    agent_id: 'text',
    agent_rank: 'int',
    session: 'text',
    session_rank: 'int',
    at: 'int',
  },
  suffix: `ON CONFLICT (account_id, trace_id) DO UPDATE SET agent_id = excluded.agent_id, agent_rank = excluded.agent_rank,
    session = excluded.session, session_rank = excluded.session_rank, at = excluded.at`,
};

type TraceInSession = SessionKey & { trace_id: string };

/** Returns the items that a trace has added to a session. */
export function listItems(query: Query, at: TraceInSession): Promise<{ item_no: number; call_no: number | null }[]> {
  return query.all(
    sql`SELECT item_no, call_no FROM otel_spans WHERE account_id = ${at.account_id} AND trace_id = ${at.trace_id}
        AND agent_id = ${at.agent_id} AND session = ${at.session}`,
  );
}

/** Moves some of the spans; they are then in the other session. */
export function moveSpans(
  tx: Transaction,
  from: TraceInSession,
  { limit, ...to }: SessionKey & { limit: number },
): Promise<number> {
  const ofTrace = sql`account_id = ${from.account_id} AND trace_id = ${from.trace_id}`;
  return tx.run(
    sql`UPDATE otel_spans SET agent_id = ${to.agent_id}, session = ${to.session} WHERE ${ofTrace} AND span_id IN (
          SELECT span_id FROM otel_spans WHERE ${ofTrace} AND agent_id = ${from.agent_id} AND session = ${from.session}
          LIMIT ${limit})`,
  );
}

/** Maintenance over all accounts. */
export async function deleteOld(tx: Transaction, before: number): Promise<void> {
  await Promise.all([
    tx.run(sql`DELETE FROM otel_spans WHERE account_id IS NOT NULL AND at < ${before}`),
    tx.run(sql`DELETE FROM otel_traces WHERE account_id IS NOT NULL AND at < ${before}`),
  ]);
}
