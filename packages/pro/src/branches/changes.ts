import {
  bytesOfTexts,
  type Caller,
  changed,
  exclusive,
  Fault,
  hashedBy,
  MAIN_BRANCH,
  protectMain,
  readableBranches,
  storeMore,
  unchanged,
  type Work,
  writes,
} from '@mem-service/server/module';
import { findOpenOf } from '../pull-requests/queries.ts';
import { requireRoomForBranch } from './create.ts';
import { emitBranch } from './emit.ts';
import * as queries from './queries.ts';
import { toBranch, toProtection } from './render.ts';
import { noBranch } from './resolve.ts';

async function loadBranch({ tx, account_id }: Work, name: string): Promise<queries.BranchRow> {
  if (name === MAIN_BRANCH)
    throw new Fault('conflict', `${MAIN_BRANCH} is always there, and cannot be described, closed or reopened`, {
      branch: name,
    });
  const row = await queries.getBranch(tx, account_id, name);
  if (!row) throw noBranch(name);
  return row;
}

type GivenAuthor = { input: { agent_id?: string | undefined; session_id?: string | undefined }; caller: Caller };
type BranchChange = GivenAuthor & {
  event_type: string;
  details?: Record<string, unknown>;
  set: Partial<queries.BranchRow>;
};

/** Changes columns of a branch, with an event that says so. */
export function changeBranch(
  work: Work,
  row: queries.BranchRow,
  { event_type, details, set, input, caller }: BranchChange,
) {
  const after = { ...row, ...set };
  const reported = { parent_branch: row.parent, ...details };
  emitBranch(work, { event_type, branch: row.name, details: reported, input, caller });
  saveBranch(work, after);
  const branch = toBranch(after);
  return changed(branch, { resource: row.name, before: hashedBy(toBranch(row)).after, after: hashedBy(branch).after });
}

function saveBranch(work: Work, row: queries.BranchRow): void {
  const { account_id, name, fork_seq, inherits, status, is_protected, description } = row;
  const { merged_by, merged_at, closed_by, closed_at } = row;
  const set = { fork_seq, inherits, status, is_protected, description, merged_by, merged_at, closed_by, closed_at };
  work.send(work.tx.updateMany(queries.updateBranches, [{ account_id, name, ...set }]));
}

const authorOf = ({ input, caller }: GivenAuthor): string => input.agent_id ?? caller.agent_id;

// Each has a transaction of its own: what a branch shows and takes is decided once for all writes of a transaction.

const update = writes<'branches.update'>(async (work, { input, caller }) => {
  const row = await loadBranch(work, input.name);
  const { description } = input;
  if (row.description === description) return unchanged(toBranch(row));
  storeMore(work, bytesOfTexts([description]) - bytesOfTexts([row.description]));
  return changeBranch(work, row, { event_type: 'branch_updated', set: { description }, input, caller });
});

const close = writes<'branches.close'>((work, item) => closeBranch(work, item));

type ClosedBranch = GivenAuthor & { input: { name: string } };

/** Nothing can be written to it from then on. */
export async function closeBranch(work: Work, { input, caller }: ClosedBranch) {
  const row = await loadBranch(work, input.name);
  const { name, status } = row;
  if (status === 'closed') return unchanged(toBranch(row));
  if (status === 'merged') throw branchClosed(row);
  if (row.is_protected === 1) throw stillProtected(name);
  const child = await queries.findOpenChild(work.tx, work.account_id, name);
  if (child) throw await hasOpenChild(work, { name, child: child.name }, caller);
  const pull = await findOpenOf(work.tx, work.account_id, name);
  if (pull) {
    const message = `the pull request ${pull.id} of the branch is open: merge or close that first`;
    throw new Fault('conflict', message, { branch: name, open_pull_request: pull.id });
  }
  const set = { status: 'closed' as const, closed_by: authorOf({ input, caller }), closed_at: work.now };
  return changeBranch(work, row, { event_type: 'branch_closed', set, input, caller });
}

