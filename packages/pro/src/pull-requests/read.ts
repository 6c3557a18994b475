import {
  EVERYONE,
  type Fault,
  pageBytes,
  type ReadContext,
  readScope,
  reads,
  scopedPathConditions,
  sql,
  withinPage,
} from '@mem-service/server/module';
import { listChecks } from './check-queries.ts';
import { BUILT_IN } from './checks/built-in.ts';
import { checkMemory } from './checks/memory-ci.ts';
import { countChanges, type PullPlan, planPull } from './checks/plan.ts';
import { checkPlan } from './checks/plan-checks.ts';
import { type CheckAnswer, toPostedCheck, toRunCheck } from './checks/render.ts';
import { loadDecisions } from './deciders.ts';
import { currentEnd } from './ending.ts';
import { type Heads, headsOf } from './heads.ts';
import { SHOWN_REVIEWS } from './limits.ts';
import { findPullRequest, protectionOf, requireEnds } from './load.ts';
import type { PullRequestRow } from './queries.ts';
import { toPullRequest, toReview } from './render.ts';
import { listReviews, type ReviewRow } from './review-queries.ts';
import type { EndState } from './rules/end-state.ts';
import { blockersOf, conflictsBlock, countDecisions, isDismissed, type Protection } from './rules/requirements.ts';

export const read = reads<'pull_requests.read'>(async (context, { id }) => {
  const row = await findPullRequest(context.read, context.caller.account_id, id);
  await requireEnds(context.services, context.caller, { ends: row });
  return { ...toPullRequest(row), ...(await (row.status === 'open' ? readOpen : readEnded)(context, row)) };
});

async function readOpen(context: ReadContext, row: PullRequestRow) {
  const { account_id, id } = row;
  const protection = await protectionOf(context.read, account_id, row.target_branch);
  const heads = await headsOf(context.read, row);
  const { source_seq } = heads;
  const { changes, conflicts, checks } = await checksOf(context, row, { ...heads, protection });
  const counted = countDecisions(await loadDecisions(context.read, row, context.now), protection, source_seq);
  const results = checks.map(({ name, status, is_current }) => ({ name, status, isCurrent: is_current }));
  const blocked_by = blockersOf(protection, counted, results);
  if (conflicts) blocked_by.push(conflictsBlock(id, conflicts));
  return {
    ...{ source_seq, changes, conflicts, approvals: counted.approvals },
    required_approvals: protection.required_approvals,
    is_mergeable: blocked_by.length === 0 && conflicts === 0,
    blocked_by,
    ...(await reviewsOf(context, id, (review) => isDismissed(review, protection, source_seq))),
    checks,
  };
}

/** As it stood when it was merged or closed. */
async function readEnded(context: ReadContext, row: PullRequestRow) {
  const { account_id, id, end_state } = row;
  const end =
    end_state === null ? await currentEnd(context.read, row, context.now) : (JSON.parse(end_state) as EndState);
  const { source_seq, approvals, required_approvals, required_checks, stale_checks } = end;
  const checks = (await listChecks(context.read, account_id, id)).map((one) => {
    return toPostedCheck(one, { isCurrent: !stale_checks.includes(one.check_name), required_checks });
  });
  return {
    ...{ source_seq, changes: null, conflicts: null, approvals, required_approvals },
    ...{ is_mergeable: false, blocked_by: [] },
    ...(await reviewsOf(context, id, ({ no }) => end.dismissed.includes(no))),
    checks,
  };
}

type ReadHeads = Heads & { protection: Protection };

async function checksOf(context: ReadContext, row: PullRequestRow, { protection, ...heads }: ReadHeads) {
  const { required_checks } = protection;
  const stored = await listChecks(context.read, row.account_id, row.id);
  const plan = await planPull({ query: context.scan, view: context.view }, row);
  const posted = stored.filter(({ check_name }) => !BUILT_IN.has(check_name));
  const checks = [
    ...(await runChecks(context, row, { ...heads, plan, required_checks })),
    ...posted.map((one) => toPostedCheck(one, { isCurrent: one.source_seq === heads.source_seq, required_checks })),
  ];
  const isPlanned = 'entries' in plan;
  const conflicts = isPlanned ? plan.conflicting.length : null;
  return { changes: isPlanned ? countChanges(plan, context.caller) : null, conflicts, checks };
}

type RunningChecks = Heads & { plan: PullPlan | Fault; required_checks: readonly string[] };

async function runChecks(
  context: ReadContext,
  row: PullRequestRow,
  { plan, ...heads }: RunningChecks,
): Promise<CheckAnswer[]> {
  const { account_id } = row;
  const { caller, now } = context;
  const results = [...(await checkPlan({ query: context.scan, account_id, plan })), await checkMemory(context, row)];
  return results.map((one) => toRunCheck(one, { ...heads, caller, now }));
}

async function reviewsOf(context: ReadContext, id: string, isGone: (review: ReviewRow) => boolean) {
  const { caller, services } = context;
  const inScope = scopedPathConditions(readScope(caller), undefined);
  const filters = [
    sql`(visible_to = ${EVERYONE} OR visible_to = ${caller.agent_id})`,
    ...inScope.map((condition) => sql`(entity_path IS NULL OR ${condition})`),
  ];
  const page = { account_id: caller.account_id, pull_request_id: id, filters };
  const most = { limit: SHOWN_REVIEWS + 1, bytes: pageBytes(services) };
  const found = await listReviews(context.read, { ...page, ...most });
  const { rows, more } = withinPage(services, found, ({ comment, entity_path, key, reviewer }) => [
    ...[comment, entity_path, key, reviewer],
  ]);
  const reviews = rows.slice(0, SHOWN_REVIEWS).map((row) => toReview(row, isGone(row)));
  return { reviews, has_more_reviews: more || rows.length > SHOWN_REVIEWS };
}
