import {
  andAll,
  type FirstRows,
  fragment,
  type Insert,
  type Query,
  type Sql,
  sql,
  type Transaction,
} from '@mem-service/server/module';
import type { BranchState } from './rules/ancestry.ts';
import type { Detection } from './rules/states.ts';
import type { MergeStrategy } from './rules/strategy.ts';

export type MergeKind = 'merge' | 'refresh' | 'cherry_pick';

export type MergeRow = {
  account_id: string;
  merge_id: string;
  kind: MergeKind;
  status: 'merged' | 'conflicts';
  source: string;
  source_seq: number;
  target: string;
  target_seq: number;
  base_branch: string | null;
  base_seq: number | null;
  strategy: MergeStrategy;
  detection: Detection;
  message: string;
  agent_id: string;
  /** Empty for everyone, or the agent that alone may read the message. */
  visible_to: string;
  added: number;
  modified: number;
  deleted: number;
  judged: number;
  hidden: number;
  conflicts: number;
  commit_id: string | null;
  /** The place in the log of the target after the merge. */
  head_seq: number | null;
  /** When conflicts of it were resolved last. */
  resolved_seq: number | null;
  created_seq: number;
  created_at: number;
};

export const insertMerge: Insert = {
  table: 'merges',
  columns: {
    account_id: 'text',
    merge_id: 'text',
    kind: 'text',
    status: 'text',
    source: 'text',
    source_seq: 'int',
    target: 'text',
    target_seq: 'int',
    base_branch: 'text',
    base_seq: 'int',
    strategy: 'text',
    detection: 'text',
    message: 'text',
    agent_id: 'text',
    visible_to: 'text',
    added: 'int',
    modified: 'int',
    deleted: 'int',
    judged: 'int',
    hidden: 'int',
    conflicts: 'int',
    commit_id: 'text',
    head_seq: 'int',
    resolved_seq: 'int',
    created_seq: 'int',
    created_at: 'int',
  },
};

const MERGE = fragment(Object.keys(insertMerge.columns).join(', '));

export function getMerge(query: Query, accountId: string, mergeId: string): Promise<MergeRow | undefined> {
  return query.get(sql`SELECT ${MERGE} FROM merges WHERE account_id = ${accountId} AND merge_id = ${mergeId}`);
}

export function setResolved(
  tx: Transaction,
  { account_id, merge_id }: Pick<MergeRow, 'account_id' | 'merge_id'>,
  seq: number,
): Promise<number> {
  return tx.run(
    sql`UPDATE merges SET resolved_seq = ${seq} WHERE account_id = ${account_id} AND merge_id = ${merge_id}`,
  );
}

export function deleteMerge(tx: Transaction, accountId: string, mergeId: string): Promise<number> {
  return tx.run(sql`DELETE FROM merges WHERE account_id = ${accountId} AND merge_id = ${mergeId}`);
}

/** The latest state of each branch that was merged into a branch up to a place in its log. */
export function listMergedInto(query: Query, accountId: string, { branch, seq }: BranchState): Promise<BranchState[]> {
  return query.all(
    sql`SELECT source AS branch, max(source_seq) AS seq FROM merges
        WHERE account_id = ${accountId} AND target = ${branch} AND head_seq <= ${seq} AND kind <> 'cherry_pick'
        GROUP BY source`,
  );
}

/** Up to where a branch was last merged into another; undefined where it never was. */
export async function lastMergedSeq(
  query: Query,
  accountId: string,
  { source, target }: Pick<MergeRow, 'source' | 'target'>,
): Promise<number | undefined> {
  const found = await query.get<{ source_seq: number }>(
    sql`SELECT source_seq FROM merges WHERE account_id = ${accountId} AND target = ${target} AND source = ${source}
          AND kind = 'merge' AND status = 'merged' ORDER BY source_seq DESC LIMIT 1`,
  );
  return found?.source_seq;
}

export type MergesAfter = Pick<MergeRow, 'kind' | 'source' | 'target'> & { after: number; limit: number };

/** The places in the log of the newest merges from one branch into another that ended after a place. */
export function listMergeWindows(
  query: Query,
  accountId: string,
  { kind, source, target, after, limit }: MergesAfter,
): Promise<{ after: number; up_to: number }[]> {
  return query.all(
    sql`SELECT target_seq AS after, head_seq AS up_to FROM merges
        WHERE account_id = ${accountId} AND target = ${target} AND source = ${source} AND kind = ${kind}
          AND status = 'merged' AND head_seq > ${after}
        ORDER BY source_seq DESC LIMIT ${limit}`,
  );
}

type WaitingBetween = Pick<MergeRow, 'account_id' | 'kind' | 'source' | 'target'>;

/** The merges from one branch into another that wait for their conflicts to be resolved. An account has few that wait. */
export function listWaiting(query: Query, { account_id, kind, source, target }: WaitingBetween): Promise<MergeRow[]> {
  return query.all(
    sql`SELECT ${MERGE} FROM merges WHERE account_id = ${account_id} AND status = 'conflicts' AND kind = ${kind}
          AND source = ${source} AND target = ${target} ORDER BY created_seq`,
  );
}

export type MergePage = {
  account_id: string;
  target: string | undefined;
  status: string | undefined;
  before: number;
  filters: readonly Sql[];
  limit: number;
  bytes: number;
};

export function listMerges(query: Query, page: MergePage): Promise<FirstRows<MergeRow>> {
  const { account_id, target, status, before, limit, bytes } = page;
  const filters = [
    ...(target === undefined ? [] : [sql`target = ${target}`]),
    ...(status === undefined ? [] : [sql`status = ${status}`]),
    ...page.filters,
  ];
  return query.first(
    sql`SELECT ${MERGE} FROM merges WHERE account_id = ${account_id} AND created_seq < ${before}${andAll(filters)}
        ORDER BY created_seq DESC LIMIT ${limit}`,
    { columns: ['message', 'source', 'target', 'agent_id'], bytes },
  );
}

/** Whether an account has at least this many merges, of a status or of any. */
export async function hasMerges(
  query: Query,
  accountId: string,
  { status, count }: { status?: MergeRow['status']; count: number },
): Promise<boolean> {
  const filters = status === undefined ? [] : [sql`status = ${status}`];
  const found = await query.get(
    sql`SELECT created_seq FROM merges WHERE account_id = ${accountId}${andAll(filters)}
        ORDER BY created_seq LIMIT 1 OFFSET ${count - 1}`,
  );
  return found !== undefined;
}
