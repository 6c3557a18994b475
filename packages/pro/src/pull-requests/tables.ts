import { exported, type TenantTable } from '@mem-service/server/module';
import { putChecks } from './check-queries.ts';
import { insertPullRequest } from './queries.ts';
import { insertReview } from './review-queries.ts';
import { endStateProblem } from './rules/end-state.ts';

export const tables: readonly TenantTable[] = [
  exported(insertPullRequest, {
    kind: 'pull_request',
    key: ['id'],
    nullable: ['holder', 'merged_by', 'merged_at', 'merge_strategy', 'merge_id', 'closed_by', 'closed_at', 'end_state'],
    json: ['end_state'],
    holds: ({ operations, branchName, time, notNegative }) => {
      const { status } = operations['pull_requests.create'].output.shape;
      const { strategy } = operations['merges.read'].output.shape;
      return {
        ...{ status, source_branch: branchName, target_branch: branchName, created_seq: notNegative },
        ...{ merged_at: time, merge_strategy: strategy, closed_at: time },
      };
    },
    check: ({ end_state }) => endStateProblem(end_state as string | null),
    stored: ({ title, description }) => [title as string, description as string],
    agents: {
      created_by: { erased: 'rename', also: () => ({ title: '', description: '' }) },
      merged_by: { erased: 'rename' },
      closed_by: { erased: 'rename' },
    },
  }),
  exported(insertReview, {
    kind: 'pull_request_review',
    key: ['pull_request_id', 'no'],
    nullable: ['holder', 'entity_path', 'key'],
    holds: ({ operations, notNegative }) => ({
      ...{ decision: operations['pull_requests.review'].output.shape.decision, source_seq: notNegative },
    }),
    stored: ({ comment }) => [comment as string],
    agents: {
      reviewer: { erased: 'rename', also: () => ({ comment: '' }) },
      visible_to: { erased: 'delete the row' },
    },
    entries: { entity_path: 'by its owner', key: 'by its owner' },
  }),
  exported(putChecks, {
    kind: 'pull_request_check',
    key: ['pull_request_id', 'check_name'],
    nullable: ['target_seq', 'posted_by'],
    holds: ({ operations, notNegative }) => ({
      ...{ status: operations['pull_requests.check'].output.shape.status },
      ...{ source_seq: notNegative, target_seq: notNegative },
    }),
    stored: ({ check_name, summary }) => [check_name as string, summary as string],
    agents: { posted_by: { erased: 'rename', also: () => ({ summary: '' }) } },
  }),
];
