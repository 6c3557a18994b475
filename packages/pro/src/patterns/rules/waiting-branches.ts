import type { PatternFinding } from './finding.ts';

const MANY_CHANGES = 20;

export type BranchFacts = {
  name: string;
  status: string;
  is_protected: number;
  created_by: string;
  created_seq: number;
  /** The last write to it; 0 where there was none. */
  newest_seq: number;
  /** Entries that were written there, as far as they were counted. */
  changes: number;
  has_open_pull_request: boolean;
};

/** A branch with changes that nobody goes on with and nobody offers for a merge; `before` is the place in the log of that time. */
export function orphanedBranch(branch: BranchFacts, before: number): PatternFinding | undefined {
  const { name, status, is_protected, created_by, created_seq, newest_seq, changes, has_open_pull_request } = branch;
  if (status !== 'active' || is_protected === 1 || has_open_pull_request) return undefined;
  if (changes === 0 || newest_seq >= before || created_seq >= before) return undefined;
  return {
    pattern_type: 'orphaned_branch',
    severity: changes >= MANY_CHANGES ? 'warning' : 'info',
    weight: changes,
    ...{ entity_path: null, agent_id: null, branch: name, pull_request_id: null },
    evidence_seq: newest_seq,
    figures: { changes },
    ...{ entries: [], trace_ids: [], agents: [created_by] },
  };
}

export type PullRequestFacts = {
  id: string;
  source_branch: string;
  target_branch: string;
  created_by: string;
  created_seq: number;
  changes: number;
  /** The first write that everyone may see and that nobody has reviewed; undefined where there is none. */
  oldest_seq: number | undefined;
  /** The newest of these that has waited long enough; 0 where there is none. */
  overdue_seq: number;
  /** Up to where others than its author have decided about it; 0 where nobody has. */
  reviewed_seq: number;
};

/** A pull request with changes that nobody has reviewed for a while, whatever was written there since. */
export function unreviewedChanges(request: PullRequestFacts, before: number): PatternFinding | undefined {
  const { id, source_branch, target_branch, created_by, created_seq, changes, reviewed_seq } = request;
  const { oldest_seq, overdue_seq } = request;
  if (changes === 0 || oldest_seq === undefined || oldest_seq >= before || created_seq >= before) return undefined;
  return {
    pattern_type: 'unreviewed_changes',
    severity: target_branch === 'main' ? 'warning' : 'info',
    weight: changes,
    ...{ entity_path: null, agent_id: null, branch: source_branch, pull_request_id: id },
    // Comes back when what was written after the resolution has waited as long.
    evidence_seq: Math.max(overdue_seq, created_seq),
    figures: { changes, reviewed: Number(reviewed_seq > 0) },
    ...{ entries: [], trace_ids: [], agents: [created_by] },
  };
}
