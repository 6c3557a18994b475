import { andAll, fragment, type Insert, type Query, type Sql, sql, type Transaction } from '@mem-service/server/module';

/** The rows of a negotiation are in the account that its room is. */
export type NegotiationRow = {
  account_id: string;
  negotiation_id: string;
  title: string;
  description: string;
  status: string;
  round: number;
  max_rounds: number;
  deadline_at: number | null;
  proposed_by: string | null;
  /** The step with the newest proposal; 0 before the first. */
  proposal_no: number;
  step_count: number;
  participant_count: number;
  /** Who began it. */
  agent_id: string;
  created_seq: number;
  created_at: number;
  updated_at: number;
  ended_at: number | null;
};

export const upsertNegotiations: Insert = {
  table: 'negotiations',
  columns: {
    account_id: 'text',
    negotiation_id: 'text',
    title: 'text',
    description: 'text',
    status: 'text',
    round: 'int',
    max_rounds: 'int',
    deadline_at: 'int',
    proposed_by: 'text',
    proposal_no: 'int',
    step_count: 'int',
    participant_count: 'int',
    agent_id: 'text',
    created_seq: 'int',
    created_at: 'int',
    updated_at: 'int',
    ended_at: 'int',
  },
  suffix: `ON CONFLICT (account_id, negotiation_id) DO UPDATE SET status = excluded.status, round = excluded.round,
    proposed_by = excluded.proposed_by, proposal_no = excluded.proposal_no, step_count = excluded.step_count,
    updated_at = excluded.updated_at, ended_at = excluded.ended_at`,
};

export type ParticipantRow = {
  account_id: string;
  negotiation_id: string;
  agent_id: string;
  answer: string | null;
  has_left: number;
};

export const upsertParticipants: Insert = {
  table: 'negotiation_participants',
  columns: { account_id: 'text', negotiation_id: 'text', agent_id: 'text', answer: 'text', has_left: 'int' },
  suffix: `ON CONFLICT (account_id, negotiation_id, agent_id) DO UPDATE SET answer = excluded.answer,
    has_left = excluded.has_left`,
};

export type StepRow = {
  account_id: string;
  negotiation_id: string;
  no: number;
  round: number;
  agent_id: string;
  action: string;
  /** JSON; null with an answer. */
  proposal: string | null;
  rationale: string;
  created_at: number;
};

export const insertSteps: Insert = {
  table: 'negotiation_steps',
  columns: {
    account_id: 'text',
    negotiation_id: 'text',
    no: 'int',
    round: 'int',
    agent_id: 'text',
    action: 'text',
    proposal: 'text',
    rationale: 'text',
    created_at: 'int',
  },
};

const NEGOTIATION = fragment(Object.keys(upsertNegotiations.columns).join(', '));
const PARTICIPANT = fragment(Object.keys(upsertParticipants.columns).join(', '));
const STEP = fragment(Object.keys(insertSteps.columns).join(', '));

export function getNegotiation(query: Query, accountId: string, id: string): Promise<NegotiationRow | undefined> {
  return query.get(
    sql`SELECT ${NEGOTIATION} FROM negotiations WHERE account_id = ${accountId} AND negotiation_id = ${id}`,
  );
}

/** By name; their number is bounded. */
export function listParticipants(query: Query, accountId: string, id: string): Promise<ParticipantRow[]> {
  return query.all(
    sql`SELECT ${PARTICIPANT} FROM negotiation_participants WHERE account_id = ${accountId} AND negotiation_id = ${id}
        ORDER BY agent_id`,
  );
}

export function getStep(
  query: Query,
  accountId: string,
  { negotiation_id, no }: Pick<StepRow, 'negotiation_id' | 'no'>,
): Promise<StepRow | undefined> {
  return query.get(
    sql`SELECT ${STEP} FROM negotiation_steps WHERE account_id = ${accountId} AND negotiation_id = ${negotiation_id}
        AND no = ${no}`,
  );
}

/** Newest first; their number is bounded. */
export function listSteps(
  query: Query,
  accountId: string,
  { negotiation_id, bytes }: { negotiation_id: string; bytes: number },
) {
  return query.first<StepRow>(
    sql`SELECT ${STEP} FROM negotiation_steps WHERE account_id = ${accountId} AND negotiation_id = ${negotiation_id}
        ORDER BY no DESC`,
    { columns: ['proposal', 'rationale'], bytes },
  );
}

export type NegotiationPage = {
  account_id: string;
  status: string | undefined;
  before: number;
  limit: number;
  now: number;
};

