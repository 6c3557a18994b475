import { andAll, fragment, type Query, type Sql, sql, type Viewer, visibleTo } from '@mem-service/server/module';
import type { HumanVerdictRow, VerdictRow } from './queries.ts';

/** A verdict without what it rests on. */
export type BareVerdict = Pick<
  VerdictRow,
  'trace_seq' | 'judge_id' | 'judge_version' | 'agent_id' | 'branch' | 'result' | 'judge_result' | 'traced_at'
>;

const BARE = fragment('trace_seq, judge_id, judge_version, agent_id, branch, result, judge_result, traced_at');
const NEWEST_FIRST = fragment('ORDER BY trace_seq DESC, judge_id DESC, judge_version DESC');

type BarePage = { where: readonly Sql[]; limit: number };

/** Of the newest traces first, and of each judge its newest version first. */
export function listBare(query: Query, viewer: Viewer, { where, limit }: BarePage): Promise<BareVerdict[]> {
  return query.all(
    sql`SELECT ${BARE} FROM verdicts WHERE account_id = ${viewer.account_id}
        AND ${visibleTo(viewer.agent_id)}${andAll(where)} ${NEWEST_FIRST} LIMIT ${limit}`,
  );
}

type OfTraces = { account_id: string; listed: Sql; limit: number };

/** What all judges found in some traces. */
export function listOfTraces(query: Query, { account_id, listed, limit }: OfTraces): Promise<BareVerdict[]> {
  return query.all(
    sql`SELECT ${BARE} FROM verdicts WHERE account_id = ${account_id}
        AND trace_seq IN (SELECT CAST(value AS BIGINT) FROM ${listed}) ${NEWEST_FIRST} LIMIT ${limit}`,
  );
}

export type TraceLabel = Pick<HumanVerdictRow, 'trace_seq' | 'judge_id' | 'result'>;

type LabelPage = { judge_id: string; where: readonly Sql[]; limit: number };

/** What people found where a judge looks, in the newest traces. */
export function listLabels(query: Query, viewer: Viewer, page: LabelPage): Promise<TraceLabel[]> {
  return query.all(
    sql`SELECT trace_seq, judge_id, result FROM human_verdicts WHERE account_id = ${viewer.account_id}
        AND judge_id = ${page.judge_id} AND ${visibleTo(viewer.agent_id)}${andAll(page.where)}
        ORDER BY trace_seq DESC LIMIT ${page.limit}`,
  );
}
