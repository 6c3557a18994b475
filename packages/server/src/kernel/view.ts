import { invalidInput } from '@mem-service/contract';
import { type Dialect, joinSql, type Sql, sql } from '../db/index.ts';
import type { Scope } from './scope.ts';

/** A stretch of a branch's history: what the branch holds up to and including a place in the log, or all of it. */
export type BranchSpan = { branch: string; up_to_seq: number | null };

/** What a branch shows, nearest first: its own writes, then its parent's up to the fork, and so on. */
export type Lineage = readonly BranchSpan[];

export const MAIN_BRANCH = 'main';
export const MAIN_LINEAGE: Lineage = [{ branch: MAIN_BRANCH, up_to_seq: null }];

/**
 * The entries that one request may see. Account, branch, visibility, scope and liveness are decided here and nowhere else;
 * the module `entries` compiles a view into one SQL relation.
 */
export type EntryView = {
  account_id: string;
  lineage: Lineage;
  /** Sees what is shared, and what it wrote itself. */
  agent_id: string;
  /** The paths that the caller's key may read; all of them where it is left out. */
  scope: Scope | undefined;
  /** The time by which expiry is judged. */
  at: number;
  /** Of the store that the view is compiled for. */
  dialect: Dialect;
};

/** The newest state of one branch: all that words, counts and edges know of. */
export const isNewestOfOneBranch = ({ lineage }: Pick<EntryView, 'lineage'>): boolean =>
  lineage.length === 1 && lineage[0]?.up_to_seq === null;

/** The branch that a view is of. */
export const branchOf = ({ lineage }: Pick<EntryView, 'lineage'>): string => lineage[0]?.branch ?? MAIN_BRANCH;

type InTransaction = { account_id: string; now: number; dialect: Dialect };
type Viewpoint = Pick<EntryView, 'lineage' | 'agent_id'> & { scope?: Scope | undefined };

/** What an agent sees within a transaction. */
export const viewInWork = (
  { account_id, now, dialect }: InTransaction,
  { lineage, agent_id, scope }: Viewpoint,
): EntryView => ({ account_id, lineage, agent_id, scope, at: now, dialect });

/** For what is only known of the newest state of a branch: refuses to answer another view with it. */
export function requireNewest(view: EntryView, what: string): void {
  if (isNewestOfOneBranch(view)) return;
  const message = `${what} can only be told of a branch as it is now, without what it takes over from another`;
  throw invalidInput([{ path: 'branch', message }]);
}

/** A condition on rows that have a branch and a place in the log: those that the lineage of a view shows. */
export function loggedIn({ lineage }: Pick<EntryView, 'lineage'>): Sql {
  const spans = lineage.map(({ branch, up_to_seq }) =>
    up_to_seq === null ? sql`branch = ${branch}` : sql`(branch = ${branch} AND seq <= ${up_to_seq})`,
  );
  return spans.length === 1 ? (spans[0] as Sql) : sql`(${joinSql(spans, ' OR ')})`;
}
