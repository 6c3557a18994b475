import {
  andAll,
  type FirstRows,
  fragment,
  type Insert,
  type Query,
  sql,
  type Transaction,
} from '@mem-service/server/module';

export type CaseRow = {
  account_id: string;
  case_id: string;
  set_id: string;
  version: number;
  name: string;
  description: string;
  task_input: string | null;
  /** JSON: the definition of a judge. */
  expected: string;
  trace_id: string | null;
  /** Whose words the task holds. */
  trace_agent: string | null;
  /** Who last changed it. */
  agent_id: string;
  created_at: number;
  updated_seq: number;
  updated_at: number;
};

export const upsertCases: Insert = {
  table: 'cases',
  columns: {
    account_id: 'text',
    case_id: 'text',
    set_id: 'text',
    version: 'int',
    name: 'text',
    description: 'text',
    task_input: 'text',
    expected: 'text',
    trace_id: 'text',
    trace_agent: 'text',
    agent_id: 'text',
    created_at: 'int',
    updated_seq: 'int',
    updated_at: 'int',
  },
  suffix: `ON CONFLICT (account_id, case_id) DO UPDATE SET set_id = excluded.set_id, version = excluded.version,
    name = excluded.name, description = excluded.description, task_input = excluded.task_input,
    expected = excluded.expected, agent_id = excluded.agent_id, updated_seq = excluded.updated_seq,
    updated_at = excluded.updated_at`,
};

const CASE = fragment(Object.keys(upsertCases.columns).join(', '));

export function getCase(query: Query, accountId: string, caseId: string): Promise<CaseRow | undefined> {
  return query.get(sql`SELECT ${CASE} FROM cases WHERE account_id = ${accountId} AND case_id = ${caseId}`);
}

export type CasePage = {
  account_id: string;
  set_id: string | undefined;
  /** Set and id of the last one of the page before. */
  after: readonly [string, string];
  limit: number;
  bytes: number;
};

/** By set and id. */
export function listCases(query: Query, page: CasePage): Promise<FirstRows<CaseRow>> {
  const { account_id, set_id, after, limit, bytes } = page;
  const ofSet = set_id === undefined ? [] : [sql`set_id = ${set_id}`];
  return query.first(
    sql`SELECT ${CASE} FROM cases WHERE account_id = ${account_id} AND (set_id, case_id) > (${after[0]}, ${after[1]})${andAll(ofSet)}
        ORDER BY set_id, case_id LIMIT ${limit}`,
    { columns: ['task_input', 'expected', 'description'], bytes },
  );
}

export type CaseToRun = Pick<CaseRow, 'case_id' | 'version' | 'expected'>;

/** The cases of a set, by id. */
export function listToRun(query: Query, accountId: string, setId: string): Promise<CaseToRun[]> {
  return query.all(
    sql`SELECT case_id, version, expected FROM cases WHERE account_id = ${accountId} AND set_id = ${setId} ORDER BY case_id`,
  );
}

export async function countInSet(query: Query, accountId: string, setId: string): Promise<number> {
  const found = await query.get<{ n: number }>(
    sql`SELECT CAST(count(*) AS BIGINT) AS n FROM cases WHERE account_id = ${accountId} AND set_id = ${setId}`,
  );
  return found?.n ?? 0;
}

export type CaseSetRow = { set_id: string; cases: number; updated_at: number };
export type CaseSetPage = { account_id: string; after: string; limit: number };

/** By id. A set has a bounded number of cases, and so does a page. */
export function listSets(query: Query, { account_id, after, limit }: CaseSetPage): Promise<CaseSetRow[]> {
  return query.all(
    sql`SELECT set_id, CAST(count(*) AS BIGINT) AS cases, max(updated_at) AS updated_at FROM cases
        WHERE account_id = ${account_id} AND set_id > ${after} GROUP BY set_id ORDER BY set_id LIMIT ${limit}`,
  );
}

/** How many cases a set has, and where in the log one of them was last changed. */
export type SetState = { cases: number; updated_seq: number };

export async function readSet(query: Query, accountId: string, setId: string): Promise<SetState> {
  const found = await query.get<SetState>(
    sql`SELECT CAST(count(*) AS BIGINT) AS cases, CAST(coalesce(max(updated_seq), 0) AS BIGINT) AS updated_seq FROM cases
        WHERE account_id = ${accountId} AND set_id = ${setId}`,
  );
  return found ?? { cases: 0, updated_seq: 0 };
}

/** Whether an account has at least this many. */
export async function hasCases(query: Query, accountId: string, count: number): Promise<boolean> {
  const found = await query.get(
    sql`SELECT case_id FROM cases WHERE account_id = ${accountId} ORDER BY case_id LIMIT 1 OFFSET ${count - 1}`,
  );
  return found !== undefined;
}

export function deleteCase(tx: Transaction, accountId: string, caseId: string): Promise<number> {
  return tx.run(sql`DELETE FROM cases WHERE account_id = ${accountId} AND case_id = ${caseId}`);
}
