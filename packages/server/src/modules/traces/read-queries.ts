import { andAll, type Dialect, type FirstRows, fragment, joinSql, type Query, type Sql, sql } from '../../db/index.ts';
import { type Viewer, visibleTo } from '../../kernel/index.ts';
import { TRACE, type TraceRow, tracesInScope } from './queries.ts';

export type TraceHead = Pick<TraceRow, 'seq' | 'trace_id' | 'header'>;

/** Those of these traces that an agent may see. */
export function listTracesByIds(query: Query, viewer: Viewer, ids: Sql): Promise<TraceHead[]> {
  return query.all<TraceHead>(
    sql`SELECT seq, trace_id, header FROM traces WHERE account_id = ${viewer.account_id}
        AND trace_id IN (SELECT value FROM ${ids}) AND ${visibleTo(viewer.agent_id)}${andAll(tracesInScope(viewer, 'traces'))}
        ORDER BY seq DESC`,
  );
}

export type TracesInOrder = {
  after: number;
  trace_id: string | undefined;
  filters: readonly Sql[];
  limit: number;
  bytes: number;
};

/** Returns traces oldest first, or a single one, for verification. */
export function listTracesInOrder(
  query: Query,
  viewer: Viewer,
  { after, trace_id, filters, limit, bytes }: TracesInOrder,
): Promise<FirstRows<TraceRow>> {
  const wanted = trace_id === undefined ? filters : [sql`trace_id = ${trace_id}`, ...filters];
  return query.first<TraceRow>(
    sql`SELECT ${TRACE} FROM traces WHERE account_id = ${viewer.account_id} AND seq > ${after}
        AND ${visibleTo(viewer.agent_id)}${andAll([...wanted, ...tracesInScope(viewer, 'traces')])} ORDER BY seq LIMIT ${limit}`,
    { columns: ['header'], bytes },
  );
}

/** A moment of a session, by the `seq` of an event. */
export type SessionMoment = { agent_id: string; session: string; seq: number };

/** The agent may have sealed so many traces of other sessions before that of the session. */
const TRACES_BETWEEN = 200;

/** The trace that each session was sealed as next, where there is one that the viewer may see: `no` is the place in the list. */
export function listTracesAfter(
  query: Query,
  viewer: Viewer,
  moments: readonly SessionMoment[],
): Promise<{ no: number; trace_id: string }[]> {
  const each = moments.map(
    ({ agent_id, session, seq }, no) =>
      sql`SELECT * FROM (SELECT ${fragment(String(no))} AS no, trace_id FROM (
            SELECT seq, trace_id, session, visible_to FROM traces WHERE account_id = ${viewer.account_id}
              AND agent_id = ${agent_id} AND seq > ${seq} ORDER BY seq LIMIT ${TRACES_BETWEEN}) AS later
          WHERE session = ${session} AND ${visibleTo(viewer.agent_id)} ORDER BY seq LIMIT 1) AS next`,
  );
  return query.all(joinSql(each, ' UNION ALL '));
}

/** A path that a session read something at, and when it last did. */
export type ReadPath = { seq: number; entity_path: string; visible_to: string; read_at: string };

/** The paths that traces read, without a visibility check; `visible_to` is empty where all may see one of the reads. */
export function listReadPaths(
  query: Query,
  dialect: Dialect,
  { account_id, seqs }: { account_id: string; seqs: readonly number[] },
): Promise<ReadPath[]> {
  const readAt = fragment(dialect.jsonMember('data', ['read_at'], 'text'));
  return query.all<ReadPath>(
    sql`SELECT seq, entity_path, min(visible_to) AS visible_to, max(${readAt}) AS read_at FROM trace_items
        WHERE account_id = ${account_id} AND seq IN (SELECT CAST(value AS BIGINT) FROM ${dialect.numbers(seqs)})
          AND kind = 'read' AND entity_path IS NOT NULL AND data IS NOT NULL GROUP BY seq, entity_path
        ORDER BY seq, entity_path`,
  );
}
