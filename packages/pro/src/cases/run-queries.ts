import { andAll, fragment, type Insert, type Query, type Sql, sql, type Transaction } from '@mem-service/server/module';

export type CaseRunRow = {
  account_id: string;
  seq: number;
  case_run_id: string;
  set_id: string;
  branch: string;
  label: string;
  /** JSON, see `RunCounts`. */
  counts: string;
  previous_case_run_id: string | null;
  agent_id: string;
  created_at: number;
};

export type CaseResultRow = {
  account_id: string;
  run_seq: number;
  case_id: string;
  case_version: number;
  result: string;
  score: number | null;
  reason: string;
  trace_id: string | null;
  trace_agent: string | null;
  /** Of the trace, as is who may see it. */
  branch: string;
  visible_to: string;
  before_result: string | null;
};

export const insertRuns: Insert = {
  table: 'case_runs',
  columns: {
    account_id: 'text',
    seq: 'int',
    case_run_id: 'text',
    set_id: 'text',
    branch: 'text',
    label: 'text',
    counts: 'text',
    previous_case_run_id: 'text',
    agent_id: 'text',
    created_at: 'int',
  },
};

export const insertResults: Insert = {
  table: 'case_results',
  columns: {
    account_id: 'text',
    run_seq: 'int',
    case_id: 'text',
    case_version: 'int',
    result: 'text',
    score: 'real',
    reason: 'text',
    trace_id: 'text',
    trace_agent: 'text',
    branch: 'text',
    visible_to: 'text',
    before_result: 'text',
  },
};

const RUN = fragment(Object.keys(insertRuns.columns).join(', '));
const RESULT = fragment(Object.keys(insertResults.columns).join(', '));

export function getRun(query: Query, accountId: string, runId: string): Promise<CaseRunRow | undefined> {
  return query.get(sql`SELECT ${RUN} FROM case_runs WHERE account_id = ${accountId} AND case_run_id = ${runId}`);
}

export type CaseRunPage = {
  account_id: string;
  set_id: string | undefined;
  before: number;
  limit: number;
  filters: readonly Sql[];
};

/** Newest first. */
export function listRuns(query: Query, page: CaseRunPage): Promise<CaseRunRow[]> {
  const { account_id, set_id, before, limit, filters } = page;
  const ofSet = set_id === undefined ? [] : [sql`set_id = ${set_id}`];
  return query.all(
    sql`SELECT ${RUN} FROM case_runs WHERE account_id = ${account_id} AND seq < ${before}${andAll([...ofSet, ...filters])}
        ORDER BY seq DESC LIMIT ${limit}`,
  );
}

/** The newest run of each of some sets. */
export function listNewestOf(
  query: Query,
  accountId: string,
  { sets, filters }: { sets: Sql; filters: readonly Sql[] },
): Promise<CaseRunRow[]> {
  return query.all(
    sql`SELECT ${RUN} FROM case_runs WHERE account_id = ${accountId} AND seq IN (SELECT max(seq) FROM case_runs
          WHERE account_id = ${accountId} AND set_id IN (SELECT value FROM ${sets})${andAll(filters)} GROUP BY set_id)`,
  );
}

/** The newest runs of a set on a branch, newest first. */
export function listRunsOn(
  query: Query,
  accountId: string,
  { set_id, branch, limit }: Pick<CaseRunRow, 'set_id' | 'branch'> & { limit: number },
): Promise<CaseRunRow[]> {
  return query.all(
    sql`SELECT ${RUN} FROM case_runs WHERE account_id = ${accountId} AND set_id = ${set_id} AND branch = ${branch}
        ORDER BY seq DESC LIMIT ${limit}`,
  );
}

/** The newest run of a set on a branch. */
export async function getNewestRun(
  query: Query,
  accountId: string,
  at: Pick<CaseRunRow, 'set_id' | 'branch'>,
): Promise<CaseRunRow | undefined> {
  return (await listRunsOn(query, accountId, { ...at, limit: 1 }))[0];
}

/** What came of the cases of a run, by id. */
export function listResults(query: Query, accountId: string, runSeq: number): Promise<CaseResultRow[]> {
  return query.all(
    sql`SELECT ${RESULT} FROM case_results WHERE account_id = ${accountId} AND run_seq = ${runSeq} ORDER BY case_id`,
  );
}

/** So many at most are deleted with a new run. */
const MOST_DELETED = 10;

/** What results take, as far as it counts. */
async function sumOf(query: Query, where: Sql): Promise<number> {
  const row = await query.get<{ n: number }>(
    sql`SELECT CAST(coalesce(sum(octet_length(reason)), 0) AS BIGINT) AS n FROM case_results WHERE ${where}`,
  );
  return Number(row?.n ?? 0);
}

type AgentOfCases = { account_id: string; agent_id: string };

/** What it said of its own runs, what its runs came to, and what only it may see. */
const ofAgent = ({ account_id, agent_id }: AgentOfCases): Sql =>
  sql`account_id = ${account_id} AND (trace_agent = ${agent_id} OR visible_to = ${agent_id}
    OR run_seq IN (SELECT seq FROM case_runs WHERE account_id = ${account_id} AND agent_id = ${agent_id}))`;

/** How much of an account's storage goes with an agent. */
export const sumOfAgent = (query: Query, agent: AgentOfCases): Promise<number> => sumOf(query, ofAgent(agent));

/** Who posts results gives their reasons: these go with the label of the run. */
export const eraseReasonsOf = (tx: Transaction, agent: AgentOfCases): Promise<number> =>
  tx.run(sql`UPDATE case_results SET reason = '' WHERE ${ofAgent(agent)}`);

/** Deletes the oldest runs of a set, and of the account, beyond those that are kept, with their results, which took so many bytes. */
export async function deleteOldRuns(
  tx: Transaction,
  accountId: string,
  { set_id, ofSet, ofAccount }: { set_id: string; ofSet: number; ofAccount: number },
): Promise<number> {
  const old = await tx.all<{ seq: number }>(
    sql`SELECT seq FROM (SELECT seq FROM case_runs WHERE account_id = ${accountId} AND set_id = ${set_id}
          ORDER BY seq DESC LIMIT ${MOST_DELETED} OFFSET ${ofSet}) AS of_set
        UNION SELECT seq FROM (SELECT seq FROM case_runs WHERE account_id = ${accountId}
          ORDER BY seq DESC LIMIT ${MOST_DELETED} OFFSET ${ofAccount}) AS of_account`,
  );
  let freed = 0;
  for (const { seq } of old) {
    const ofRun = sql`account_id = ${accountId} AND run_seq = ${seq}`;
    freed += await sumOf(tx, ofRun);
    await tx.run(sql`DELETE FROM case_results WHERE ${ofRun}`);
    await tx.run(sql`DELETE FROM case_runs WHERE account_id = ${accountId} AND seq = ${seq}`);
  }
  return freed;
}
