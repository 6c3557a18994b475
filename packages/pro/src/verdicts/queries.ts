import {
  andAll,
  type Find,
  type FirstRows,
  fragment,
  type Insert,
  type Query,
  type Sql,
  sql,
  type Transaction,
  type Viewer,
  visibleTo,
} from '@mem-service/server/module';

export type VerdictRow = {
  account_id: string;
  trace_seq: number;
  judge_id: string;
  judge_version: number;
  trace_id: string;
  /** Of the trace, as are the next two. */
  agent_id: string;
  branch: string;
  visible_to: string;
  /** That of a person where there is one. */
  result: string;
  judge_result: string;
  score: number | null;
  reason: string;
  /** JSON: ids of spans, and numbers of entries with versions. */
  evidence: string;
  is_partial: number;
  cost_usd: number | null;
  /** JSON: what asking a model took; null where none was to be asked. */
  model_call: string | null;
  traced_at: number;
  /** The `seq` of the event that reported it. */
  seq: number;
  created_at: number;
};

export const insertVerdicts: Insert = {
  table: 'verdicts',
  columns: {
    account_id: 'text',
    trace_seq: 'int',
    judge_id: 'text',
    judge_version: 'int',
    trace_id: 'text',
    agent_id: 'text',
    branch: 'text',
    visible_to: 'text',
    result: 'text',
    judge_result: 'text',
    score: 'real',
    reason: 'text',
    evidence: 'text',
    is_partial: 'int',
    cost_usd: 'real',
    model_call: 'text',
    traced_at: 'int',
    seq: 'int',
    created_at: 'int',
  },
};

/** What of a verdict counts as storage of the account: the names and texts in it. */
export const STORED_TEXTS = ['trace_id', 'agent_id', 'judge_id', 'reason', 'evidence', 'model_call'] as const;

export const textsOfVerdict = (row: Pick<VerdictRow, (typeof STORED_TEXTS)[number]>): (string | null)[] =>
  STORED_TEXTS.map((name) => row[name]);

