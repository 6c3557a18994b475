import { andAll, type Dialect, type Query, type Sql, sql } from '@mem-service/server/module';
import type { VerdictRow } from './queries.ts';

/** The verdicts of a version of a judge that the same may see: of one agent, or of all. */
export type VerdictGroup = {
  judge_id: string;
  judge_version: number;
  agent_id: string | null;
  branch: string;
  visible_to: string;
};

export type VerdictSample = Pick<VerdictRow, 'trace_seq' | 'trace_id' | 'agent_id' | 'result' | 'traced_at' | 'seq'>;

/** Verdicts of other groups lie between those of a group; so many are looked at for each that is asked for. */
const LOOKED_AT = 8;

type SampleSpan = {
  account_id: string;
  group: VerdictGroup;
  /** Conditions on places in the log. */
  where: readonly Sql[];
  limit: number;
};

/** Passes and failures of a group, of the newest traces first; nothing else says anything about a trace. */
function samplesIn({ account_id, group, where, limit }: SampleSpan): Sql {
  const { judge_id, judge_version, agent_id, branch, visible_to } = group;
  const ofAgent = agent_id === null ? [] : [sql`agent_id = ${agent_id}`];
  return sql`SELECT trace_seq, trace_id, agent_id, result, traced_at, seq FROM
      (SELECT trace_seq, trace_id, agent_id, result, traced_at, seq, judge_version, branch, visible_to FROM verdicts
        WHERE account_id = ${account_id} AND judge_id = ${judge_id}${andAll([...ofAgent, ...where])}
        ORDER BY trace_seq DESC, judge_version DESC LIMIT ${limit * LOOKED_AT}) AS looked_at
    WHERE judge_version = ${judge_version} AND branch = ${branch} AND visible_to = ${visible_to}
      AND (result = 'pass' OR result = 'fail') ORDER BY trace_seq DESC LIMIT ${limit}`;
}

export type SamplesBefore = {
  account_id: string;
  /** Later traces only. */
  after: number;
  /** Traces up to this one, and verdicts that were reported up to this place in the log. */
  until: number;
  reported: number;
  limit: number;
};

/** The newest ones up to a moment of the log, oldest first. */
export async function listSamples(
  query: Query,
  group: VerdictGroup,
  { account_id, after, until, reported, limit }: SamplesBefore,
): Promise<VerdictSample[]> {
  const where = [sql`trace_seq > ${after}`, sql`trace_seq <= ${until}`, sql`seq <= ${reported}`];
  return (await query.all<VerdictSample>(samplesIn({ account_id, group, where, limit }))).reverse();
}

/** `reported`: only what the log knew there. */
type VerdictsBetween = { account_id: string; from: number; until: number; reported?: number; limit: number };

/** The newest failures from one trace up to another, newest first. */
export function listFailures(
  query: Query,
  group: VerdictGroup,
  { account_id, from, until, reported, limit }: VerdictsBetween,
): Promise<VerdictSample[]> {
  const known = reported === undefined ? [] : [sql`seq <= ${reported}`];
  const where = [sql`trace_seq >= ${from}`, sql`trace_seq <= ${until}`, ...known];
  return query.all(
    sql`SELECT * FROM (${samplesIn({ account_id, group, where, limit: limit * LOOKED_AT })}) AS samples WHERE result = 'fail'
        ORDER BY trace_seq DESC LIMIT ${limit}`,
  );
}

/** From one trace up to before another. */
export type CountedSpan = { name: string; from: number; before: number; limit: number };
export type CountedSamples = { samples: number; failures: number };

/** Counts the newest samples of some spans. */
export async function countSamples(
  query: Query,
  group: VerdictGroup,
  { account_id, spans }: { account_id: string; spans: readonly CountedSpan[] },
): Promise<Map<string, CountedSamples>> {
  const found = await Promise.all(
    spans.map(({ from, before, limit }) => {
      const where = [sql`trace_seq >= ${from}`, sql`trace_seq < ${before}`];
      return query.get<CountedSamples>(
        sql`SELECT CAST(count(*) AS BIGINT) AS samples,
            CAST(coalesce(sum(CASE WHEN result = 'fail' THEN 1 ELSE 0 END), 0) AS BIGINT) AS failures
            FROM (${samplesIn({ account_id, group, where, limit })}) AS samples`,
      );
    }),
  );
  return new Map(spans.map(({ name }, i) => [name, found[i] ?? { samples: 0, failures: 0 }]));
}

export type FailedVerdict = Pick<
  VerdictRow,
  'trace_seq' | 'judge_id' | 'judge_version' | 'agent_id' | 'branch' | 'visible_to' | 'seq' | 'traced_at'
>;

/** The verdicts of some traces that say fail now. */
export function listFailedOf(
  query: Query,
  dialect: Dialect,
  { account_id, seqs }: { account_id: string; seqs: readonly number[] },
): Promise<FailedVerdict[]> {
  return query.all(
    sql`SELECT trace_seq, judge_id, judge_version, agent_id, branch, visible_to, seq, traced_at FROM verdicts
        WHERE account_id = ${account_id} AND trace_seq IN (SELECT CAST(value AS BIGINT) FROM ${dialect.numbers(seqs)})
        AND result = 'fail' ORDER BY trace_seq, judge_id, judge_version`,
  );
}