const stillProtected = (branch: string): Fault =>
  new Fault('branch_protected', `the branch ${JSON.stringify(branch)} is protected: remove its protection first`, {
    branch,
  });

/** Names the other branch to those who may read it. */
async function hasOpenChild(work: Work, { name, child }: { name: string; child: string }, caller: Caller) {
  const readable = await readableBranches({ caller, services: work.services }, [child]);
  const isNamed = !readable || readable.has(child);
  const which = isNamed ? `the branch ${JSON.stringify(child)}` : 'another branch';
  return new Fault('conflict', `${which} was forked from it and is open: merge or close that first`, {
    branch: name,
    ...(isNamed ? { open_branch: child } : {}),
  });
}

/** A branch that was merged keeps when and by whom. */
const reopen = writes<'branches.reopen'>(async (work, { input, caller }) => {
  const row = await loadBranch(work, input.name);
  if (row.status === 'active') return unchanged(toBranch(row));
  await requireRoomForBranch(work);
  const set = { status: 'active' as const, closed_by: null, closed_at: null };
  return changeBranch(work, row, { event_type: 'branch_reopened', set, input, caller });
});

export const branchClosed = ({ name, status }: Pick<queries.BranchRow, 'name' | 'status'>): Fault =>
  new Fault('branch_closed', `the branch ${JSON.stringify(name)} is ${status}: it can only be read`, {
    branch: name,
    status_of_branch: status,
  });

export const branchProtected = (branch: string): Fault =>
  new Fault('branch_protected', `the branch ${JSON.stringify(branch)} is changed by merges only`, { branch });

/** `main` has no row of its own. */
async function setProtected(work: Work, name: string, isProtected: boolean): Promise<void> {
  if (name === MAIN_BRANCH) return protectMain(work, isProtected);
  const row = await loadBranch(work, name);
  saveBranch(work, { ...row, is_protected: Number(isProtected) });
}

const protect = writes<'branches.protect'>(async (work, { input, caller }) => {
  const { account_id, tx, now } = work;
  const { name, required_approvals, dismisses_approvals, required_checks } = input;
  await setProtected(work, name, true);
  const before = await queries.getProtection(tx, account_id, name);
  const row: queries.ProtectionRow = {
    ...{ account_id, branch: name, required_approvals, dismisses_approvals: Number(dismisses_approvals) },
    ...{ required_checks: JSON.stringify([...new Set(required_checks)]) },
    ...{ set_by: authorOf({ input, caller }), set_at: now },
  };
  const protection = toProtection(row);
  emitBranch(work, { event_type: 'branch_updated', branch: name, details: { protection }, input, caller });
  work.send(tx.insertMany(queries.putProtection, [row]));
  const answer = { name, is_protected: true, protection };
  return changed(answer, { resource: name, ...hashesOf(before, row) });
});

const unprotect = writes<'branches.unprotect'>(async (work, { input, caller }) => {
  const { account_id, tx } = work;
  const { name } = input;
  await setProtected(work, name, false);
  const before = await queries.getProtection(tx, account_id, name);
  const answer = { name, is_protected: false, protection: null };
  if (!before) return unchanged(answer);
  emitBranch(work, { event_type: 'branch_updated', branch: name, details: { protection: null }, input, caller });
  work.send(queries.deleteProtection(tx, account_id, name));
  return changed(answer, { resource: name, ...hashesOf(before, undefined) });
});

function hashesOf(before: queries.ProtectionRow | undefined, after: queries.ProtectionRow | undefined) {
  const hash = (row: queries.ProtectionRow | undefined) => (row ? hashedBy(toProtection(row) ?? {}).after : null);
  return { before: hash(before), after: hash(after) };
}

export const changes = {
  'branches.update': exclusive(update),
  'branches.close': exclusive(close),
  'branches.reopen': exclusive(reopen),
  'branches.protect': exclusive(protect),
  'branches.unprotect': exclusive(unprotect),
};
