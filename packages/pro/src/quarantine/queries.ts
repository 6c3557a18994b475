import {
  type FirstRows,
  fragment,
  type Insert,
  joinSql,
  type Query,
  type Sql,
  sql,
  type Transaction,
  type Update,
} from '@mem-service/server/module';

export type QuarantineRow = {
  account_id: string;
  quarantine_id: string;
  reason: string;
  entry_count: number;
  hidden_count: number;
  decision_count: number;
  is_complete: number;
  agent_id: string;
  created_seq: number;
  created_at: number;
  undone_seq: number | null;
  undone_by: string | null;
  undone_at: number | null;
};

export const insertQuarantines = {
  table: 'quarantines',
  columns: {
    account_id: 'text',
    quarantine_id: 'text',
    reason: 'text',
    entry_count: 'int',
    hidden_count: 'int',
    decision_count: 'int',
    is_complete: 'int',
    agent_id: 'text',
    created_seq: 'int',
    created_at: 'int',
    undone_seq: 'int',
    undone_by: 'text',
    undone_at: 'int',
  },
} as const satisfies Insert;

export type QuarantinedEntryRow = {
  account_id: string;
  quarantine_id: string;
  no: number;
  entry_id: number;
  version: number;
  depth: number;
  seq: number;
  released_seq: number | null;
};

export const insertQuarantinedEntries = {
  table: 'quarantined_entries',
  columns: {
    account_id: 'text',
    quarantine_id: 'text',
    no: 'int',
    entry_id: 'int',
    version: 'int',
    depth: 'int',
    seq: 'int',
    released_seq: 'int',
  },
} as const satisfies Insert;

/** When entries of a branch itself were last put under quarantine or released. */
export const putQuarantinedBranches = {
  table: 'quarantined_branches',
  columns: { account_id: 'text', branch: 'text', seq: 'int' },
  suffix: 'ON CONFLICT (account_id, branch) DO UPDATE SET seq = excluded.seq',
} as const satisfies Insert;

/** The `seq` of the last quarantine or release on some branches; 0 where there was none. */
export async function newestQuarantineOn(
  query: Query,
  accountId: string,
  branches: readonly string[],
): Promise<number> {
  if (branches.length === 0) return 0;
  const names = joinSql(
    branches.map((branch) => sql`${branch}`),
    ', ',
  );
  const found = await query.get<{ seq: number | null }>(
    sql`SELECT max(seq) AS seq FROM quarantined_branches WHERE account_id = ${accountId} AND branch IN (${names})`,
  );
  return found?.seq ?? 0;
}

export const setUndone: Update = {
  table: 'quarantines',
  set: { undone_seq: 'int', undone_by: 'text', undone_at: 'int' },
  by: { account_id: 'text', quarantine_id: 'text' },
};

export const setReleased: Update = {
  table: 'quarantined_entries',
  set: { released_seq: 'int' },
  by: { account_id: 'text', quarantine_id: 'text', no: 'int' },
};

const QUARANTINE = fragment(Object.keys(insertQuarantines.columns).join(', '));
const ENTRY = fragment(Object.keys(insertQuarantinedEntries.columns).join(', '));

export function getQuarantine(query: Query, accountId: string, id: string): Promise<QuarantineRow | undefined> {
  return query.get<QuarantineRow>(
    sql`SELECT ${QUARANTINE} FROM quarantines WHERE account_id = ${accountId} AND quarantine_id = ${id}`,
  );
}

export type QuarantinePage = {
  account_id: string;
  before: number;
  status: 'active' | 'undone' | undefined;
  limit: number;
  bytes: number;
};

export function listQuarantines(query: Query, page: QuarantinePage): Promise<FirstRows<QuarantineRow>> {
  const undone = { active: fragment(' AND undone_seq IS NULL'), undone: fragment(' AND undone_seq IS NOT NULL') };
  const ofStatus: Sql = page.status === undefined ? fragment('') : undone[page.status];
  return query.first<QuarantineRow>(
    sql`SELECT ${QUARANTINE} FROM quarantines WHERE account_id = ${page.account_id} AND created_seq < ${page.before}${ofStatus}
        ORDER BY created_seq DESC LIMIT ${page.limit}`,
    { columns: ['reason'], bytes: page.bytes },
  );
}

/** Returns the number of quarantines, and the oldest of those that were undone. */
export async function countQuarantines(query: Query, accountId: string): Promise<{ n: number; oldest: string | null }> {
  const row = await query.get<{ n: number; oldest: string | null }>(
    sql`SELECT count(*) AS n, (SELECT quarantine_id FROM quarantines WHERE account_id = ${accountId}
          AND undone_seq IS NOT NULL ORDER BY created_seq LIMIT 1) AS oldest
        FROM quarantines WHERE account_id = ${accountId}`,
  );
  return row ?? { n: 0, oldest: null };
}

export async function deleteQuarantine(tx: Transaction, accountId: string, id: string): Promise<void> {
  const of = sql`account_id = ${accountId} AND quarantine_id = ${id}`;
  await tx.run(sql`DELETE FROM quarantined_entries WHERE ${of}`);
  await tx.run(sql`DELETE FROM quarantines WHERE ${of}`);
}

type EntriesPart = { account_id: string; quarantine_id: string; after: number; limit: number };

export function listQuarantinedEntries(query: Query, part: EntriesPart): Promise<QuarantinedEntryRow[]> {
  const { account_id, quarantine_id, after, limit } = part;
  return query.all<QuarantinedEntryRow>(
    sql`SELECT ${ENTRY} FROM quarantined_entries WHERE account_id = ${account_id} AND quarantine_id = ${quarantine_id}
          AND no > ${after} ORDER BY no LIMIT ${limit}`,
  );
}

const about = (accountId: string, ids: Sql): Sql =>
  sql`FROM quarantined_entries WHERE account_id = ${accountId} AND entry_id IN (SELECT CAST(value AS BIGINT) FROM ${ids})`;

/** The events about entries, as a one-column query. */
export const eventsAbout = (accountId: string, ids: Sql): Sql =>
  sql`SELECT seq ${about(accountId, ids)} UNION ALL SELECT released_seq ${about(accountId, ids)} AND released_seq IS NOT NULL`;

export const deleteAbout = (tx: Transaction, accountId: string, ids: Sql): Promise<number> =>
  tx.run(sql`DELETE ${about(accountId, ids)}`);
