import { andAll, type Find, type FirstRows, fragment, joinSql, type Query, type Sql, sql } from '../db/index.ts';
import { type Scope, scopeConditions } from './scope.ts';
import { sessionIdOf } from './session-name.ts';

type LoggedSession = { account_id: string; agent_id: string; session: string };

/** A write of a session, from the log. */
export type SessionWrite = {
  event_type: string;
  entity_path: string;
  key: string;
  version: number;
  visible_to: string;
  created_at: number;
};

/** A literal: SQLite re-plans a statement each time a bound LIMIT changes. */
const MOST_WRITES = fragment('LIMIT 1000');

/** A lesson belongs to the outcome it was learnt from, although it comes later in the log. */
const NO_LESSON = fragment(`details NOT LIKE '%"lesson_of":%'`);

/** Writes of a named session after a `seq`. */
export function listSessionWrites(query: Query, key: LoggedSession, after: number): Promise<SessionWrite[]> {
  return query.all<SessionWrite>(
    sql`SELECT event_type, entity_path, key, version, visible_to, created_at FROM events
        WHERE account_id = ${key.account_id} AND agent_id = ${key.agent_id} AND session = ${key.session} AND session >= ' '
          AND seq > ${after} AND entity_path IS NOT NULL AND event_type IN ('write', 'delete') AND ${NO_LESSON}
        ORDER BY seq ${MOST_WRITES}`,
  );
}

/** Writes of an agent's unnamed session, among the newest events of the agent. */
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

/** The branch of the last write of a session since its last outcome, among its newest events. */
export async function lastWriteBranch(query: Query, key: LoggedSession): Promise<string | undefined> {
  const named = sessionIdOf(key.session) === null ? sql`` : sql` AND session = ${key.session} AND session >= ' '`;
  const row = await query.get<{ event_type: string; branch: string }>(
    sql`SELECT event_type, branch FROM (
          SELECT seq, session, event_type, branch, entity_path, details FROM events
          WHERE account_id = ${key.account_id} AND agent_id = ${key.agent_id}${named} ORDER BY seq DESC LIMIT 100) AS newest
        WHERE session = ${key.session} AND (event_type = 'outcome'
          OR (entity_path IS NOT NULL AND event_type IN ('write', 'delete') AND ${NO_LESSON})) ORDER BY seq DESC LIMIT 1`,
  );
  return row === undefined || row.event_type === 'outcome' ? undefined : row.branch;
}

/** An event as shown on a timeline. */
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
  session: string;
};

/** Events on the timeline of an agent that the viewer may see: `from <= seq < before`. */
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
  'seq, event_type, agent_id, branch, entity_path, key, version, details, created_at, actor_agent_id, session',
);

/** A filter by event type; no types means all events. */
export function isOfEventTypes(types: readonly string[]): Sql[] {
  const each = types.map((type) => sql`${type}`);
  return types.length === 0 ? [] : [sql`event_type IN (${joinSql(each, ', ')})`];
}

/** Newest first. With filters, only among the newest `scan` events of the range. */
export function listAgentEvents(
  query: Query,
  range: TimelineRange,
  page: { filters: readonly Sql[]; scan: number; limit: number; bytes: number },
): Promise<FirstRows<TimelineEvent>> {
  const limit = { columns: ['details'], bytes: page.bytes };
  const base = sql`SELECT ${EVENT} FROM events WHERE ${inRange(range)} ORDER BY seq DESC`;
  if (page.filters.length === 0) return query.first<TimelineEvent>(sql`${base} LIMIT ${page.limit}`, limit);
  return query.first<TimelineEvent>(
    sql`SELECT * FROM (${base} LIMIT ${page.scan}) AS looked_at WHERE true${andAll(page.filters)}
        ORDER BY seq DESC LIMIT ${page.limit}`,
    limit,
  );
}

/** The last event that a scan of this length covers. */
export function endOfEvents(query: Query, range: TimelineRange, scan: number): Promise<{ seq: number } | undefined> {
  return query.get(sql`SELECT seq FROM events WHERE ${inRange(range)} ORDER BY seq DESC LIMIT 1 OFFSET ${scan - 1}`);
}

/** A read of an entry by another agent than its author. */
export type ReadEvent = Pick<TimelineEvent, 'seq' | 'agent_id' | 'branch' | 'version' | 'created_at' | 'session'>;

/** Reads of an entry, newest first. The timeline of its author has each of them too; these are the ones of the readers. */
export function listReadEvents(
  query: Query,
  { account_id, entity_path, key }: { account_id: string; entity_path: string; key: string },
  page: { where: readonly Sql[]; limit: number },
): Promise<ReadEvent[]> {
  return query.all<ReadEvent>(
    sql`SELECT seq, agent_id, branch, version, created_at, session FROM events
        WHERE account_id = ${account_id} AND entity_path = ${entity_path} AND key = ${key}
          AND event_type = 'cross_agent_read' AND actor_agent_id IS NULL AND visible_to = ''${andAll(page.where)}
        ORDER BY seq DESC LIMIT ${page.limit}`,
  );
}

export type ReadKeys = { account_id: string; branch: string; entity_path: string; keys: Sql; since: number };

/**
 * Who has read last what others wrote, under each of some keys of a path and since a place in the log; `keys` as the dialect makes
 * `texts`. Key by key: one look into the index for each, however often they were read.
 */
export async function listLastReaders(
  query: Query,
  { account_id, branch, entity_path, keys, since }: ReadKeys,
): Promise<string[]> {
  const rows = await query.all<{ agent_id: string }>(
    sql`SELECT DISTINCT agent_id FROM (
          SELECT (SELECT agent_id FROM events WHERE account_id = ${account_id} AND entity_path = ${entity_path} AND events.key = value
                    AND event_type = 'cross_agent_read' AND seq >= ${since} AND actor_agent_id IS NULL AND visible_to = ''
                    AND branch = ${branch} ORDER BY seq DESC LIMIT 1) AS agent_id FROM ${keys}) AS last_readers
        WHERE agent_id IS NOT NULL ORDER BY agent_id`,
  );
  return rows.map(({ agent_id }) => agent_id);
}

export type CountedReads = { after: number; where: readonly Sql[]; scope: Scope | undefined; limit: number };

/**
 * How often agents read what others wrote, by path, after a `seq`: the most first. The type is compared as an expression, so that the
 * log is read from that place: the index of these events would be read from end to end.
 */
export function countReadPaths(
  query: Query,
  accountId: string,
  { after, where, scope, limit }: CountedReads,
): Promise<{ agent_id: string; entity_path: string; n: number; last_at: number }[]> {
  return query.all(
    sql`SELECT agent_id, entity_path, count(*) AS n, max(created_at) AS last_at FROM events
        WHERE account_id = ${accountId} AND seq > ${after} AND (event_type || '') = 'cross_agent_read' AND entity_path IS NOT NULL
          AND actor_agent_id IS NULL AND visible_to = ''${andAll([...where, ...scopeConditions(scope)])}
        GROUP BY agent_id, entity_path ORDER BY n DESC, agent_id, entity_path LIMIT ${limit}`,
  );
}

/** The sessions of events. */
export const findEventSessions: Find = {
  table: 'events',
  select: 'session',
  by: { account_id: 'text', seq: 'int' },
};

/** When an agent was first and last active. */
export type SeenAgent = { agent_id: string; first_at: number; last_at: number | null };

/** A page of agents by id, with activity visible to everyone or to one viewer; a query to combine with others. */
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
