import { andAll, type Query, type Sql, sql } from '@mem-service/server/module';
import type { LookRow } from './looks.ts';

/** The traces in which a version of a behavior was looked for, that the same may see: of one agent, or of all. */
export type LookGroup = Pick<LookRow, 'behavior_id' | 'behavior_version' | 'branch' | 'visible_to'> & {
  agent_id: string | null;
};

export type LookSample = Pick<LookRow, 'trace_seq' | 'trace_id' | 'agent_id' | 'result' | 'traced_at' | 'seq'>;

/** Traces of other groups lie between those of a group; so many are looked at for each that is asked for. */
const LOOKED_AT = 8;

type LookSpan = { account_id: string; group: LookGroup; where: readonly Sql[]; limit: number };

/** Of the newest traces first; where it is not known whether a trace has the behavior, it says nothing. */
function samplesIn({ account_id, group, where, limit }: LookSpan): Sql {
  const { behavior_id, behavior_version, agent_id, branch, visible_to } = group;
  const ofAgent = agent_id === null ? [] : [sql`agent_id = ${agent_id}`];
  return sql`SELECT trace_seq, trace_id, agent_id, result, traced_at, seq FROM
      (SELECT trace_seq, trace_id, agent_id, result, traced_at, seq, branch, visible_to FROM behavior_looks
        WHERE account_id = ${account_id} AND behavior_id = ${behavior_id} AND behavior_version = ${behavior_version}
          ${andAll([...ofAgent, ...where])} ORDER BY trace_seq DESC LIMIT ${limit * LOOKED_AT}) AS looked_at
    WHERE branch = ${branch} AND visible_to = ${visible_to} AND (result = 'match' OR result = 'none')
    ORDER BY trace_seq DESC LIMIT ${limit}`;
}

type LooksBefore = { account_id: string; after: number; until: number; reported: number; limit: number };

/** The newest ones up to a moment of the log, oldest first. */
export async function listLookSamples(
  query: Query,
  group: LookGroup,
  { account_id, after, until, reported, limit }: LooksBefore,
): Promise<LookSample[]> {
  const where = [sql`trace_seq > ${after}`, sql`trace_seq <= ${until}`, sql`seq <= ${reported}`];
  return (await query.all<LookSample>(samplesIn({ account_id, group, where, limit }))).reverse();
}

/** `reported`: only what the log knew there. */
type MatchesBetween = { account_id: string; from: number; until: number; reported?: number; limit: number };

/** The newest traces with the behavior from one trace up to another, newest first. */
export function listMatchSamples(
  query: Query,
  { behavior_id, behavior_version, agent_id, branch, visible_to }: LookGroup,
  { account_id, from, until, reported, limit }: MatchesBetween,
): Promise<LookSample[]> {
  const ofAgent = agent_id === null ? [] : [sql`agent_id = ${agent_id}`];
  const known = reported === undefined ? [] : [sql`seq <= ${reported}`];
  return query.all(
    sql`SELECT trace_seq, trace_id, agent_id, result, traced_at, seq FROM
          (SELECT trace_seq, trace_id, agent_id, result, traced_at, seq, branch, visible_to FROM behavior_looks
            WHERE account_id = ${account_id} AND behavior_id = ${behavior_id} AND behavior_version = ${behavior_version}
              AND trace_seq >= ${from} AND trace_seq <= ${until} AND result = 'match'${andAll(known)}
            ORDER BY trace_seq DESC LIMIT ${limit * LOOKED_AT * LOOKED_AT}) AS looked_at
        WHERE branch = ${branch} AND visible_to = ${visible_to}${andAll(ofAgent)}
        ORDER BY trace_seq DESC LIMIT ${limit}`,
  );
}

type LookSpans = {
  account_id: string;
  spans: readonly { name: string; from: number; before: number; limit: number }[];
};
type CountedLooks = { samples: number; failures: number };

/** Counts the newest samples of some spans, and those with the behavior among them. */
export async function countLooks(
  query: Query,
  group: LookGroup,
  { account_id, spans }: LookSpans,
): Promise<Map<string, CountedLooks>> {
  const found = await Promise.all(
    spans.map(({ from, before, limit }) => {
      const where = [sql`trace_seq >= ${from}`, sql`trace_seq < ${before}`];
      return query.get<CountedLooks>(
        sql`SELECT CAST(count(*) AS BIGINT) AS samples,
            CAST(coalesce(sum(CASE WHEN result = 'match' THEN 1 ELSE 0 END), 0) AS BIGINT) AS failures
            FROM (${samplesIn({ account_id, group, where, limit })}) AS samples`,
      );
    }),
  );
  return new Map(spans.map(({ name }, i) => [name, found[i] ?? { samples: 0, failures: 0 }]));
}
