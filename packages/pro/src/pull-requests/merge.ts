import {
  exclusive,
  Fault,
  type Input,
  MAIN_LINEAGE,
  type Output,
  prepares,
  type Services,
  viewInWork,
  type Work,
  type WriteItem,
  type WriteResult,
  writesTogether,
} from '@mem-service/server/module';
import { authorOf, mergeBranch } from '../merges/merge.ts';
import { isOpen, type PlannedEntry } from '../merges/plan.ts';
import { preferredBy } from '../merges/rules/strategy.ts';
import { saveMerged } from './changes.ts';
import { type CheckRow, listChecks } from './check-queries.ts';
import { BUILT_IN } from './checks/built-in.ts';
import { checkMemory } from './checks/memory-ci.ts';
import { planPull } from './checks/plan.ts';
import { checkPlan } from './checks/plan-checks.ts';
import type { CheckResult } from './checks/result.ts';
import { loadDecisions } from './deciders.ts';
import { saveChecks } from './ending.ts';
import { headsOf } from './heads.ts';
import { findPullRequest, protectionOf, requireEnds, requireOpen } from './load.ts';
import { getPullRequest, type PullRequestRow } from './queries.ts';
import { listDecisions } from './review-queries.ts';
import { type EndState, endStateOf } from './rules/end-state.ts';
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
  const { id: _, ...how } = input;
  const merge = { ...how, name: row.source_branch, target: row.target_branch, merge_id: row.id };
  let found: Mergeable | undefined;
  const review = async (entries: readonly PlannedEntry[]) => {
    found = await checkMergeable(work, row, { item, entries });
    return found.refusal;
  };
  const result = await mergeBranch(work, { caller, input: merge, review });
  // Nothing changed by a dry run, nor by a merge of nothing.
  if (result instanceof Fault || result.change === null || !found) return result;
  const author = authorOf(input, caller);
  saveMerged(work, row, { author, strategy: input.strategy, merge_id: row.id, end: found.end });
  await saveChecks(work, row, found.checks);
  return result;
}

type Planned = { item: PullMergeItem; entries: readonly PlannedEntry[] };

type Mergeable = { checks: CheckRow[]; refusal: Fault | undefined; end: EndState };

/** The checks of the merge, and the refusal where something is missing that the protection of the target asks for. */
async function checkMergeable(work: Work, row: PullRequestRow, { item, entries }: Planned): Promise<Mergeable> {
  const { tx, account_id } = work;
  const protection = await protectionOf(tx, account_id, row.target_branch);
  const heads = await headsOf(tx, row);
  // What is resolved only now nobody has seen before.
  const source_seq = item.input.resolutions.length > 0 ? work.account.seq + 1 : heads.source_seq;
  const asked = item.prepared as AskedBefore | undefined;
  const plan = { entries, conflicting: await conflictingOf(work, row, { item, entries }) };
  const results = await checkPlan({ query: tx, account_id, plan });
  const at = { ...heads, posted_by: null, updated_at: work.now };
  const rows = [...results, ...(asked ? [asked.result] : [])].map(({ name, status, summary }): CheckRow => {
    return { account_id, pull_request_id: row.id, check_name: name, status, summary, ...at };
  });
  const stored = (await listChecks(tx, account_id, row.id)).filter(({ check_name }) => !BUILT_IN.has(check_name));
  const counted = [
    ...rows.map(({ check_name: name, status }) => {
      return { name, status, isCurrent: name !== 'memory_ci' || asked?.source_seq === heads.source_seq };
    }),
    ...stored.map((one) => ({ name: one.check_name, status: one.status, isCurrent: one.source_seq === source_seq })),
  ];
  const decisions = countDecisions(await loadDecisions(tx, row, work.now), protection, source_seq);
  const blockers = blockersOf(protection, decisions, counted).filter((one) => !isLeftToMerge(one, item.input));
  const end = endStateOf({
    ...{ source_seq: heads.source_seq, decided_seq: source_seq, protection, approvals: decisions.approvals },
    decisions: await listDecisions(tx, account_id, row.id),
    checks: counted,
  });
  return { checks: rows, refusal: blockers.length > 0 ? blocked(row, blockers) : undefined, end };
}

const takesSide = ({ strategy, detection }: MergeInput): boolean =>
  preferredBy(strategy) !== undefined || detection === 'newest';

/** Conflicts in which a merge takes a side are conflicts nevertheless. */
async function conflictingOf(work: Work, row: PullRequestRow, { item, entries }: Planned) {
  if (!takesSide(item.input)) return entries.filter(isOpen);
  const { agent_id } = authorOf(item.input, item.caller);
  const view = viewInWork(work, { lineage: MAIN_LINEAGE, agent_id });
  const plan = await planPull({ query: work.tx, view }, row);
  return plan instanceof Fault ? [] : plan.conflicting;
}

/** A merge that takes no side is refused for its conflicts, and stores them so that they can be resolved. */
const isLeftToMerge = ({ check }: Blocker, input: MergeInput): boolean => check === 'conflicts' && !takesSide(input);

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
