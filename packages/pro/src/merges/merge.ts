import {
  type Caller,
  changed,
  exclusive,
  Fault,
  hashedBy,
  type Input,
  keepState,
  MAIN_BRANCH,
  type Output,
  sessionName,
  unchanged,
  type Work,
  type WriteResult,
  writesTogether,
} from '@mem-service/server/module';
import { getProtection, insertFork, moveFork, setMerged } from '../branches/queries.ts';
import { toProtection } from '../branches/render.ts';
import type { RefSource } from '../branches/resolve.ts';
import { spansOfFork } from '../branches/rules/spans.ts';
import { toMerge } from './answer.ts';
import { namedConflicts } from './conflicts.ts';
import { endOf, type MergeEnd, mergeBase } from './ends.ts';
import { namesJudged } from './evidence.ts';
import { MAX_MERGED_ENTRIES } from './limits.ts';
import { type MergedName, namesWritten, nameText } from './load.ts';
import { tooManyEntries } from './plan.ts';
import { getMerge, type MergeKind, type MergeRow } from './queries.ts';
import { parseResolutions } from './resolve-conflicts.ts';
import type { Three } from './rules/json.ts';
import { windowsBetween } from './rules/windows.ts';
import { type MergeOutcome, runMerge } from './run-merge.ts';
import type { MergeAuthor } from './write.ts';

type Answer = Output<'branches.merge'>;
export type MergeItem = {
  caller: Caller;
  input: Omit<Input<'branches.merge'>, 'keep_open'> & { keep_open?: boolean };
  /** It has what the protection of the target asks for. */
  isReviewed?: boolean;
};

type NamedAuthor = { agent_id?: string | undefined; session_id?: string | undefined };

export function authorOf(input: NamedAuthor, caller: Caller): MergeAuthor {
  const { agent_id = caller.agent_id, session_id = caller.session_id } = input;
  return { agent_id, session_id, session: sessionName(session_id, caller) };
}

export const toAnswer = (
  row: MergeRow,
  { dry_run, conflicting }: { dry_run: boolean; conflicting: ReturnType<typeof namedConflicts> },
): Answer => ({ ...toMerge(row), ...(dry_run ? { dry_run } : {}), conflicting });

/** The answer to a merge, also to one that was made before. */
export function answerTo(outcome: MergeOutcome, dry_run: boolean): WriteResult<Answer> | Fault {
  if (outcome instanceof Fault) return outcome;
  const { row, conflicting } = outcome;
  const answer = toAnswer(row, { dry_run, conflicting: namedConflicts(conflicting) });
  return dry_run ? unchanged(answer) : changed(answer, { resource: row.merge_id, ...hashedBy(answer) });
}

type Named = { kind: MergeKind; merge_id: string | undefined; source: string; target: string };

/** An earlier merge of this id. Throws where the id belongs to another merge. */
export async function earlierMerge(
  work: Work,
  { kind, merge_id, source, target }: Named,
): Promise<MergeRow | undefined> {
  if (merge_id === undefined) return undefined;
  const row = await getMerge(work.tx, work.account_id, merge_id);
  if (row && (row.kind !== kind || row.source !== source || row.target !== target))
    throw new Fault('conflict', `${merge_id} is the id of another merge, of ${row.source} into ${row.target}`, {
      merge_id,
    });
  return row;
}

export const answerAgain = (row: MergeRow): WriteResult<Answer> =>
  unchanged(toAnswer(row, { dry_run: false, conflicting: [] }));

/** Throws unless a branch can be written to by a merge. */
export function requireOpen({ branch, isNewest, row }: MergeEnd, what: string): void {
  if (!isNewest) throw new Fault('branch_read_only', `${what} ${JSON.stringify(branch)} is a past state`, { branch });
  if (row && row.status !== 'active')
    throw new Fault('branch_closed', `the branch ${JSON.stringify(branch)} is ${row.status}`, {
      branch,
      status_of_branch: row.status,
    });
}

/** A branch whose protection asks for approvals or checks is changed by pull requests, which have them. */
async function requireUnreviewed({ tx, account_id }: Work, branch: string): Promise<void> {
  const protection = toProtection(await getProtection(tx, account_id, branch));
  if (!protection || protection.required_approvals + protection.required_checks.length === 0) return;
  const message = `the protection of ${JSON.stringify(branch)} asks for approvals or checks: open a pull request, and merge that`;
  throw new Fault('pull_request_required', message, { branch });
}

/** Everything that the source may have changed, or has evidence about, since the base. */
export async function namesToMerge(
  { account_id, read }: RefSource,
  { base, source }: Pick<Three<MergeEnd>, 'base' | 'source'>,
): Promise<MergedName[]> {
  const windows = windowsBetween(source.lineage, base.lineage);
  const { names, more } = await namesWritten(read, account_id, { windows, most: MAX_MERGED_ENTRIES });
  if (more) throw tooManyEntries();
  const all = [...names, ...(await namesJudged(read, account_id, windows))];
  return [...new Map(all.map((name) => [nameText(name), name])).values()];
}

