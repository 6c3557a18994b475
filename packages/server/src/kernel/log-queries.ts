import { andAll, type Find, fragment, joinSql, type Query, type Sql, sql } from '../db/index.ts';

type LoggedSession = { account_id: string; agent_id: string; session: string };

/** What a session wrote, as the log has it. */
export type SessionWrite = {
  event_type: string;
  entity_path: string;
  key: string;
  version: number;
  visible_to: string;
  created_at: number;
};

/** Written out: SQLite plans a statement anew each time that a bound limit is set. */
const MOST_WRITES = fragment('LIMIT 1000');

/** A lesson belongs to the outcome that it was learnt from, though its place in the log is after it. */
const NO_LESSON = fragment(`details NOT LIKE '%"lesson_of":%'`);

/** What a session that has a name wrote since a place in the log. */
export function listSessionWrites(query: Query, key: LoggedSession, after: number): Promise<SessionWrite[]> {
  return query.all<SessionWrite>(
    sql`SELECT event_type, entity_path, key, version, visible_to, created_at FROM events
        WHERE account_id = ${key.account_id} AND agent_id = ${key.agent_id} AND session = ${key.session} AND session >= ' '
          AND seq > ${after} AND entity_path IS NOT NULL AND event_type IN ('write', 'delete') AND ${NO_LESSON}
        ORDER BY seq ${MOST_WRITES}`,
  );
}

/** The same for the session of an agent that names none: among the newest of what the agent did. */
export function listUnnamedWrites(query: Query, key: LoggedSession, after: number): Promise<SessionWrite[]> {
  return query.all<SessionWrite>(
    sql`SELECT event_type, entity_path, key, version, visible_to, created_at FROM (
          SELECT seq, session, event_type, entity_path, key, version, visible_to, created_at, details FROM events
          WHERE account_id = ${key.account_id} AND agent_id = ${key.agent_id} AND seq > ${after}
          ORDER BY seq DESC ${MOST_WRITES}) AS newest
        WHERE session = ${key.session} AND entity_path IS NOT NULL AND event_type IN ('write', 'delete') AND ${NO_LESSON}
        ORDER BY seq`,
  );
}

/** An event as a timeline shows it. */
export type TimelineEvent = {
  seq: number;
  event_type: string;
  agent_id: string;
  branch: string;
  entity_path: string | null;
  key: string | null;
  version: number | null;
  details: string;
  created_at: number;
  actor_agent_id: string | null;
};

/** What stands on the timeline of an agent and may be seen by the one who looks: `from <= seq < before`. */
export type TimelineRange = {
  account_id: string;
  agent_id: string;
  viewer: string;
  from: number;
  before: number;
  where: readonly Sql[];
};

const inRange = ({ account_id, agent_id, viewer, from, before, where }: TimelineRange): Sql =>
  sql`account_id = ${account_id} AND agent_id = ${agent_id} AND seq >= ${from} AND seq < ${before}
      AND visible_to IN ('', ${viewer})${andAll(where)}`;

const EVENT = fragment(
  'seq, event_type, agent_id, branch, entity_path, key, version, details, created_at, actor_agent_id',
);

/** A filter: events of some types, of all where there are none. */
export function isOfEventTypes(types: readonly string[]): Sql[] {
  const each = types.map((type) => sql`${type}`);
  return types.length === 0 ? [] : [sql`event_type IN (${joinSql(each, ', ')})`];
}

/** Newest first. With filters, only among the newest `scan` of the range. */
export function listAgentEvents(
  query: Query,
  range: TimelineRange,
  page: { filters: readonly Sql[]; scan: number; limit: number },
): Promise<TimelineEvent[]> {
  const base = sql`SELECT ${EVENT} FROM events WHERE ${inRange(range)} ORDER BY seq DESC`;
  if (page.filters.length === 0) return query.all<TimelineEvent>(sql`${base} LIMIT ${page.limit}`);
  return query.all<TimelineEvent>(
    sql`SELECT * FROM (${base} LIMIT ${page.scan}) AS looked_at WHERE true${andAll(page.filters)}
        ORDER BY seq DESC LIMIT ${page.limit}`,
  );
}

/** The last event that a scan of this length reaches. */
export function endOfEvents(query: Query, range: TimelineRange, scan: number): Promise<{ seq: number } | undefined> {
  return query.get(sql`SELECT seq FROM events WHERE ${inRange(range)} ORDER BY seq DESC LIMIT 1 OFFSET ${scan - 1}`);
}

/** In which sessions things were done. */
export const findEventSessions: Find = {
  table: 'events',
  select: 'session',
  by: { account_id: 'text', seq: 'int' },
};

/** When an agent was first and last seen to do something. */
export type SeenAgent = { agent_id: string; first_at: number; last_at: number | null };

/** A page of agents by id, by what they did for all to see or for one viewer; a query to be put together with others. */
export const activeAgents = (accountId: string, page: { visible_to: string; after: string; limit: number }): Sql =>
  sql`SELECT * FROM (SELECT agent_id, first_at, last_at FROM agents
        WHERE account_id = ${accountId} AND visible_to = ${page.visible_to} AND agent_id > ${page.after}
        ORDER BY agent_id LIMIT ${page.limit}) AS active`;

export function getAgent(
  query: Query,
  { account_id, viewer }: { account_id: string; viewer: string },
  agentId: string,
): Promise<SeenAgent[]> {
  return query.all<SeenAgent>(
    sql`SELECT agent_id, first_at, last_at FROM agents
        WHERE account_id = ${account_id} AND agent_id = ${agentId} AND visible_to IN ('', ${viewer})`,
  );
}
