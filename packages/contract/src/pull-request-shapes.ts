import * as z from 'zod';
import { branchName } from './branch-shapes.ts';
import * as s from './shapes.ts';

export const pullRequestId = s.label(64).meta({
  id: 'PullRequestId',
  description: 'The id of the pull request.',
  examples: ['01k0a4g3v5x7y9z1b3d5f7h9jk'],
});

export const title = s.label(200).meta({ description: 'What it is about.', examples: ['Fewer retries'] });
export const description = s.text(16_384).meta({ description: 'Why it should be merged.' });

export const pullRequestStatus = z
  .enum(['open', 'merged', 'closed'])
  .meta({ id: 'PullRequestStatus', description: 'Only an open pull request is merged.' });

export const reviewDecision = z.enum(['approved', 'changes_requested', 'commented']).meta({
  id: 'ReviewDecision',
  description: 'A comment neither approves nor blocks.',
});

export const checkStatus = z.enum(['passed', 'failed', 'pending', 'neutral']).meta({ id: 'CheckStatus' });

export const builtInChecks = ['contracts', 'secrets', 'size', 'conflicts', 'memory_ci'] as const;

export const pullRequest = z
  .object({
    id: pullRequestId,
    title: z.string(),
    description: z.string(),
    source_branch: branchName,
    target_branch: branchName,
    status: pullRequestStatus,
    created_by: s.agentId,
    created_at: s.utc,
    updated_at: s.utc,
    merged_by: s.agentId.nullable(),
    merged_at: s.utc.nullable(),
    merge_strategy: z.string().nullable(),
    merge_id: z.string().nullable().meta({ description: 'The merge that it ended in.' }),
    closed_by: s.agentId.nullable(),
    closed_at: s.utc.nullable(),
  })
  .meta({ id: 'PullRequest', description: 'The wish that a branch is merged into another.' });

export const review = z
  .object({
    id: pullRequestId,
    no: z.int(),
    reviewer: s.agentId,
    decision: reviewDecision,
    comment: z.string(),
    entity_path: s.entityPath.nullable().meta({ description: 'Null for a review of the whole.' }),
    key: s.key.nullable(),
    source_seq: z.int().meta({ description: '`source_seq` of the pull request then.' }),
    is_dismissed: z
      .boolean()
      .meta({ description: 'An approval that no longer counts: what would be merged has changed since.' }),
    created_at: s.utc,
  })
  .meta({ id: 'Review' });

const finding = z
  .object({ entity_path: s.entityPath, key: s.key, message: z.string() })
  .meta({ id: 'CheckFinding', description: 'What a check found about an entry.' });

const named = z.object({ entity_path: s.entityPath, key: s.key });

const replayed = z
  .object({
    question: z.string(),
    asked_path: z.string().nullable().meta({ description: 'The paths that were asked; null for all.' }),
    trace_ids: z.array(z.string()).meta({ description: 'The decisions before which it was asked, newest first.' }),
    entered: z.array(named).meta({ description: 'Found on the source branch only.' }),
    left: z.array(named).meta({ description: 'Found on the target branch only.' }),
    first: z
      .object({ before: named.nullable(), after: named.nullable() })
      .nullable()
      .meta({ description: 'What comes first on the target branch and on the source branch, where that differs.' }),
    lost: z.array(named).meta({ description: 'Entries that helped then, and are found on the target branch only.' }),
  })
  .meta({ id: 'ReplayedQuestion', description: 'A question that would be answered from other entries.' });

export const check = z
  .object({
    name: z.string(),
    status: checkStatus,
    summary: z.string(),
    is_required: z.boolean(),
    is_current: z
      .boolean()
      .meta({ description: 'False where what would be merged has changed since: it does not count.' }),
    source_seq: z.int().meta({ description: '`source_seq` of the pull request then.' }),
    target_seq: z
      .int()
      .nullable()
      .meta({ description: 'The last write to the target branch then; null where it was posted.' }),
    findings: z.array(finding).meta({ description: 'The first 20 that the caller may see.' }),
    questions: z.array(replayed).optional().meta({ description: 'Of `memory_ci`: the first 20.' }),
    hidden: z.int().meta({ description: 'How many more it found, or that the caller may not see.' }),
    posted_by: s.agentId.nullable().meta({ description: 'Null for a check that the service runs.' }),
    updated_at: s.utc,
  })
  .meta({ id: 'Check' });

const changes = z
  .object({ added: z.int(), modified: z.int(), deleted: z.int(), hidden: z.int() })
  .meta({ id: 'ChangeCounts', description: 'How many entries differ; `hidden` of those the caller may not see.' });

const blocker = z
  .object({
    reason: z.enum(['approvals', 'changes_requested', 'check', 'conflicts']),
    message: z.string(),
    check: z.string().optional(),
  })
  .meta({ id: 'MergeBlocker' });

export const pullRequestDetails = pullRequest
  .extend({
    source_seq: z.int().meta({
      description:
        'The last change of what would be merged: a write to the source branch, a refresh of it, a quarantine or release of what it shows, ' +
        'a resolved conflict. Reviews and posted checks are about it.',
    }),
    changes: changes.nullable().meta({
      description: 'Null where more differs than one merge takes, and after the pull request was merged or closed.',
    }),
    conflicts: z.int().nullable().meta({ description: 'How many conflicts are open; null as for `changes`.' }),
    approvals: z.int().meta({ description: 'How many reviewers approve.' }),
    required_approvals: z.int(),
    is_mergeable: z.boolean().meta({ description: 'Nothing blocks it, and it has no open conflicts.' }),
    blocked_by: z
      .array(blocker)
      .meta({ description: 'What the protection of the target asks for, and open conflicts.' }),
    reviews: z.array(review).meta({ description: 'The newest 50 that the caller may see, newest first.' }),
    has_more_reviews: z.boolean(),
    checks: z.array(check),
  })
  .meta({ id: 'PullRequestDetails' });
