import { EVERYONE, type Work } from '@mem-service/server/module';
import type { MergeAuthor } from '../merges/write.ts';
import type { PullRequestRow } from './queries.ts';

type PullRequestEvent = {
  event_type: `pull_request_${string}`;
  author: MergeAuthor;
  details?: Record<string, unknown>;
  visible_to?: string;
};

/** Appends to the log what happened to a pull request, on its source branch. */
export function emitPullRequest(
  work: Work,
  { id, source_branch, target_branch }: PullRequestRow,
  { event_type, author, details, visible_to = EVERYONE }: PullRequestEvent,
): number {
  return work.emit({
    event_type,
    agent_id: author.agent_id,
    branch: source_branch,
    entity_path: null,
    key: null,
    version: null,
    visible_to,
    details: { id, branch: source_branch, target: target_branch, ...details },
    session: author.session,
  });
}
