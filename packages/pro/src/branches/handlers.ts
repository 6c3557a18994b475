import {
  bytesOfTexts,
  changed,
  cursorsOf,
  cutPage,
  EVERYONE,
  Fault,
  type Handlers,
  hashedBy,
  invalidInput,
  keepState,
  pageBytes,
  reads,
  sessionName,
  storeMore,
  toIso,
  type Work,
  withinPage,
  writes,
} from '@mem-service/server/module';
import * as queries from './queries.ts';
import { noBranch, type ResolvedRef, resolveRef } from './resolve.ts';
import { MAX_DEPTH, spansOfFork } from './rules/spans.ts';

export const MAX_OPEN_BRANCHES = 1000;
export const MAX_BRANCHES = 10_000;

const create = writes<'branches.create'>(async (work, { input, caller }) => {
  const { account_id, now, tx } = work;
  const { name, from, description, agent_id = caller.agent_id, session_id = caller.session_id } = input;
  if (await queries.getBranch(tx, account_id, name))
    throw new Fault('conflict', `there is a branch ${JSON.stringify(name)} already`, { name });
  await requireRoomForBranch(work);
  const fork = await forkFrom(work, from);
  storeMore(work, bytesOfTexts([name, description]));
  const created_seq = work.emit({
    event_type: 'branch_created',
    agent_id,
    branch: name,
    entity_path: null,
    key: null,
    version: null,
    visible_to: EVERYONE,
    details: { branch: name, parent_branch: fork.parent, fork_seq: fork.fork_seq },
    session: sessionName(session_id, caller),
  });
  const { parent, fork_seq, inherits } = fork;
  const row: queries.BranchRow = {
    ...{ account_id, name, parent, fork_seq, inherits, status: 'active', description },
    ...{ created_by: agent_id, holder: caller.holder ?? null, created_seq, created_at: now },
    ...{ merged_by: null, merged_at: null, closed_by: null, closed_at: null },
  };
  work.send(tx.insertMany(queries.insertBranch, [row]));
  work.send(tx.insertMany(queries.insertFork, [{ account_id, branch: name, since_seq: created_seq, ...fork }]));
  const branch = toBranch(row);
  return changed(branch, { resource: name, ...hashedBy(branch) });
});

async function requireRoomForBranch({ tx, account_id }: Work): Promise<void> {
  if (await queries.hasBranches(tx, account_id, { status: 'active', count: MAX_OPEN_BRANCHES }))
    throw new Fault('conflict', `the account has ${MAX_OPEN_BRANCHES} open branches: merge or close some`, {
      max_open_branches: MAX_OPEN_BRANCHES,
    });
  if (await queries.hasBranches(tx, account_id, { count: MAX_BRANCHES }))
    throw new Fault('conflict', `the account has ${MAX_BRANCHES} branches, and can have no more`, {
      max_branches: MAX_BRANCHES,
    });
}

/** A fork of the newest state is kept by copies of what changes after it; any other is computed from versions. */
async function forkFrom(
  work: Work,
  from: string,
): Promise<Pick<queries.ForkRow, 'parent' | 'fork_seq' | 'is_kept' | 'inherits'>> {
  const at = await resolveRef({ account_id: work.account_id, read: work.tx }, from);
  const [, ...inherited] = at.lineage;
  if (at.lineage.length > MAX_DEPTH)
    throw invalidInput([{ path: 'from', message: `is nested ${MAX_DEPTH} branches deep, and cannot have branches` }]);
  const newest = work.account.seq;
  const fork_seq = at.seq ?? newest;
  const is_kept = fork_seq === newest;
  if (is_kept) keepState(work);
  const inherits = JSON.stringify(spansOfFork({ parent: at.branch, fork_seq, is_kept, inherited }));
  return { parent: at.branch, fork_seq, is_kept: Number(is_kept), inherits };
}

const iso = (time: number | null) => (time === null ? null : toIso(time));

export const toBranch = (row: queries.BranchRow) => ({
  name: row.name,
  parent_branch: row.parent,
  fork_seq: row.fork_seq,
  status: row.status,
  description: row.description,
  created_by: row.created_by,
  created_at: toIso(row.created_at),
  merged_by: row.merged_by,
  merged_at: iso(row.merged_at),
  closed_by: row.closed_by,
  closed_at: iso(row.closed_at),
});

const cursors = cursorsOf('branches', ['number']);

const list = reads<'branches.list'>(async ({ read, caller, services }, { status, limit, cursor }) => {
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : cursors.from(cursor)[0];
  const bytes = pageBytes(services);
  const { account_id } = caller;
  const rows = await queries.listBranches(read, { account_id, status, before, limit: limit + 1, bytes });
  const found = withinPage(services, rows, (row) => [row.name, row.parent, row.description, row.created_by]);
  const { items, ...page } = cutPage(found, limit, (row) => cursors.to([row.created_seq]));
  return { branches: items.map(toBranch), ...page };
});

const read = reads<'branches.read'>(async ({ read, caller }, { name }) => {
  const row = await queries.getBranch(read, caller.account_id, name);
  if (!row) throw noBranch(name);
  return toBranch(row);
});

export const handlers: Handlers = { 'branches.create': create, 'branches.list': list, 'branches.read': read };
export type { ResolvedRef };
