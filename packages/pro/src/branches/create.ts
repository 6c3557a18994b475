import {
  branchRouteProblem,
  bytesOfTexts,
  type Caller,
  changed,
  Fault,
  hashedBy,
  type Input,
  invalidInput,
  keepState,
  storeMore,
  type Work,
  writes,
} from '@mem-service/server/module';
import { emitBranch } from './emit.ts';
import * as queries from './queries.ts';
import { toBranch } from './render.ts';
import { resolveRef } from './resolve.ts';
import { MAX_DEPTH, spansOfFork } from './rules/spans.ts';

const MAX_OPEN_BRANCHES = 1000;
const MAX_BRANCHES = 10_000;

export const create = writes<'branches.create'>(async (work, item) => {
  const branch = toBranch(await createBranch(work, item));
  return changed(branch, { resource: branch.name, ...hashedBy(branch) });
});

type NewBranch = { caller: Caller; input: Input<'branches.create'> };

/** Creates a branch that the rest of the transaction may write to. */
export async function createBranch(work: Work, { input, caller }: NewBranch): Promise<queries.BranchRow> {
  const { account_id, now, tx } = work;
  const { name, from, description, agent_id: created_by = caller.agent_id } = input;
  const problem = branchRouteProblem(name);
  if (problem) throw invalidInput([{ path: 'name', message: problem }]);
  if (await queries.getBranch(tx, account_id, name))
    throw new Fault('conflict', `there is a branch ${JSON.stringify(name)} already`, { name });
  await requireRoomForBranch(work);
  if (await queries.hasBranches(tx, account_id, { count: MAX_BRANCHES }))
    throw new Fault('conflict', `the account has ${MAX_BRANCHES} branches, and can have no more`, {
      max_branches: MAX_BRANCHES,
    });
  const fork = await forkFrom(work, from);
  const { parent, fork_seq, inherits } = fork;
  storeMore(work, bytesOfTexts([name, description]));
  const details = { parent_branch: parent, fork_seq };
  const created_seq = emitBranch(work, { event_type: 'branch_created', branch: name, details, input, caller });
  const row: queries.BranchRow = {
    ...{ account_id, name, parent, fork_seq, inherits, status: 'active', is_protected: 0, description },
    ...{ created_by, holder: caller.holder ?? null, created_seq, created_at: now },
    ...{ merged_by: null, merged_at: null, closed_by: null, closed_at: null },
  };
  work.send(tx.insertMany(queries.insertBranch, [row]));
  work.send(tx.insertMany(queries.insertFork, [{ account_id, branch: name, since_seq: created_seq, ...fork }]));
  return row;
}

/** Refuses one more open branch where there are as many as may be. */
export async function requireRoomForBranch({ tx, account_id }: Work): Promise<void> {
  if (await queries.hasBranches(tx, account_id, { status: 'active', count: MAX_OPEN_BRANCHES }))
    throw new Fault('conflict', `the account has ${MAX_OPEN_BRANCHES} open branches: merge or close some`, {
      max_open_branches: MAX_OPEN_BRANCHES,
    });
}

type NewFork = Pick<queries.ForkRow, 'parent' | 'fork_seq' | 'is_kept' | 'inherits'>;

/** A fork of the newest state, or of a tag of one, is kept as it is now; any other is computed from versions. */
async function forkFrom(work: Work, from: string): Promise<NewFork> {
  const at = await resolveRef({ account_id: work.account_id, read: work.tx }, from);
  const [own, ...inherited] = at.lineage;
  if (at.lineage.length > MAX_DEPTH)
    throw invalidInput([{ path: 'from', message: `is nested ${MAX_DEPTH} branches deep, and cannot have branches` }]);
  const isNewest = at.seq === null || at.seq === work.account.seq;
  const fork_seq = isNewest ? keepState(work) : (at.seq as number);
  const is_kept = isNewest || own?.is_kept === true;
  const inherits = JSON.stringify(spansOfFork({ parent: at.branch, fork_seq, is_kept, inherited }));
  return { parent: at.branch, fork_seq, is_kept: Number(is_kept), inherits };
}
