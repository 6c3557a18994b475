import {
  addStored,
  bytesOfTexts,
  Fault,
  MAIN_LINEAGE,
  type Query,
  viewInWork,
  type Work,
} from '@mem-service/server/module';
import { type CheckRow, listChecks, putChecks } from './check-queries.ts';
import { BUILT_IN } from './checks/built-in.ts';
import { planPull } from './checks/plan.ts';
import { checkPlan } from './checks/plan-checks.ts';
import { loadDecisions } from './deciders.ts';
import { headsOf } from './heads.ts';
import { protectionOf } from './load.ts';
import type { PullRequestRow } from './queries.ts';
import { listDecisions } from './review-queries.ts';
import { type EndState, endStateOf } from './rules/end-state.ts';
import { countDecisions } from './rules/requirements.ts';

/** How a pull request stands that ends without its own merge. */
export async function currentEnd(query: Query, row: PullRequestRow, now: number): Promise<EndState> {
  const { account_id, id } = row;
  const protection = await protectionOf(query, account_id, row.target_branch);
  const { source_seq } = await headsOf(query, row);
  const { approvals } = countDecisions(await loadDecisions(query, row, now), protection, source_seq);
  const posted = (await listChecks(query, account_id, id)).filter(({ check_name }) => !BUILT_IN.has(check_name));
  return endStateOf({
    ...{ source_seq, decided_seq: source_seq, protection, approvals },
    decisions: await listDecisions(query, account_id, id),
    checks: posted.map((one) => ({ name: one.check_name, isCurrent: one.source_seq === source_seq })),
  });
}

/** The checks of what would be merged now. Questions are not asked again for them. */
export async function checksNow(work: Work, row: PullRequestRow, agent_id: string): Promise<CheckRow[]> {
  const { tx, account_id, now } = work;
  const view = viewInWork(work, { lineage: MAIN_LINEAGE, agent_id });
  try {
    const plan = await planPull({ query: tx, view }, row);
    const at = { ...(await headsOf(tx, row)), posted_by: null, updated_at: now };
    return (await checkPlan({ query: tx, account_id, plan })).map(({ name, status, summary }) => {
      return { account_id, pull_request_id: row.id, check_name: name, status, summary, ...at };
    });
  } catch (error) {
    // What cannot be merged now is not checked either.
    if (error instanceof Fault) return [];
    throw error;
  }
}

const bytesOf = (checks: readonly CheckRow[]): number =>
  bytesOfTexts(checks.flatMap(({ check_name, summary }) => [check_name, summary]));

/** Keeps the checks with which a pull request ended, in place of those of an earlier end. */
export async function saveChecks(work: Work, { id }: PullRequestRow, checks: readonly CheckRow[]): Promise<void> {
  if (checks.length === 0) return;
  const names = new Set(checks.map(({ check_name }) => check_name));
  const stored = await listChecks(work.tx, work.account_id, id);
  const before = stored.filter(({ check_name }) => names.has(check_name));
  addStored(work, { storage_bytes: bytesOf(checks) - bytesOf(before) });
  work.send(work.tx.insertMany(putChecks, [...checks]));
}
