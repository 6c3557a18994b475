import {
  bytesOfTexts,
  type Caller,
  changed,
  EVERYONE,
  exclusive,
  Fault,
  hashedBy,
  type Input,
  invalidInput,
  mayAgentSee,
  storeMore,
  viewInWork,
  type Work,
  writes,
} from '@mem-service/server/module';
import { endOf } from '../merges/ends.ts';
import { loadRows } from '../merges/load.ts';
import { authorOf } from '../merges/merge.ts';
import { holderOf, isAuthor } from './deciders.ts';
import { emitPullRequest } from './emit.ts';
import { headsOf } from './heads.ts';
import { MAX_REVIEWS } from './limits.ts';
import { findPullRequest, requireEnds, requireOpen } from './load.ts';
import { noteConflicts } from './note-conflicts.ts';
import type { PullRequestRow } from './queries.ts';
import { toReview } from './render.ts';
import { insertReview, lastReviewNo, type ReviewRow } from './review-queries.ts';

type ReviewInput = Input<'pull_requests.review'>;

export const review = exclusive(
  writes<'pull_requests.review'>(async (work, { input, caller }) => {
    const { account_id, tx, now } = work;
    const { id, decision, comment, entity_path = null, key = null } = input;
    if ((entity_path === null) !== (key === null))
      throw invalidInput([{ path: 'key', message: 'is required with entity_path, and goes with nothing else' }]);
    const row = await findPullRequest(tx, account_id, id);
    const author = authorOf(input, caller);
    await requireReviewer(work, row, { input, caller });
    requireOpen(row);
    const last = await lastReviewNo(tx, account_id, id);
    if (last >= MAX_REVIEWS)
      throw new Fault('conflict', `the pull request has ${MAX_REVIEWS} reviews, and can have no more`, {
        max_reviews: MAX_REVIEWS,
      });
    const given: ReviewRow = {
      ...{ account_id, pull_request_id: id, no: last + 1, reviewer: author.agent_id, holder: holderOf(caller) },
      ...{ decision, comment, entity_path, key, visible_to: await visibleTo(work, row, { input, caller }) },
      ...{ source_seq: (await headsOf(tx, row)).source_seq, created_at: now },
    };
    storeMore(work, bytesOfTexts([comment]));
    const details = { decision, no: given.no };
    const { visible_to } = given;
    emitPullRequest(work, row, { event_type: 'pull_request_reviewed', author, details, visible_to });
    work.send(tx.insertMany(insertReview, [given]));
    await noteConflicts(work, row, caller);
    const answer = toReview(given, false);
    return changed(answer, { resource: id, ...hashedBy(answer), holds: { agent_id: author.agent_id } });
  }),
);

type GivenReview = { input: ReviewInput; caller: Caller };

/** A comment needs what reading needs; a decision, what merging needs. */
async function requireReviewer(
  { services, tx }: Work,
  row: PullRequestRow,
  { input, caller }: GivenReview,
): Promise<void> {
  const isDecision = input.decision !== 'commented';
  await requireEnds(services, caller, { ends: row, permission: isDecision ? 'read_write' : 'read' });
  if (input.decision !== 'approved') return;
  if (await isAuthor(tx, row, { agent_id: input.agent_id ?? caller.agent_id, holder: holderOf(caller) }))
    throw new Fault('forbidden', 'nobody approves a pull request that they opened themselves', { id: row.id });
  if (input.entity_path === undefined && (caller.key?.read ?? caller.key?.write) !== undefined)
    throw new Fault('forbidden', 'a key whose scope is limited approves single entries, not the whole', { id: row.id });
}

/** Throws where neither branch has an entry of this name that the reviewer may see. */
async function visibleTo(work: Work, row: PullRequestRow, { input, caller }: GivenReview): Promise<string> {
  const { entity_path, key } = input;
  if (entity_path === undefined || key === undefined) return EVERYONE;
  const { agent_id } = authorOf(input, caller);
  const found = [];
  for (const branch of [row.source_branch, row.target_branch]) {
    const { lineage } = await endOf({ account_id: work.account_id, read: work.tx }, branch);
    found.push(...(await loadRows(work.tx, viewInWork(work, { lineage, agent_id }), [{ entity_path, key }])).values());
  }
  if (found.length === 0 || found.some((one) => !mayAgentSee(one, agent_id)))
    throw new Fault('not_found', `there is no entry ${entity_path}/${key} to review`, { entity_path, key });
  return found.find(({ shared }) => shared === 0)?.agent_id ?? EVERYONE;
}
