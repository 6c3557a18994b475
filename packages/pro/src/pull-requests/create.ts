import {
  bytesOfTexts,
  changed,
  exclusive,
  Fault,
  hashedBy,
  storeMore,
  type Work,
  writes,
} from '@mem-service/server/module';
import { branchClosed } from '../branches/changes.ts';
import { resolveRef } from '../branches/resolve.ts';
import { authorOf } from '../merges/merge.ts';
import { holderOf } from './deciders.ts';
import { emitPullRequest } from './emit.ts';
import { MAX_OPEN, MAX_PULL_REQUESTS } from './limits.ts';

import { noteConflicts } from './note-conflicts.ts';
import * as queries from './queries.ts';
import { toPullRequest } from './render.ts';

const createOne = writes<'pull_requests.create'>(async (work, { input, caller }) => {
  const { account_id, now, tx } = work;
  const { title, description, source_branch, target_branch } = input;
  await requireRoom(work, { source_branch, target_branch });
  if (await queries.hasPullRequests(tx, account_id, { count: MAX_PULL_REQUESTS }))
    throw new Fault('conflict', `the account has ${MAX_PULL_REQUESTS} pull requests, and can have no more`, {
      max_pull_requests: MAX_PULL_REQUESTS,
    });
  const author = authorOf(input, caller);
  storeMore(work, bytesOfTexts([title, description]));
  const row: queries.PullRequestRow = {
    ...{ account_id, id: work.services.ids.next(now), title, description, source_branch, target_branch },
    ...{ status: 'open', created_by: author.agent_id, holder: holderOf(caller) },
    ...{ created_seq: 0, created_at: now, updated_at: now, merged_by: null, merged_at: null },
    ...{ merge_strategy: null, merge_id: null, closed_by: null, closed_at: null, end_state: null },
  };
  row.created_seq = emitPullRequest(work, row, { event_type: 'pull_request_opened', author });
  work.send(tx.insertMany(queries.insertPullRequest, [row]));
  await noteConflicts(work, row, caller);
  const answer = toPullRequest(row);
  return changed(answer, { resource: row.id, ...hashedBy(answer) });
});

export const create = exclusive(createOne);

/** Refuses an open pull request between these branches where there can be none, or no more of them. */
export async function requireRoom({ tx, account_id }: Work, ends: queries.PullEnds): Promise<void> {
  const { source_branch, target_branch } = ends;
  if (source_branch === target_branch)
    throw new Fault('conflict', 'a branch is not merged into itself', { branch: source_branch });
  for (const branch of [source_branch, target_branch]) {
    const { row, seq } = await resolveRef({ account_id, read: tx }, branch);
    if (seq !== null)
      throw new Fault('branch_read_only', `${JSON.stringify(branch)} is a past state, not a branch`, { branch });
    if (row && row.status !== 'active') throw branchClosed(row);
  }
  const other = await queries.findOpenBetween(tx, account_id, ends);
  if (other)
    throw new Fault('conflict', `the pull request ${other.id} of the two branches is open already`, { id: other.id });
  if (await queries.hasPullRequests(tx, account_id, { status: 'open', count: MAX_OPEN }))
    throw new Fault('conflict', `the account has ${MAX_OPEN} open pull requests: merge or close some`, {
      max_open_pull_requests: MAX_OPEN,
    });
}
