import { toIso, toIsoOrNull } from '@mem-service/server/module';
import type { PullRequestRow } from './queries.ts';
import type { ReviewRow } from './review-queries.ts';

export const toPullRequest = (row: PullRequestRow) => ({
  id: row.id,
  title: row.title,
  description: row.description,
  source_branch: row.source_branch,
  target_branch: row.target_branch,
  status: row.status,
  created_by: row.created_by,
  created_at: toIso(row.created_at),
  updated_at: toIso(row.updated_at),
  merged_by: row.merged_by,
  merged_at: toIsoOrNull(row.merged_at),
  merge_strategy: row.merge_strategy,
  merge_id: row.merge_id,
  closed_by: row.closed_by,
  closed_at: toIsoOrNull(row.closed_at),
});

export const toReview = (row: ReviewRow, is_dismissed: boolean) => ({
  id: row.pull_request_id,
  no: row.no,
  reviewer: row.reviewer,
  decision: row.decision,
  comment: row.comment,
  entity_path: row.entity_path,
  key: row.key,
  source_seq: row.source_seq,
  is_dismissed,
  created_at: toIso(row.created_at),
});