/** Newest first. One whose time is over is no longer open, also before that is noted. */
export function listNegotiations(query: Query, page: NegotiationPage): Promise<NegotiationRow[]> {
  const { account_id, status, before, limit, now } = page;
  const isLate = sql`(status = 'open' AND deadline_at IS NOT NULL AND deadline_at <= ${now})`;
  const filters =
    status === undefined
      ? []
      : status === 'timed_out'
        ? [sql`(status = 'timed_out' OR ${isLate})`]
        : [sql`status = ${status}`, sql`NOT ${isLate}`];
  return query.all(
    sql`SELECT ${NEGOTIATION} FROM negotiations WHERE account_id = ${account_id} AND created_seq < ${before}${andAll(filters)}
        ORDER BY created_seq DESC LIMIT ${limit}`,
  );
}

/** Who began those that are open. Their number is bounded. */
export async function listOpenBeginners(query: Query, accountId: string): Promise<string[]> {
  const rows = await query.all<{ agent_id: string }>(
    sql`SELECT agent_id FROM negotiations WHERE account_id = ${accountId} AND status = 'open'`,
  );
  return rows.map(({ agent_id }) => agent_id);
}

/** Deleted at once: fewer than these can end before the next one begins. */
const MOST_DROPPED = 100;

/** Those that are over, without so many that ended last. */
export async function listEndedAfter(query: Query, accountId: string, kept: number): Promise<string[]> {
  const rows = await query.all<{ negotiation_id: string }>(
    sql`SELECT negotiation_id FROM negotiations WHERE account_id = ${accountId} AND ended_at IS NOT NULL
        ORDER BY ended_at DESC, negotiation_id DESC LIMIT ${MOST_DROPPED} OFFSET ${kept}`,
  );
  return rows.map(({ negotiation_id }) => negotiation_id);
}

const among = (ids: Sql): Sql => sql`negotiation_id IN (SELECT value FROM ${ids})`;

/** What some of them and their steps take. */
export async function sumBytes(query: Query, accountId: string, ids: Sql): Promise<number> {
  const found = await query.get<{ n: number }>(
    sql`SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) AS n FROM (
        SELECT octet_length(title) + octet_length(description) AS bytes FROM negotiations
        WHERE account_id = ${accountId} AND ${among(ids)}
        UNION ALL SELECT coalesce(octet_length(proposal), 0) + octet_length(rationale) FROM negotiation_steps
        WHERE account_id = ${accountId} AND ${among(ids)}) AS stored`,
  );
  return Number(found?.n ?? 0);
}

export function deleteSteps(tx: Transaction, accountId: string, ids: Sql): Promise<number> {
  return tx.run(sql`DELETE FROM negotiation_steps WHERE account_id = ${accountId} AND ${among(ids)}`);
}

export function deleteParticipants(tx: Transaction, accountId: string, ids: Sql): Promise<number> {
  return tx.run(sql`DELETE FROM negotiation_participants WHERE account_id = ${accountId} AND ${among(ids)}`);
}

export function deleteNegotiations(tx: Transaction, accountId: string, ids: Sql): Promise<number> {
  return tx.run(sql`DELETE FROM negotiations WHERE account_id = ${accountId} AND ${among(ids)}`);
}

/** Of open negotiations, who takes part and has not left. Their number is bounded. */
export function listPresent(
  query: Query,
  accountId: string,
): Promise<Pick<ParticipantRow, 'negotiation_id' | 'agent_id'>[]> {
  return query.all(
    sql`SELECT p.negotiation_id, p.agent_id FROM negotiations AS n
        JOIN negotiation_participants AS p ON p.account_id = ${accountId} AND p.negotiation_id = n.negotiation_id
        WHERE n.account_id = ${accountId} AND n.status = 'open' AND p.has_left = 0 ORDER BY p.negotiation_id, p.agent_id`,
  );
}

export type DueNegotiation = Pick<NegotiationRow, 'account_id' | 'negotiation_id'>;

/** Of all rooms, those whose time is over. */
export function listDue(query: Query, { now, limit }: { now: number; limit: number }): Promise<DueNegotiation[]> {
  return query.all(
    sql`SELECT account_id, negotiation_id FROM negotiations
        WHERE status = 'open' AND deadline_at IS NOT NULL AND deadline_at <= ${now} ORDER BY deadline_at LIMIT ${limit}`,
  );
}

/** When the time of the next one is over. */
export async function nextDueAt(query: Query): Promise<number | undefined> {
  const row = await query.get<{ deadline_at: number }>(
    sql`SELECT deadline_at FROM negotiations WHERE status = 'open' AND deadline_at IS NOT NULL
        ORDER BY deadline_at LIMIT 1`,
  );
  return row?.deadline_at;
}