const bytesOf = (columns: readonly string[]): Sql =>
  fragment(columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + '));

const COLUMNS = Object.keys(insertVerdicts.columns).join(', ');
const VERDICT = fragment(COLUMNS);

/** A verdict: a version of a judge looks at a trace once. */
export type VerdictKey = Pick<VerdictRow, 'trace_seq' | 'judge_id' | 'judge_version'>;

const verdictsByKey: Find = {
  table: 'verdicts',
  select: COLUMNS,
  by: { account_id: 'text', trace_seq: 'int', judge_id: 'text', judge_version: 'int' },
};

/** One result per key, in order. */
export function findVerdicts(
  query: Query,
  accountId: string,
  keys: readonly VerdictKey[],
): Promise<(VerdictRow | undefined)[]> {
  const by = keys.map(({ trace_seq, judge_id, judge_version }) => [accountId, trace_seq, judge_id, judge_version]);
  return query.findMany<VerdictRow>(verdictsByKey, by);
}

/** Many traces and judges at once: a statement for each key would take five times as long. */
export type JudgedPairs = { account_id: string; traces: Sql; judges: Sql };

export type EarlierVerdict = VerdictKey & Pick<VerdictRow, 'judge_result' | 'model_call'>;

/** What these versions of these judges, in any combination, have said about these traces. */
export function listKnown(
  query: Query,
  { account_id, traces, judges, versions }: JudgedPairs & { versions: Sql },
): Promise<EarlierVerdict[]> {
  return query.all(
    sql`SELECT trace_seq, judge_id, judge_version, judge_result, model_call FROM verdicts WHERE account_id = ${account_id}
          AND trace_seq IN (SELECT CAST(value AS BIGINT) FROM ${traces}) AND judge_id IN (SELECT value FROM ${judges})
          AND judge_version IN (SELECT CAST(value AS BIGINT) FROM ${versions})`,
  );
}

export type VerdictPage = {
  /** Conditions that an index serves. */
  where: readonly Sql[];
  filters: readonly Sql[];
  /** With filters, at most so many are looked at. */
  scan: number;
  limit: number;
  bytes: number;
};

const NEWEST_FIRST = fragment('ORDER BY trace_seq DESC, judge_id DESC, judge_version DESC');
const LONG = ['reason', 'evidence'];

const inOrder = (viewer: Viewer, where: readonly Sql[]): Sql =>
  sql`SELECT ${VERDICT} FROM verdicts WHERE account_id = ${viewer.account_id}
      AND ${visibleTo(viewer.agent_id)}${andAll(where)} ${NEWEST_FIRST}`;

export function listVerdicts(query: Query, viewer: Viewer, page: VerdictPage): Promise<FirstRows<VerdictRow>> {
  const { where, filters, scan, limit, bytes } = page;
  const all = inOrder(viewer, where);
  if (filters.length === 0) return query.first(sql`${all} LIMIT ${limit}`, { columns: LONG, bytes });
  return query.first(
    sql`SELECT * FROM (${all} LIMIT ${scan}) AS looked_at WHERE true${andAll(filters)} ${NEWEST_FIRST} LIMIT ${limit}`,
    { columns: LONG, bytes },
  );
}

/** What a version of a judge found in a trace, in a word. */
export type ResultOfTrace = Pick<VerdictRow, 'trace_seq' | 'judge_version' | 'result'>;
export type ResultsOfJudge = { account_id: string; judge_id: string; from: number; before: number; limit: number };

/** What a judge found, of the newest traces and in its newest version first; without a visibility check. */
export function listResults(
  query: Query,
  { account_id, judge_id, from, before, limit }: ResultsOfJudge,
): Promise<ResultOfTrace[]> {
  return query.all<ResultOfTrace>(
    sql`SELECT trace_seq, judge_version, result FROM verdicts WHERE account_id = ${account_id} AND judge_id = ${judge_id}
          AND trace_seq >= ${from} AND trace_seq < ${before}
        ORDER BY trace_seq DESC, judge_version DESC LIMIT ${limit}`,
  );
}

/** The last verdict of a scan, when more may follow it. */
export function endOfScan(query: Query, viewer: Viewer, page: VerdictPage): Promise<VerdictKey | undefined> {
  return query.get(sql`${inOrder(viewer, page.where)} LIMIT 1 OFFSET ${page.scan - 1}`);
}

export type HumanVerdictRow = {
  account_id: string;
  trace_seq: number;
  judge_id: string;
  result: string;
  reason: string;
  /** Who gave it. */
  agent_id: string;
  /** Of the trace, as is the next one. */
  trace_agent: string;
  visible_to: string;
  seq: number;
  created_at: number;
};

export const putHumanVerdicts: Insert = {
  table: 'human_verdicts',
  columns: {
    account_id: 'text',
    trace_seq: 'int',
    judge_id: 'text',
    result: 'text',
    reason: 'text',
    agent_id: 'text',
    trace_agent: 'text',
    visible_to: 'text',
    seq: 'int',
    created_at: 'int',
  },
  suffix: `ON CONFLICT (account_id, trace_seq, judge_id) DO UPDATE SET result = excluded.result, reason = excluded.reason,
    agent_id = excluded.agent_id, seq = excluded.seq, created_at = excluded.created_at`,
};

const humanByKey: Find = {
  table: 'human_verdicts',
  select: Object.keys(putHumanVerdicts.columns).join(', '),
  by: { account_id: 'text', trace_seq: 'int', judge_id: 'text' },
};

/** One result per key, in order. */
export function findHumanVerdicts(
  query: Query,
  accountId: string,
  keys: readonly Pick<VerdictKey, 'trace_seq' | 'judge_id'>[],
): Promise<(HumanVerdictRow | undefined)[]> {
  return query.findMany<HumanVerdictRow>(
    humanByKey,
    keys.map(({ trace_seq, judge_id }) => [accountId, trace_seq, judge_id]),
  );
}

/** What people say about these traces in place of these judges. */
export function listHuman(
  query: Query,
  { account_id, traces, judges }: JudgedPairs,
): Promise<Pick<HumanVerdictRow, 'trace_seq' | 'judge_id' | 'result'>[]> {
  return query.all(
    sql`SELECT trace_seq, judge_id, result FROM human_verdicts WHERE account_id = ${account_id}
          AND trace_seq IN (SELECT CAST(value AS BIGINT) FROM ${traces}) AND judge_id IN (SELECT value FROM ${judges})`,
  );
}

type OverruledKey = { account_id: string; trace_seq: number; judge_id: string };

export function deleteHumanVerdict(
  tx: Transaction,
  { account_id, trace_seq, judge_id }: OverruledKey,
): Promise<number> {
  return tx.run(
    sql`DELETE FROM human_verdicts WHERE account_id = ${account_id} AND trace_seq = ${trace_seq} AND judge_id = ${judge_id}`,
  );
}

/** Gives the verdicts of all versions the result of a person, or their own again. Returns how many have another now. */
export function setResults(tx: Transaction, key: OverruledKey, result: string | null): Promise<number> {
  const { account_id, trace_seq, judge_id } = key;
  const given = result === null ? sql`judge_result` : sql`${result}`;
  return tx.run(
    sql`UPDATE verdicts SET result = ${given} WHERE account_id = ${account_id} AND trace_seq = ${trace_seq}
        AND judge_id = ${judge_id} AND result <> ${given}`,
  );
}

export function deleteVerdicts(tx: Transaction, accountId: string, keys: readonly VerdictKey[]): Promise<unknown> {
  return Promise.all(
    keys.map(({ trace_seq, judge_id, judge_version }) =>
      tx.run(
        sql`DELETE FROM verdicts WHERE account_id = ${accountId} AND trace_seq = ${trace_seq} AND judge_id = ${judge_id}
            AND judge_version = ${judge_version}`,
      ),
    ),
  );
}

type Aged = { account_id: string; listed: Sql };

const among = ({ account_id, listed }: Aged): Sql =>
  sql`account_id = ${account_id} AND trace_seq IN (SELECT CAST(value AS BIGINT) FROM ${listed})`;

async function sumOf(query: Query, columns: readonly string[], where: Sql): Promise<number> {
  const row = await query.get<{ n: number }>(
    sql`SELECT CAST(coalesce(sum(${bytesOf(columns)}), 0) AS BIGINT) AS n FROM verdicts WHERE ${where}`,
  );
  return Number(row?.n ?? 0);
}

/** What the verdicts of traces take, as far as it counts. */
export const sumOfTraces = (query: Query, aged: Aged): Promise<number> => sumOf(query, STORED_TEXTS, among(aged));

export const sumModelReasons = (query: Query, aged: Aged): Promise<number> =>
  sumOf(query, ['reason'], sql`${among(aged)} AND model_call IS NOT NULL`);

export const sumOfAgent = (
  query: Query,
  { account_id, agent_id }: { account_id: string; agent_id: string },
): Promise<number> => sumOf(query, STORED_TEXTS, sql`account_id = ${account_id} AND agent_id = ${agent_id}`);

/** A model may have repeated what a trace said. */
export function eraseModelReasons(tx: Transaction, aged: Aged): Promise<number> {
  return tx.run(sql`UPDATE verdicts SET reason = '' WHERE ${among(aged)} AND model_call IS NOT NULL`);
}

export async function deleteOfTraces(tx: Transaction, aged: Aged): Promise<void> {
  await tx.run(sql`DELETE FROM verdicts WHERE ${among(aged)}`);
  await tx.run(sql`DELETE FROM human_verdicts WHERE ${among(aged)}`);
  await tx.run(sql`DELETE FROM counted_verdicts WHERE ${among(aged)}`);
}
