import { MAIN_BRANCH, toIso } from '@mem-service/server/module';
import type { BranchRow, ProtectionRow } from './queries.ts';

const iso = (time: number | null) => (time === null ? null : toIso(time));

export const toBranch = (row: BranchRow) => ({
  name: row.name,
  parent_branch: row.parent,
  fork_seq: row.fork_seq,
  status: row.status,
  is_protected: row.is_protected === 1,
  description: row.description,
  created_by: row.created_by,
  created_at: toIso(row.created_at),
  merged_by: row.merged_by,
  merged_at: iso(row.merged_at),
  closed_by: row.closed_by,
  closed_at: iso(row.closed_at),
});

/** `main` has no row, because it always exists. */
export const mainBranch = (isProtected: boolean) => ({
  name: MAIN_BRANCH,
  parent_branch: null,
  fork_seq: null,
  status: 'active' as const,
  is_protected: isProtected,
  description: '',
  created_by: null,
  created_at: null,
  merged_by: null,
  merged_at: null,
  closed_by: null,
  closed_at: null,
});

export const toProtection = (row: ProtectionRow | undefined) =>
  row
    ? {
        required_approvals: row.required_approvals,
        dismisses_approvals: row.dismisses_approvals === 1,
        required_checks: JSON.parse(row.required_checks) as string[],
      }
    : null;
