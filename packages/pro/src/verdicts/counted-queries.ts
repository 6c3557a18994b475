import { fragment, type Insert, type Query, type Sql, sql } from '@mem-service/server/module';
import type { VerdictRow } from './queries.ts';

/** What counts as evidence of a judge's verdicts on a trace. */
export type CountedVerdictRow = {
  account_id: string;
  trace_seq: number;
  judge_id: string;
  judge_version: number;
  /** `withdrawn` where it counts no more. */
  verdict: string;
  /** As the judge had it when the trace was counted first. */
  weight: number;
  /** How many entries the trace read: they share the weight. */
  n_causal: number;
  /** Of the trace, as is the next one. */
  agent_id: string;
  visible_to: string;
};

export const putCounted: Insert = {
  table: 'counted_verdicts',
  columns: {
    account_id: 'text',
    trace_seq: 'int',
    judge_id: 'text',
    judge_version: 'int',
    verdict: 'text',
    weight: 'real',
    n_causal: 'int',
    agent_id: 'text',
    visible_to: 'text',
  },
  suffix: `ON CONFLICT (account_id, trace_seq, judge_id) DO UPDATE SET judge_version = excluded.judge_version,
    verdict = excluded.verdict`,
};

const COUNTED = fragment(Object.keys(putCounted.columns).join(', '));

type CountedTraces = { account_id: string; listed: Sql };

/** By trace and judge. */
export function listCounted(query: Query, { account_id, listed }: CountedTraces): Promise<CountedVerdictRow[]> {
  return query.all(
    sql`SELECT ${COUNTED} FROM counted_verdicts WHERE account_id = ${account_id}
        AND trace_seq IN (SELECT CAST(value AS BIGINT) FROM ${listed}) ORDER BY trace_seq, judge_id`,
  );
}

export type CountableVerdict = Pick<VerdictRow, 'trace_seq' | 'judge_id' | 'judge_version' | 'result'>;

/** Verdicts of these judges, of each its newest version first. */
export function listCountable(
  query: Query,
  { account_id, listed, judges }: CountedTraces & { judges: Sql },
): Promise<CountableVerdict[]> {
  return query.all(
    sql`SELECT trace_seq, judge_id, judge_version, result FROM verdicts WHERE account_id = ${account_id}
          AND trace_seq IN (SELECT CAST(value AS BIGINT) FROM ${listed}) AND judge_id IN (SELECT value FROM ${judges})
        ORDER BY trace_seq, judge_id, judge_version DESC`,
  );
}
