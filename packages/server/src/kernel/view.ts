import type { Reach } from './reach.ts';

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
  scope: Reach | undefined;
  /** The time by which expiry is judged. */
  at: number;
};