export async function mergeBranch(
  work: Work,
  { input, caller, isReviewed = false }: MergeItem,
): Promise<WriteResult<Answer> | Fault> {
  await work.locked;
  const { name, target, merge_id } = input;
  const before = await earlierMerge(work, { kind: 'merge', merge_id, source: name, target });
  if (before?.status === 'merged') return answerAgain(before);
  const refs = { account_id: work.account_id, read: work.tx };
  const source = await endOf(refs, name);
  const into = await endOf(refs, target);
  requireOpen(into, 'the target');
  if (!isReviewed && !input.dry_run) await requireUnreviewed(work, into.branch);
  if (source.branch === into.branch)
    throw new Fault('conflict', 'a branch is not merged into itself', { branch: name });
  const ends = { source, target: into, base: await mergeBase(refs, source, into) };
  const outcome = await runMerge(work, {
    ...requestOf(work, { input, caller }),
    kind: 'merge',
    ends,
    names: await namesToMerge(refs, ends),
    waiting: before,
  });
  const isDone = !(outcome instanceof Fault) && !input.dry_run;
  if (isDone && !input.keep_open && source.row?.parent === into.branch && source.row.status === 'active')
    await setMerged(work.tx, work.account_id, { name, by: authorOf(input, caller).agent_id, at: work.now });
  return answerTo(outcome, input.dry_run);
}

function requestOf(work: Work, { input, caller }: Pick<MergeItem, 'caller'> & { input: Input<'branches.refresh'> }) {
  const { strategy, detection, message, expected_head, dry_run, resolutions } = input;
  return {
    ...{ caller, strategy, detection, message, expected_head, dry_run },
    merge_id: input.merge_id ?? work.services.ids.next(work.now),
    author: authorOf(input, caller),
    resolutionOf: parseResolutions(resolutions),
  };
}

type RefreshItem = { caller: Caller; input: Input<'branches.refresh'> };

/** Merges the parent into the branch where both changed something, then moves the fork to the parent's newest state. */
export async function refreshBranch(work: Work, { input, caller }: RefreshItem): Promise<WriteResult<Answer> | Fault> {
  await work.locked;
  const refs = { account_id: work.account_id, read: work.tx };
  const target = await endOf(refs, input.name);
  if (!target.row)
    throw new Fault('conflict', `${MAIN_BRANCH} has no parent to be refreshed from`, { branch: input.name });
  requireOpen(target, 'the branch');
  if (!input.dry_run) await requireUnreviewed(work, target.branch);
  const { parent } = target.row;
  await work.services.branchAccess.require(caller, parent, 'read');
  const before = await earlierMerge(work, {
    kind: 'refresh',
    merge_id: input.merge_id,
    source: parent,
    target: input.name,
  });
  if (before?.status === 'merged') return answerAgain(before);
  const source = await endOf(refs, parent);
  const ends = { source, target, base: await mergeBase(refs, source, target) };
  const { names, more } = await namesWritten(work.tx, work.account_id, {
    windows: [{ branch: target.branch, after: 0, up_to: null }],
    most: MAX_MERGED_ENTRIES,
  });
  if (more) throw tooManyEntries();
  const fork_seq = input.dry_run ? source.seq : keepState(work);
  const outcome = await runMerge(work, {
    ...requestOf(work, { input, caller }),
    kind: 'refresh',
    ends,
    names,
    waiting: before,
  });
  if (!(outcome instanceof Fault) && !input.dry_run) {
    const since_seq = outcome.row.head_seq as number;
    const [, ...inherited] = source.lineage;
    const inherits = JSON.stringify(spansOfFork({ parent, fork_seq, is_kept: true, inherited }));
    const { account_id, tx } = work;
    const fork = { account_id, branch: target.branch, since_seq, parent, fork_seq, is_kept: 1, inherits };
    work.send(tx.insertMany(insertFork, [fork]));
    await moveFork(tx, account_id, { name: target.branch, fork_seq, inherits });
  }
  return answerTo(outcome, input.dry_run);
}

export const merge = exclusive(
  writesTogether<'branches.merge'>(async (work, items) => {
    const results: (WriteResult<Answer> | Fault)[] = [];
    for (const item of items) results.push(await mergeBranch(work, item));
    return results;
  }),
);

export const refresh = exclusive(
  writesTogether<'branches.refresh'>(async (work, items) => {
    const results: (WriteResult<Answer> | Fault)[] = [];
    for (const item of items) results.push(await refreshBranch(work, item));
    return results;
  }),
);
