import {
  bytesOfTexts,
  type Caller,
  changed,
  exclusive,
  hashedBy,
  storeMore,
  unchanged,
  type Work,
  writes,
} from '@mem-service/server/module';
import { authorOf } from '../merges/merge.ts';
import { getMerge } from '../merges/queries.ts';
import { deleteWaiting } from '../merges/run-merge.ts';
import type { MergeAuthor } from '../merges/write.ts';
import { requireRoom } from './create.ts';
import { holderOf, isAuthor } from './deciders.ts';
import { emitPullRequest } from './emit.ts';
import { checksNow, currentEnd, saveChecks } from './ending.ts';
import { findPullRequest, requireEnds, requireOpen } from './load.ts';
import { noteConflicts } from './note-conflicts.ts';
import { type PullRequestRow, updatePullRequests } from './queries.ts';
import { toPullRequest } from './render.ts';
import type { EndState } from './rules/end-state.ts';

type GivenChange = {
  input: { id: string; agent_id?: string | undefined; session_id?: string | undefined };
  caller: Caller;
};

/** Who opened a pull request may change it, and who may write to its target. */
async function loadChangeable(
  work: Work,
  { input, caller }: GivenChange,
): Promise<{ row: PullRequestRow; author: MergeAuthor }> {
  const row = await findPullRequest(work.tx, work.account_id, input.id);
  const author = authorOf(input, caller);
  const by = { agent_id: author.agent_id, holder: holderOf(caller) };
  const permission = (await isAuthor(work.tx, row, by)) ? 'read' : 'read_write';
  await requireEnds(work.services, caller, { ends: row, permission });
  return { row, author };
}

type PullChange = { event_type: `pull_request_${string}`; author: MergeAuthor; set: Partial<PullRequestRow> };

function changePullRequest(work: Work, row: PullRequestRow, { event_type, author, set }: PullChange) {
  const after = { ...row, ...set, updated_at: work.now };
  emitPullRequest(work, row, { event_type, author });
  savePullRequest(work, after);
  const answer = toPullRequest(after);
  const before = hashedBy(toPullRequest(row)).after;
  return changed(answer, { resource: row.id, before, after: hashedBy(answer).after });
}

function savePullRequest(work: Work, row: PullRequestRow): void {
  const { account_id, id, title, description, status, updated_at } = row;
  const { merged_by, merged_at, merge_strategy, merge_id, closed_by, closed_at, end_state } = row;
  const merged = { merged_by, merged_at, merge_strategy, merge_id };
  const set = { title, description, status, updated_at, ...merged, closed_by, closed_at, end_state };
  work.send(work.tx.updateMany(updatePullRequests, [{ account_id, id, ...set }]));
}

type MergedBy = { author: MergeAuthor; strategy: string; merge_id: string; end: EndState };

export function saveMerged(work: Work, row: PullRequestRow, { author, strategy, merge_id, end }: MergedBy): void {
  emitPullRequest(work, row, { event_type: 'pull_request_merged', author, details: { merge_id } });
  const merged = { merged_by: author.agent_id, merged_at: work.now, merge_strategy: strategy, merge_id };
  const end_state = JSON.stringify(end);
  savePullRequest(work, { ...row, status: 'merged', updated_at: work.now, ...merged, end_state });
}

const update = writes<'pull_requests.update'>(async (work, { input, caller }) => {
  const { row, author } = await loadChangeable(work, { input, caller });
  requireOpen(row);
  const { title = row.title, description = row.description } = input;
  if (title === row.title && description === row.description) return unchanged(toPullRequest(row));
  storeMore(work, bytesOfTexts([title, description]) - bytesOfTexts([row.title, row.description]));
  return changePullRequest(work, row, {
    event_type: 'pull_request_updated',
    author,
    set: { title, description },
  });
});

const close = writes<'pull_requests.close'>(async (work, { input, caller }) => {
  const { row, author } = await loadChangeable(work, { input, caller });
  if (row.status === 'closed') return unchanged(toPullRequest(row));
  requireOpen(row);
  const end_state = JSON.stringify(await currentEnd(work.tx, row, work.now));
  await saveChecks(work, row, await checksNow(work, row, author.agent_id));
  const waiting = await getMerge(work.tx, work.account_id, row.id);
  if (waiting) await deleteWaiting(work, waiting);
  const set = { status: 'closed' as const, closed_by: author.agent_id, closed_at: work.now, end_state };
  return changePullRequest(work, row, { event_type: 'pull_request_closed', author, set });
});

const reopen = writes<'pull_requests.reopen'>(async (work, { input, caller }) => {
  const { row, author } = await loadChangeable(work, { input, caller });
  if (row.status === 'open') return unchanged(toPullRequest(row));
  if (row.status === 'merged') requireOpen(row);
  await requireRoom(work, row);
  await noteConflicts(work, row, caller);
  const set = { status: 'open' as const, closed_by: null, closed_at: null, end_state: null };
  return changePullRequest(work, row, { event_type: 'pull_request_reopened', author, set });
});

export const changes = {
  'pull_requests.update': exclusive(update),
  'pull_requests.close': exclusive(close),
  'pull_requests.reopen': exclusive(reopen),
};
