import {
  andAll,
  type Dialect,
  fragment,
  type Insert,
  type Query,
  type Sql,
  sql,
  type Viewer,
  visibleTo,
} from '@mem-service/server/module';

export type FixRow = {
  account_id: string;
  fix_id: string;
  source_kind: string;
  /** The judge, the behavior or the incident; empty for an entry. */
  source_id: string;
  /** The trace, or the entry, by number; 0 for a behavior and an incident. */
  source_seq: number;
  /** Of the judge, the behavior or the entry. */
  source_version: number;
  /** Whose word on runs counts; null where it is that of a behavior or of their outcomes. */
  judge_id: string | null;
  /** Runs with it are those that fail. */
  behavior_id: string | null;
  /** Whose runs failed; empty for those of all. */
  of_agent: string;
  branch: string;
  status: string;
  policy: string;
  set_id: string;
  summary: string;
  description: string;
  /** A hash of what was asked for, to know it again. */
  asked: string;
  entry_count: number;
  /** Who proposed it. */
  agent_id: string;
  visible_to: string;
  decided_by: string | null;
  decision: string;
  decided_seq: number | null;
  decided_at: number | null;
  merge_id: string | null;
  case_run_id: string | null;
  seq: number;
  created_at: number;
};

export const putFixes: Insert = {
  table: 'fixes',
  columns: {
    account_id: 'text',
    fix_id: 'text',
    source_kind: 'text',
    source_id: 'text',
    source_seq: 'int',
    source_version: 'int',
    judge_id: 'text',
    behavior_id: 'text',
    of_agent: 'text',
    branch: 'text',
    status: 'text',
    policy: 'text',
    set_id: 'text',
    summary: 'text',
    description: 'text',
    asked: 'text',
    entry_count: 'int',
    agent_id: 'text',
    visible_to: 'text',
    decided_by: 'text',
    decision: 'text',
    decided_seq: 'int',
    decided_at: 'int',
    merge_id: 'text',
    case_run_id: 'text',
    seq: 'int',
    created_at: 'int',
  },
  suffix: `ON CONFLICT (account_id, fix_id) DO UPDATE SET status = excluded.status, decided_by = excluded.decided_by,
    decision = excluded.decision, decided_seq = excluded.decided_seq, decided_at = excluded.decided_at,
    merge_id = excluded.merge_id, case_run_id = excluded.case_run_id`,
};

/** Entries and versions by number: what is erased is not here either. */
export type FixedEntryRow = {
  account_id: string;
  fix_id: string;
  no: number;
  entry_id: number;
  version: number;
  action: string;
  restored_version: number | null;
  branch_entry_id: number;
  branch_version: number;
  reason: string;
  /** JSON, see `RunsOfVersion`; null where runs say nothing about it. */
  runs: string | null;
  /** JSON, see `LedgerOfVersion`. */
  ledger: string;
  visible_to: string;
};

export const insertFixedEntries: Insert = {
  table: 'fixed_entries',
  columns: {
    account_id: 'text',
    fix_id: 'text',
    no: 'int',
    entry_id: 'int',
    version: 'int',
    action: 'text',
    restored_version: 'int',
    branch_entry_id: 'int',
    branch_version: 'int',
    reason: 'text',
    runs: 'text',
    ledger: 'text',
    visible_to: 'text',
  },
};

const FIX = fragment(Object.keys(putFixes.columns).join(', '));
const FIXED = fragment(Object.keys(insertFixedEntries.columns).join(', '));

export function getFix(query: Query, viewer: Viewer, fixId: string): Promise<FixRow | undefined> {
  return query.get(
    sql`SELECT ${FIX} FROM fixes WHERE account_id = ${viewer.account_id} AND fix_id = ${fixId}
        AND ${visibleTo(viewer.agent_id)}`,
  );
}

/** As a branch has it, without a visibility check. */
export function getFixOfBranch(query: Query, accountId: string, branch: string): Promise<FixRow | undefined> {
  return query.get(sql`SELECT ${FIX} FROM fixes WHERE account_id = ${accountId} AND branch = ${branch}`);
}

export type FixPlace = Pick<FixRow, 'source_kind' | 'source_id' | 'source_seq'>;

/** Those from one source that nobody has decided about. */
export function listOpenFrom(query: Query, viewer: Viewer, place: FixPlace): Promise<FixRow[]> {
  const { source_kind, source_id, source_seq } = place;
  return query.all(
    sql`SELECT ${FIX} FROM fixes WHERE account_id = ${viewer.account_id} AND source_kind = ${source_kind}
        AND source_id = ${source_id} AND source_seq = ${source_seq} AND status = 'proposed' AND ${visibleTo(viewer.agent_id)}
        ORDER BY seq`,
  );
}

/** Whether an account has at least so many that nobody has decided about. */
export async function hasOpen(query: Query, accountId: string, count: number): Promise<boolean> {
  const found = await query.get(
    sql`SELECT fix_id FROM fixes WHERE account_id = ${accountId} AND status = 'proposed' ORDER BY seq
        LIMIT 1 OFFSET ${count - 1}`,
  );
  return found !== undefined;
}

export type FixPage = { status: string | undefined; filters: readonly Sql[]; before: number; limit: number };

/** Newest first. */
export function listFixes(query: Query, viewer: Viewer, page: FixPage): Promise<FixRow[]> {
  const { status, filters, before, limit } = page;
  const having = status === undefined ? [] : [sql`status = ${status}`];
  return query.all(
    sql`SELECT ${FIX} FROM fixes WHERE account_id = ${viewer.account_id} AND seq < ${before}
        AND ${visibleTo(viewer.agent_id)}${andAll([...having, ...filters])} ORDER BY seq DESC LIMIT ${limit}`,
  );
}

export function listEntriesOf(query: Query, accountId: string, fixId: string): Promise<FixedEntryRow[]> {
  return query.all(
    sql`SELECT ${FIXED} FROM fixed_entries WHERE account_id = ${accountId} AND fix_id = ${fixId} ORDER BY no`,
  );
}

export type FixedEntryName = Pick<FixedEntryRow, 'fix_id' | 'no' | 'entry_id' | 'visible_to'>;

/** Those of several fixes, in order. */
export function listEntryNames(query: Query, dialect: Dialect, fixes: readonly FixRow[]): Promise<FixedEntryName[]> {
  const [first] = fixes;
  if (!first) return Promise.resolve([]);
  const ids = fixes.map(({ fix_id }) => fix_id);
  return query.all(
    sql`SELECT fix_id, no, entry_id, visible_to FROM fixed_entries WHERE account_id = ${first.account_id}
        AND fix_id IN (SELECT value FROM ${dialect.texts(ids)}) ORDER BY fix_id, no`,
  );
}

/** A condition on a part of a trace: it is the read of one of some versions, which are named as in `versionName`. */
export function readOneOf(dialect: Dialect, names: readonly string[]): Sql {
  const version = fragment(dialect.jsonMember('data', ['version'], 'text'));
  return sql`CAST(entry_id AS TEXT) || '@' || ${version} IN (SELECT value FROM ${dialect.texts(names)})`;
}
