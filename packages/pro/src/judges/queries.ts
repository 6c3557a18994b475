import { andAll, type FirstRows, fragment, type Insert, type Query, type Sql, sql } from '@mem-service/server/module';

/** The newest state of a judge. */
export type JudgeRow = {
  account_id: string;
  judge_id: string;
  version: number;
  name: string;
  description: string;
  status: string;
  sampling_rate: number;
  /** Null where its verdicts are no evidence. */
  evidence_weight: number | null;
  /** Who last changed it. */
  agent_id: string;
  updated_seq: number;
  updated_at: number;
};

/** What a version looks for. It never changes. */
export type JudgeVersionRow = {
  account_id: string;
  judge_id: string;
  version: number;
  /** JSON. */
  definition: string;
  for_agent: string | null;
  for_path: string | null;
  agent_id: string;
  seq: number;
  created_at: number;
};

export const upsertJudges: Insert = {
  table: 'judges',
  columns: {
    account_id: 'text',
    judge_id: 'text',
    version: 'int',
    name: 'text',
    description: 'text',
    status: 'text',
    sampling_rate: 'real',
    evidence_weight: 'real',
    agent_id: 'text',
    updated_seq: 'int',
    updated_at: 'int',
  },
  suffix: `ON CONFLICT (account_id, judge_id) DO UPDATE SET version = excluded.version, name = excluded.name,
    description = excluded.description, status = excluded.status, sampling_rate = excluded.sampling_rate,
    evidence_weight = excluded.evidence_weight, agent_id = excluded.agent_id, updated_seq = excluded.updated_seq, updated_at = excluded.updated_at`,
};

export const insertVersions: Insert = {
  table: 'judge_versions',
  columns: {
    account_id: 'text',
    judge_id: 'text',
    version: 'int',
    definition: 'text',
    for_agent: 'text',
    for_path: 'text',
    agent_id: 'text',
    seq: 'int',
    created_at: 'int',
  },
};

const JUDGE = fragment(
  Object.keys(upsertJudges.columns)
    .map((name) => `judges.${name}`)
    .join(', '),
);
const VERSION = fragment(Object.keys(insertVersions.columns).join(', '));

/** A judge with one of its versions. */
export type WholeJudge = JudgeRow &
  Pick<JudgeVersionRow, 'definition' | 'for_agent' | 'for_path' | 'created_at'> & {
    defined_by: string;
  };

const WHOLE = sql`${JUDGE}, judge_versions.definition, judge_versions.for_agent, judge_versions.for_path,
  judge_versions.created_at, judge_versions.agent_id AS defined_by`;
/** The judges of an account with their newest versions. */
const ofAccount = (accountId: string): Sql =>
  sql`judges JOIN judge_versions ON judge_versions.judge_id = judges.judge_id AND judge_versions.version = judges.version
      WHERE judges.account_id = ${accountId} AND judge_versions.account_id = ${accountId}`;

export function getJudge(query: Query, accountId: string, judgeId: string): Promise<WholeJudge | undefined> {
  return query.get(sql`SELECT ${WHOLE} FROM ${ofAccount(accountId)} AND judges.judge_id = ${judgeId}`);
}

export function getVersion(
  query: Query,
  accountId: string,
  { judge_id, version }: { judge_id: string; version: number },
): Promise<JudgeVersionRow | undefined> {
  return query.get(
    sql`SELECT ${VERSION} FROM judge_versions WHERE account_id = ${accountId} AND judge_id = ${judge_id}
        AND version = ${version}`,
  );
}

/** Active ones: new traces are judged by them. */
export function listActive(query: Query, accountId: string): Promise<WholeJudge[]> {
  return query.all(
    sql`SELECT ${WHOLE} FROM ${ofAccount(accountId)} AND judges.status = 'active'
        ORDER BY judges.judge_id`,
  );
}

/** The weights of the active judges whose verdicts are evidence. */
export async function listWeights(query: Query, accountId: string): Promise<ReadonlyMap<string, number>> {
  const rows = await query.all<{ judge_id: string; evidence_weight: number }>(
    sql`SELECT judge_id, evidence_weight FROM judges WHERE account_id = ${accountId} AND status = 'active'
          AND evidence_weight IS NOT NULL ORDER BY judge_id`,
  );
  return new Map(rows.map(({ judge_id, evidence_weight }) => [judge_id, evidence_weight]));
}

export type JudgePage = {
  account_id: string;
  for_agent: string | undefined;
  status: string | undefined;
  after: string;
  limit: number;
  bytes: number;
};

export function listJudges(query: Query, page: JudgePage): Promise<FirstRows<WholeJudge>> {
  const { account_id, for_agent, status, after, limit, bytes } = page;
  const filters = [
    status === undefined ? sql`judges.status <> 'archived'` : sql`judges.status = ${status}`,
    ...(for_agent === undefined
      ? []
      : [sql`(judge_versions.for_agent IS NULL OR judge_versions.for_agent = ${for_agent})`]),
  ];
  return query.first(
    sql`SELECT ${WHOLE} FROM ${ofAccount(account_id)} AND judges.judge_id > ${after}${andAll(filters)}
        ORDER BY judges.judge_id LIMIT ${limit}`,
    { columns: ['definition', 'description'], bytes },
  );
}

export type VersionPage = { account_id: string; judge_id: string; before: number; limit: number; bytes: number };

export function listVersions(query: Query, page: VersionPage): Promise<FirstRows<JudgeVersionRow>> {
  const { account_id, judge_id, before, limit, bytes } = page;
  return query.first(
    sql`SELECT ${VERSION} FROM judge_versions WHERE account_id = ${account_id} AND judge_id = ${judge_id}
        AND version < ${before} ORDER BY version DESC LIMIT ${limit}`,
    { columns: ['definition'], bytes },
  );
}

/** Whether an account has at least this many that are not archived. */
export async function hasJudges(query: Query, accountId: string, count: number): Promise<boolean> {
  const found = await query.get(
    sql`SELECT judge_id FROM judges WHERE account_id = ${accountId} AND status <> 'archived'
        ORDER BY judge_id LIMIT 1 OFFSET ${count - 1}`,
  );
  return found !== undefined;
}

/** Those of the ids that judges of the account have, in their order. */
export async function findJudgeIds(
  query: Query,
  { account_id, listed }: { account_id: string; listed: Sql },
): Promise<string[]> {
  const found = await query.all<{ judge_id: string }>(
    sql`SELECT judge_id FROM judges WHERE account_id = ${account_id} AND judge_id IN (SELECT value FROM ${listed})
        ORDER BY judge_id`,
  );
  return found.map(({ judge_id }) => judge_id);
}
