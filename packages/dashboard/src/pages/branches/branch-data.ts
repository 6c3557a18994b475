import type { OperationName, Output } from '../../data/client.ts';

export type BranchLine = Output<'branches.list'>['branches'][number];
export type BranchWithCounts = Output<'branches.read'>;

/** What changes when a branch does. */
export const BRANCH_ANSWERS: readonly OperationName[] = [
  'branches.list',
  'branches.read',
  'branches.diff',
  'branches.compare',
  'merges.list',
  'merges.read',
  'pull_requests.list',
  'pull_requests.read',
  'tags.list',
  'entries.list',
  'quarantine.list',
  'quarantine.read',
];

/** What a resolution changes besides. After a merge they are no longer there to be asked for. */
export const CONFLICT_ANSWERS: readonly OperationName[] = ['conflicts.list', 'conflicts.read'];
export const CONFLICT_EVENTS: ReadonlySet<string> = new Set(['conflict_resolved']);

export const BRANCH_EVENTS: ReadonlySet<string> = new Set([
  ...['write', 'delete', 'commit', 'erase', 'rollback', 'cherry_pick', 'conflict_resolved'],
  ...['branch_created', 'branch_merged', 'branch_closed', 'branch_reopened', 'branch_updated', 'branch_refreshed'],
  ...['tag_created', 'tag_deleted', 'pull_request_opened', 'pull_request_updated', 'pull_request_merged'],
  ...[
    'pull_request_closed',
    'pull_request_reopened',
    'quarantine',
    'quarantine_undone',
    'entry_quarantined',
    'entry_released',
  ],
]);
