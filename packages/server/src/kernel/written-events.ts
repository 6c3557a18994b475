import { fragment, type Query, type Sql, sql } from '../db/index.ts';
import { ERASED_DETAILS } from './kernel-tables.ts';

/** An event of an agent, as far as it is needed to find what it wrote. */
export type WrittenEvent = {
  seq: number;
  event_type: string;
  branch: string;
  entity_path: string | null;
  key: string | null;
  version: number | null;
  session: string;
  /** Another agent that did it, on whose behalf it is there. */
  actor_agent_id: string | null;
  created_at: number;
};

const WRITTEN = fragment('seq, event_type, branch, entity_path, key, version, session, actor_agent_id, created_at');

export type WrittenPart = { account_id: string; agent_id: string; after: number; limit: number };

/** The next events of an agent after a `seq`, of any type. */
export function listEventsOf(query: Query, part: WrittenPart): Promise<WrittenEvent[]> {
  const { account_id, agent_id, after, limit } = part;
  return query.all<WrittenEvent>(
    sql`SELECT ${WRITTEN} FROM events WHERE account_id = ${account_id} AND agent_id = ${agent_id} AND seq > ${after}
        ORDER BY seq LIMIT ${limit}`,
  );
}

/** The same of one of its named sessions, by the internal name. */
export function listEventsOfSession(query: Query, part: WrittenPart & { session: string }): Promise<WrittenEvent[]> {
  const { account_id, agent_id, session, after, limit } = part;
  return query.all<WrittenEvent>(
    sql`SELECT ${WRITTEN} FROM events WHERE account_id = ${account_id} AND agent_id = ${agent_id} AND session = ${session}
          AND session >= ' ' AND seq > ${after} ORDER BY seq LIMIT ${limit}`,
  );
}

/** The internal names of sessions of an agent that are called this, by whichever key. */
export async function listSessionNames(
  query: Query,
  { account_id, agent_id, session_id }: { account_id: string; agent_id: string; session_id: string },
): Promise<string[]> {
  const rows = await query.all<{ session: string }>(
    sql`SELECT DISTINCT session FROM events WHERE account_id = ${account_id} AND agent_id = ${agent_id}
          AND session >= ${session_id} AND session < ${`${session_id} `} AND session >= ' ' LIMIT 100`,
  );
  return rows.map(({ session }) => session);
}

/** Removes names and details from events. `seqs` is a one-column query. */
export function eraseEventNames(
  tx: { run(statement: Sql): Promise<number> },
  accountId: string,
  seqs: Sql,
): Promise<number> {
  return tx.run(
    sql`UPDATE events SET entity_path = NULL, key = NULL, version = NULL, details = ${ERASED_DETAILS}
        WHERE account_id = ${accountId} AND seq IN (${seqs})`,
  );
}
