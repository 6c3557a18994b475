import {
  andAll,
  type Dialect,
  type Find,
  fragment,
  type Insert,
  type Query,
  type Sql,
  sql,
  type Transaction,
  type Viewer,
  visibleTo,
} from '@mem-service/server/module';

/** A trace in which a version of a behavior was looked for, once. */
export type LookRow = {
  account_id: string;
  behavior_id: string;
  behavior_version: number;
  trace_seq: number;
  trace_id: string;
  /** Of the trace, as are the next two. */
  agent_id: string;
  branch: string;
  visible_to: string;
  /** `match`, `none`; `unknown` where the trace does not say, or the matcher could not be applied. */
  result: string;
  traced_at: number;
  /** The `seq` of the event that reported it. */
  seq: number;
  created_at: number;
};

export const insertLooks: Insert = {
  table: 'behavior_looks',
  columns: {
    account_id: 'text',
    behavior_id: 'text',
    behavior_version: 'int',
    trace_seq: 'int',
    trace_id: 'text',
    agent_id: 'text',
    branch: 'text',
    visible_to: 'text',
    result: 'text',
    traced_at: 'int',
    seq: 'int',
    created_at: 'int',
  },
};

const COLUMNS = Object.keys(insertLooks.columns).join(', ');
const LOOK = fragment(COLUMNS);

export type LookKey = Pick<LookRow, 'behavior_id' | 'behavior_version' | 'trace_seq'>;

const looksByKey: Find = {
  table: 'behavior_looks',
  select: COLUMNS,
  by: { account_id: 'text', behavior_id: 'text', behavior_version: 'int', trace_seq: 'int' },
};

/** One result per key, in order. */
export function findLooks(query: Query, accountId: string, keys: readonly LookKey[]): Promise<(LookRow | undefined)[]> {
  const by = keys.map(({ behavior_id, behavior_version, trace_seq }) => [
    ...[accountId, behavior_id, behavior_version, trace_seq],
  ]);
  return query.findMany<LookRow>(looksByKey, by);
}

/** A version of a behavior, and traces from one place in the log up to before another. */
export type LookRange = {
  account_id: string;
  behavior_id: string;
  behavior_version: number;
  from: number;
  before: number;
  limit: number;
};

/** Of the newest traces first; without a visibility check. */
export function listLooks(
  query: Query,
  { account_id, behavior_id, behavior_version, from, before, limit }: LookRange,
  isMatched: boolean,
): Promise<LookRow[]> {
  const only = isMatched ? [sql`result = 'match'`] : [];
  return query.all(
    sql`SELECT ${LOOK} FROM behavior_looks WHERE account_id = ${account_id} AND behavior_id = ${behavior_id}
          AND behavior_version = ${behavior_version} AND trace_seq >= ${from} AND trace_seq < ${before}${andAll(only)}
        ORDER BY trace_seq DESC LIMIT ${limit}`,
  );
}

export type MatchPage = Pick<LookKey, 'behavior_id' | 'behavior_version'> & {
  where: readonly Sql[];
  /** With filters, at most so many are looked at. */
  filters: readonly Sql[];
  scan: number;
  limit: number;
};

const matchesOf = (viewer: Viewer, { behavior_id, behavior_version, where }: MatchPage): Sql =>
  sql`SELECT ${LOOK} FROM behavior_looks WHERE account_id = ${viewer.account_id} AND behavior_id = ${behavior_id}
      AND behavior_version = ${behavior_version} AND result = 'match'${andAll(where)} ORDER BY trace_seq DESC`;

/** Traces with a behavior that a reader may see, newest first. */
export function listMatches(query: Query, viewer: Viewer, page: MatchPage): Promise<LookRow[]> {
  return query.all(
    sql`SELECT * FROM (${matchesOf(viewer, page)} LIMIT ${page.scan}) AS looked_at
        WHERE ${visibleTo(viewer.agent_id)}${andAll(page.filters)} ORDER BY trace_seq DESC LIMIT ${page.limit}`,
  );
}

/** The last of a scan, when more may follow it. */
export function endOfMatches(
  query: Query,
  viewer: Viewer,
  page: MatchPage,
): Promise<Pick<LookRow, 'trace_seq'> | undefined> {
  return query.get(sql`${matchesOf(viewer, page)} LIMIT 1 OFFSET ${page.scan - 1}`);
}

/** Behaviors that were found in some traces. */
export function listMatchesIn(
  query: Query,
  dialect: Dialect,
  { account_id, seqs }: { account_id: string; seqs: readonly number[] },
): Promise<LookRow[]> {
  return query.all(
    sql`SELECT ${LOOK} FROM behavior_looks WHERE account_id = ${account_id}
          AND trace_seq IN (SELECT CAST(value AS BIGINT) FROM ${dialect.numbers(seqs)}) AND result = 'match'
        ORDER BY trace_seq, behavior_id, behavior_version`,
  );
}

export async function deleteOfTraces(tx: Transaction, accountId: string, listed: Sql): Promise<void> {
  await tx.run(
    sql`DELETE FROM behavior_looks WHERE account_id = ${accountId}
        AND trace_seq IN (SELECT CAST(value AS BIGINT) FROM ${listed})`,
  );
}
