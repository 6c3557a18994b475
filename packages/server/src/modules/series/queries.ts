import { andAll, type Insert, joinSql, type Query, type Sql, sql, type Transaction } from '../../db/index.ts';
import { agentsInLog, type CountedStretch, cursorSeq } from '../../kernel/index.ts';
import type { EventCount, SeriesUnit, TypeCount } from './rules.ts';

export const addEventCounts: Insert = {
  table: 'event_counts',
  columns: {
    account_id: 'text',
    branch: 'text',
    unit: 'text',
    agent_id: 'text',
    visible_to: 'text',
    at: 'int',
    event_type: 'text',
    held_by: 'text',
    n: 'int',
    by_others: 'int',
    failures: 'int',
  },
  suffix: `ON CONFLICT (account_id, branch, unit, agent_id, visible_to, at, event_type, held_by)
    DO UPDATE SET n = event_counts.n + excluded.n, by_others = event_counts.by_others + excluded.by_others,
      failures = event_counts.failures + excluded.failures`,
};

export type CountedRange = Pick<EventCount, 'branch' | 'agent_id'> & {
  account_id: string;
  viewer: string;
  unit: SeriesUnit;
  since: number;
  until: number;
  where: readonly Sql[];
  /** The consumer that counts. */
  consumer: string;
};

/**
 * The counts of a range, and up to which `seq` events are counted. In one statement: events that are counted in between
 * would be missing or count twice.
 */
export async function listEventCounts(
  query: Query,
  range: CountedRange,
): Promise<{ counts: TypeCount[]; counted_seq: number }> {
  const { account_id, branch, unit, agent_id, viewer, since, until, where, consumer } = range;
  const rows = await query.all<TypeCount>(
    sql`SELECT at, event_type, CAST(sum(n) AS BIGINT) AS n, CAST(sum(failures) AS BIGINT) AS failures FROM event_counts
        WHERE account_id = ${account_id} AND branch = ${branch} AND unit = ${unit} AND agent_id = ${agent_id}
          AND visible_to IN ('', ${viewer}) AND at >= ${since} AND at < ${until}${andAll(where)}
        GROUP BY at, event_type
        UNION ALL SELECT seq AS at, '' AS event_type, 0 AS n, 0 AS failures FROM (${cursorSeq({ account_id, consumer })}) AS counted`,
  );
  const end = rows.find(({ event_type }) => event_type === '');
  return { counts: rows.filter((row) => row !== end), counted_seq: end?.at ?? 0 };
}

type AgentRange = Pick<CountedRange, 'account_id' | 'branch' | 'unit' | 'since' | 'until'>;

/** The counts of single agents in a range, by time. */
const ofAgents = ({ account_id, branch, unit, since, until }: AgentRange): Sql =>
  sql`account_id = ${account_id} AND branch = ${branch} AND unit = ${unit} AND agent_id <> ''
      AND at >= ${since} AND at < ${until}`;

/** The last stretch of a range of which not all counts are among the newest; undefined where all are. */
export async function lastBehind(query: Query, range: AgentRange, newest: number): Promise<number | undefined> {
  const row = await query.get<{ at: number }>(
    sql`SELECT at FROM event_counts WHERE ${ofAgents(range)} ORDER BY at DESC LIMIT 1 OFFSET ${newest}`,
  );
  return row?.at;
}

/** What is counted, and the part of the log that is not yet. */
type AgentSources = {
  counted: Omit<CountedRange, 'consumer' | 'agent_id'> | undefined;
  log: CountedStretch | undefined;
};

/** How many agents were active in each stretch. An agent of both sources counts once. */
export async function countAgents(query: Query, account_id: string, { counted, log }: AgentSources) {
  const sources: Sql[] = [];
  if (counted)
    sources.push(
      sql`SELECT at, agent_id FROM event_counts
          WHERE ${ofAgents(counted)} AND n > by_others AND visible_to IN ('', ${counted.viewer})${andAll(counted.where)}`,
    );
  if (log) sources.push(agentsInLog(account_id, log));
  if (sources.length === 0) return [];
  return query.all<{ at: number; n: number }>(
    sql`SELECT at, count(DISTINCT agent_id) AS n FROM (${joinSql(sources, ' UNION ALL ')}) AS active GROUP BY at`,
  );
}

/** Maintenance over all accounts. */
export function deleteMinutesBefore(tx: Transaction, before: number): Promise<number> {
  return tx.run(sql`DELETE FROM event_counts WHERE account_id IS NOT NULL AND unit = 'minute' AND at < ${before}`);
}
