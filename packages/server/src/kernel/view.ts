import { invalidInput } from '@mem-service/contract';
import { type Dialect, fragment, joinSql, type Sql, sql } from '../db/index.ts';
import type { Scope } from './scope.ts';

/** A part of a branch's history: its writes up to and including `up_to_seq`, or all of them. */
export type BranchSpan = {
  branch: string;
  up_to_seq: number | null;
  /** What changed after `up_to_seq` is kept as it was there (`keepState`); otherwise that state is computed from versions. */
  is_kept?: true;
};

/** The spans that a branch shows, nearest first: its own writes, then its parent's up to the fork, and so on. */
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
  /** Sees shared entries, and the private ones that it wrote itself. */
  agent_id: string;
  /** The paths that the caller's key may read; undefined means all. */
  scope: Scope | undefined;
  /** Entries that expired before this time are not visible. */
  at: number;
  /** Also shows entries under quarantine. */
  with_quarantined?: true;
  /** The dialect of the store that the view is compiled for. */
  dialect: Dialect;
};

/** True for the newest state of one branch, the only state that words, counts and edges cover. */
export const isNewestOfOneBranch = ({ lineage }: Pick<EntryView, 'lineage'>): boolean =>
  lineage.length === 1 && lineage[0]?.up_to_seq === null;

/** True where every state of the view is the newest one, or was kept: it is then read from rows alone. */
export const isKeptThroughout = ({ lineage }: Pick<EntryView, 'lineage'>): boolean =>
  lineage.every(({ up_to_seq, is_kept }) => up_to_seq === null || is_kept === true);

/** The branch that a view shows. */
export const branchOf = ({ lineage }: Pick<EntryView, 'lineage'>): string => lineage[0]?.branch ?? MAIN_BRANCH;

type InTransaction = { account_id: string; now: number; dialect: Dialect };
type Viewpoint = Pick<EntryView, 'lineage' | 'agent_id'> & { scope?: Scope | undefined };

/** The view of an agent within a transaction. */
export const viewInWork = (
  { account_id, now, dialect }: InTransaction,
  { lineage, agent_id, scope }: Viewpoint,
): EntryView => ({ account_id, lineage, agent_id, scope, at: now, dialect });

/** Throws unless the view shows the newest state of one branch, for data that exists only for that state. */
export function requireNewest(view: Pick<EntryView, 'lineage'>, what: string): void {
  if (isNewestOfOneBranch(view)) return;
  const message = `${what} is only available for the newest state of a branch that inherits nothing from another`;
  throw invalidInput([{ path: 'branch', message }]);
}

/** A condition on rows with a branch and a `seq`: those within the lineage of the view. */
export function loggedIn({ lineage }: Pick<EntryView, 'lineage'>, table?: string): Sql {
  const of = fragment(table === undefined ? '' : `${table}.`);
  const spans = lineage.map(({ branch, up_to_seq }) =>
    up_to_seq === null ? sql`${of}branch = ${branch}` : sql`(${of}branch = ${branch} AND ${of}seq <= ${up_to_seq})`,
  );
  return spans.length === 1 ? (spans[0] as Sql) : sql`(${joinSql(spans, ' OR ')})`;
}

/** The same of one row. */
export const isLoggedIn = (
  { lineage }: Pick<EntryView, 'lineage'>,
  { branch, seq }: { branch: string; seq: number },
): boolean => lineage.some((span) => span.branch === branch && (span.up_to_seq === null || seq <= span.up_to_seq));
