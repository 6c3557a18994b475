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
import { type Heads, headsOf } from './heads.ts';
import { SHOWN_REVIEWS } from './limits.ts';
import { findPullRequest, protectionOf, requireEnds } from './load.ts';
import type { PullRequestRow } from './queries.ts';
import { toPullRequest, toReview } from './render.ts';
import { listReviews } from './review-queries.ts';
import { blockersOf, conflictsBlock, countDecisions, isDismissed, type Protection } from './rules/requirements.ts';

export const read = reads<'pull_requests.read'>(async (context, { id }) => {
  const { account_id } = context.caller;
  const row = await findPullRequest(context.read, account_id, id);
  await requireEnds(context.services, context.caller, { ends: row });
  const protection = await protectionOf(context.read, account_id, row.target_branch);
  const heads = await headsOf(context.read, row);
  const { source_seq } = heads;
  const { changes, conflicts, checks } = await checksOf(context, row, { ...heads, protection });
  const counted = countDecisions(await loadDecisions(context.read, row, context.now), protection, source_seq);
  const results = checks.map(({ name, status, is_current }) => ({ name, status, isCurrent: is_current }));
  const isOpen = row.status === 'open';
  const blocked_by = isOpen ? blockersOf(protection, counted, results) : [];
  if (conflicts) blocked_by.push(conflictsBlock(id, conflicts));
  return {
    ...toPullRequest(row),
    ...{ source_seq, changes, conflicts, approvals: counted.approvals },
    required_approvals: protection.required_approvals,
    is_mergeable: isOpen && blocked_by.length === 0 && conflicts === 0,
    blocked_by,
    ...(await reviewsOf(context, id, { protection, source_seq })),
    checks,
  };
});

type ReadHeads = Heads & { protection: Protection };

async function checksOf(context: ReadContext, row: PullRequestRow, { protection, ...heads }: ReadHeads) {
  const { required_checks } = protection;
  const stored = await listChecks(context.read, row.account_id, row.id);
  if (row.status !== 'open') {
    const checks = stored.map((one) => toPostedCheck(one, { source_seq: one.source_seq, required_checks }));
    return { changes: null, conflicts: null, checks };
  }
  const plan = await planPull({ query: context.scan, view: context.view }, row);
  const posted = stored.filter(({ check_name }) => !BUILT_IN.has(check_name));
  const checks = [
    ...(await runChecks(context, row, { ...heads, plan, required_checks })),
    ...posted.map((one) => toPostedCheck(one, { source_seq: heads.source_seq, required_checks })),
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

type Reviewing = { protection: Protection; source_seq: number };

async function reviewsOf(context: ReadContext, id: string, { protection, source_seq }: Reviewing) {
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
  const reviews = rows.slice(0, SHOWN_REVIEWS).map((row) => toReview(row, isDismissed(row, protection, source_seq)));
  return { reviews, has_more_reviews: more || rows.length > SHOWN_REVIEWS };
}
