import { newestChangeOn, type Output, type Query } from '@mem-service/server/module';
import { getNewestRun, readSet, toRun } from '../cases/index.ts';
import type { FixRow } from './queries.ts';

export type FixReplay = Output<'fixes.read'>['replay'];

/** Whether the regression cases of a fix have passed on its branch, as both are now. */
export async function replayOf(query: Query, fix: FixRow): Promise<FixReplay> {
  const { account_id, set_id, branch } = fix;
  const [set, run, changed_seq] = await Promise.all([
    readSet(query, account_id, set_id),
    getNewestRun(query, account_id, { set_id, branch }),
    newestChangeOn(query, account_id, branch),
  ]);
  const { cases } = set;
  const known = { cases, case_run_id: run?.case_run_id ?? null };
  const fails = (reason: string): FixReplay => ({ ...known, passed: false, reason });
  if (cases === 0) return fails(`set ${set_id} has no cases: keep one with cases.create`);
  if (!run) return fails(`the cases of set ${set_id} have not been run on ${branch}`);
  if (run.seq < Math.max(changed_seq, set.updated_seq))
    return fails(`the branch or a case was changed after run ${run.case_run_id}`);
  const { passed, cases: ran } = toRun(run);
  if (passed < ran) return fails(`${passed} of ${ran} cases passed in run ${run.case_run_id}`);
  return {
    ...known,
    passed: true,
    reason: `${ran === 1 ? 'the case' : `all ${ran} cases`} passed in run ${run.case_run_id}`,
  };
}
