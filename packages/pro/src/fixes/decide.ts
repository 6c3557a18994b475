import {
  type Caller,
  changed,
  exclusive,
  Fault,
  type Handlers,
  hashedBy,
  MAIN_BRANCH,
  type Output,
  prepares,
  unchanged,
  viewerOf,
  type Work,
  type WriteItem,
  type WriteResult,
  writes,
  writesTogether,
} from '@mem-service/server/module';
import { closeBranch, getBranch } from '../branches/index.ts';
import { authorOf } from '../judges/index.ts';
import { mergeDirectly } from '../pull-requests/index.ts';
import { type FixRow, getFix, putFixes } from './queries.ts';
import { shownSummary, toWholeFix } from './render.ts';
import { replayOf } from './replay.ts';
import { reportFix } from './report.ts';
import { requireFirst } from './sight.ts';

type DecidedFix = Output<'fixes.approve'>;
type Approval = WriteItem<'fixes.approve'>;

export type FixDecision = {
  status: 'approved' | 'dismissed';
  author: { agent_id: string; session?: string };
  decision: string;
  merge_id?: string | null;
  case_run_id?: string | null;
};

/** Notes what was decided about a fix, with its event. */
export function decide(work: Work, before: FixRow, { status, author, decision, ...ends }: FixDecision): FixRow {
  const { merge_id = null, case_run_id = null } = ends;
  const decided_seq = reportFix(work, before, { change: status, author });
  const row = {
    ...before,
    ...{ status, decided_by: author.agent_id, decision, decided_seq, decided_at: work.now, merge_id, case_run_id },
  };
  work.send(work.tx.insertMany(putFixes, [row]));
  return row;
}

/** As it is in the transaction; whether the caller may see it was asked before. */
async function current(work: Work, caller: Caller, prepared: unknown): Promise<FixRow> {
  await work.locked;
  const before = prepared as FixRow;
  return (await getFix(work.tx, viewerOf({ caller }), before.fix_id)) ?? before;
}

async function answer(work: Work, caller: Caller, { before, after }: { before: FixRow; after: FixRow }) {
  await work.waitForSent();
  const reader = { caller, services: work.services, read: work.tx };
  const fix = await toWholeFix(reader, after);
  const { after: hashed } = hashedBy({ status: before.status });
  return changed(fix, { resource: after.fix_id, before: hashed, after: hashedBy(fix).after });
}

const again = async (work: Work, caller: Caller, row: FixRow) =>
  unchanged(await toWholeFix({ caller, services: work.services, read: work.tx }, row));

const isOver = ({ fix_id, status }: FixRow): Fault =>
  new Fault('conflict', `fix ${fix_id} is ${status}`, { fix_id, status_of_fix: status });

async function approveOne(work: Work, item: Approval): Promise<WriteResult<DecidedFix> | Fault> {
  const { input, caller } = item;
  const before = await current(work, caller, item.prepared);
  if (before.status === 'approved') return again(work, caller, before);
  if (before.status !== 'proposed') throw isOver(before);
  const { fix_id, branch } = before;
  const { branchAccess } = work.services;
  await branchAccess.require(caller, branch, 'read');
  await branchAccess.require(caller, MAIN_BRANCH, 'read_write');
  const replay = await replayOf({ read: work.tx, services: work.services }, before);
  if (before.policy === 'after_replay' && !replay.passed) throw notReplayed(before, replay.reason);
  const { agent_id, session_id, reason } = input;
  const merged = await mergeDirectly(work, {
    caller,
    input: {
      ...{ name: branch, target: MAIN_BRANCH, strategy: 'THREE_WAY', detection: 'field', dry_run: false },
      message: [`Fix ${fix_id}`, ...shownSummary(before)].join(': '),
      ...{ resolutions: [], agent_id, session_id },
    },
  });
  if (merged instanceof Fault) return merged;
  const { merge_id, added, modified, deleted } = merged.output;
  // Thrown, so that the merge is taken back.
  if (added + modified + deleted === 0) throw isWithoutEffect(before);
  const case_run_id = replay.passed ? replay.case_run_id : null;
  const author = authorOf(input, caller);
  const after = decide(work, before, { status: 'approved', author, decision: reason, merge_id, case_run_id });
  return answer(work, caller, { before, after });
}

/** Such as after another fix of the same entry. */
const isWithoutEffect = ({ fix_id, branch }: FixRow): Fault =>
  new Fault('conflict', `fix ${fix_id} would change nothing: main already has what it corrects. Dismiss it`, {
    fix_id,
    branch,
  });

const notReplayed = ({ fix_id, set_id, branch }: FixRow, reason: string): Fault =>
  new Fault(
    'replay_required',
    `the policy of fix ${fix_id} is after_replay, and ${reason}. Do the tasks of the cases on the branch, run the set there (case_runs.create), then approve`,
    {
      fix_id,
      set_id,
      branch,
    },
  );

const approve = writesTogether<'fixes.approve'>(async (work, items) => {
  const results: (WriteResult<DecidedFix> | Fault)[] = [];
  for (const item of items) results.push(await approveOne(work, item));
  return results;
});

const dismiss = writes<'fixes.dismiss'>(async (work, { input, caller, prepared }) => {
  const before = await current(work, caller, prepared);
  if (before.status === 'dismissed') return again(work, caller, before);
  if (before.status !== 'proposed') throw isOver(before);
  const { branch: name } = before;
  await work.services.branchAccess.require(caller, name, 'read_write');
  const branch = await getBranch(work.tx, work.account_id, name);
  const { agent_id, session_id, reason } = input;
  if (branch) await closeBranch(work, { input: { name, agent_id, session_id }, caller });
  const author = authorOf(input, caller);
  return answer(work, caller, {
    before,
    after: decide(work, before, { status: 'dismissed', author, decision: reason }),
  });
});

export const decideHandlers: Handlers = {
  'fixes.approve': prepares<'fixes.approve'>(requireFirst, exclusive(approve)),
  'fixes.dismiss': prepares<'fixes.dismiss'>(requireFirst, exclusive(dismiss)),
};
