import {
  bytesOfTexts,
  exclusive,
  Fault,
  type Input,
  MAIN_LINEAGE,
  type Output,
  prepares,
  type Services,
  storeMore,
  viewInWork,
  type Work,
  type WriteItem,
  type WriteResult,
  writesTogether,
} from '@mem-service/server/module';
import { authorOf, mergeBranch } from '../merges/merge.ts';
import { preferredBy } from '../merges/rules/strategy.ts';
import { savePullRequest } from './changes.ts';
import { type CheckRow, listChecks, putChecks } from './check-queries.ts';
import { BUILT_IN } from './checks/built-in.ts';
import { checkMemory } from './checks/memory-ci.ts';
import { planPull } from './checks/plan.ts';
import { checkPlan } from './checks/plan-checks.ts';
import type { CheckResult } from './checks/result.ts';
import { emitPullRequest } from './emit.ts';
import { findPullRequest, headsOf, protectionOf, requireEnds, requireOpen } from './load.ts';
import { getPullRequest, type PullRequestRow } from './queries.ts';
import { listDecisions } from './review-queries.ts';
import { type Blocker, blockersOf, countDecisions } from './rules/requirements.ts';

type MergeInput = Input<'pull_requests.merge'>;
type PullMergeItem = WriteItem<'pull_requests.merge'>;
type PullMergeAnswer = Output<'pull_requests.merge'>;

/** Questions are asked again before the transaction, which would wait for them. */
type AskedBefore = { result: CheckResult; source_seq: number };

async function prepare(services: Services, { id }: MergeInput, caller: PullMergeItem['caller']) {
  const { read } = services.database.forAccount(caller.account_id);
  const row = await getPullRequest(read, caller.account_id, id);
  if (row?.status !== 'open') return undefined;
  await requireEnds(services, caller, { ends: row });
  const { source_seq } = await headsOf(read, row);
  return { result: await checkMemory({ services, caller }, row), source_seq } satisfies AskedBefore;
}

async function mergePullRequest(work: Work, item: PullMergeItem): Promise<WriteResult<PullMergeAnswer> | Fault> {
  await work.locked;
  const { input, caller } = item;
  const row = await findPullRequest(work.tx, work.account_id, input.id);
  await requireEnds(work.services, caller, { ends: row, permission: 'read_write' });
  requireOpen(row);
  const checks = input.dry_run ? [] : await requireMergeable(work, row, item);
  const { id: _, ...how } = input;
  const ends = { name: row.source_branch, target: row.target_branch };
  const merge = { ...how, ...ends, merge_id: row.id };
  const result = await mergeBranch(work, { caller, input: merge, isReviewed: true });
  if (result instanceof Fault || input.dry_run) return result;
  const author = authorOf(input, caller);
  emitPullRequest(work, row, { event_type: 'pull_request_merged', author, details: { merge_id: row.id } });
  savePullRequest(work, {
    ...row,
    ...{ status: 'merged', updated_at: work.now, merged_by: author.agent_id, merged_at: work.now },
    ...{ merge_strategy: input.strategy, merge_id: row.id },
  });
  storeMore(
    work,
    checks.reduce((sum, { check_name, summary }) => sum + bytesOfTexts([check_name, summary]), 0),
  );
  work.send(work.tx.insertMany(putChecks, checks));
  return result;
}

/** Throws where something is missing that the protection of the target asks for. Returns the checks of the merge. */
async function requireMergeable(work: Work, row: PullRequestRow, item: PullMergeItem): Promise<CheckRow[]> {
  const { tx, account_id } = work;
  const protection = await protectionOf(tx, account_id, row.target_branch);
  const { source_seq, target_seq } = await headsOf(tx, row);
  const asked = item.prepared as AskedBefore | undefined;
  const { agent_id } = authorOf(item.input, item.caller);
  const plan = await planPull({ query: tx, view: viewInWork(work, { lineage: MAIN_LINEAGE, agent_id }) }, row);
  const results = await checkPlan({ query: tx, account_id, plan });
  const at = { source_seq, target_seq, posted_by: null, updated_at: work.now };
  const rows = [...results, ...(asked ? [asked.result] : [])].map(({ name, status, summary }): CheckRow => {
    return { account_id, pull_request_id: row.id, check_name: name, status, summary, ...at };
  });
  const stored = (await listChecks(tx, account_id, row.id)).filter(({ check_name }) => !BUILT_IN.has(check_name));
  const counted = [...rows, ...stored].map((one) => ({
    name: one.check_name,
    status: one.status,
    isCurrent: (one.check_name === 'memory_ci' ? asked?.source_seq : one.source_seq) === source_seq,
  }));
  const decisions = countDecisions(await listDecisions(tx, account_id, row.id), protection, source_seq);
  const blockers = blockersOf(protection, decisions, counted).filter((one) => !isLeftToMerge(one, item.input));
  if (blockers.length > 0) throw blocked(row, blockers);
  return rows;
}

/** A merge that takes no side is refused for its conflicts, and stores them so that they can be resolved. */
const isLeftToMerge = ({ check }: Blocker, { strategy, detection }: MergeInput): boolean =>
  check === 'conflicts' && preferredBy(strategy) === undefined && detection !== 'newest';

const blocked = ({ id }: PullRequestRow, blocked_by: readonly Blocker[]): Fault =>
  new Fault('pull_request_blocked', blocked_by.map(({ message }) => message).join('; '), { id, blocked_by });

export const merge = prepares(
  prepare,
  exclusive(
    writesTogether<'pull_requests.merge'>(async (work, items) => {
      const results: (WriteResult<PullMergeAnswer> | Fault)[] = [];
      for (const item of items) results.push(await mergePullRequest(work, item));
      return results;
    }),
  ),
);
