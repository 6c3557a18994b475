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
import { branchClosed } from '../branches/changes.ts';
import { getProtection, insertFork, moveFork, setMerged } from '../branches/queries.ts';
import { toProtection } from '../branches/render.ts';
import type { RefSource } from '../branches/resolve.ts';
import { spansOfFork } from '../branches/rules/spans.ts';
import { getPullRequest } from '../pull-requests/queries.ts';
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
import { type MergeOutcome, type MergeRequest, runMerge } from './run-merge.ts';
import { endWaiting, findWaiting } from './waiting.ts';
import type { MergeAuthor } from './write.ts';

type Answer = Output<'branches.merge'>;
export type MergeItem = {
  caller: Caller;
  input: Omit<Input<'branches.merge'>, 'keep_open'> & { keep_open?: boolean };
  /** Of a pull request: throws unless it has what the protection of the target asks for. */
  review?: MergeRequest['review'];
};

type NamedAuthor = { agent_id?: string | undefined; session_id?: string | undefined };

export function authorOf(input: NamedAuthor, caller: Caller): MergeAuthor {
  const { agent_id = caller.agent_id, session_id = caller.session_id } = input;
  return { agent_id, session_id, session: sessionName(session_id, caller) };
}

type AnswerParts = { dry_run?: boolean; isNothing?: boolean; conflicting?: ReturnType<typeof namedConflicts> };

const toAnswer = (
  row: MergeRow,
  { dry_run = false, isNothing = false, conflicting = [] }: AnswerParts = {},
): Answer => ({
  ...toMerge(row),
  merge_id: isNothing ? null : row.merge_id,
  status: isNothing ? 'up_to_date' : dry_run && row.status === 'merged' ? 'would_merge' : row.status,
  ...(dry_run ? { dry_run } : {}),
  conflicting,
});

/** The answer to a merge, also to one that was made before. */
export function answerTo(outcome: MergeOutcome, dry_run: boolean): WriteResult<Answer> | Fault {
  if (outcome instanceof Fault) return outcome;
  const { row, isNothing } = outcome;
  const answer = toAnswer(row, { dry_run, isNothing, conflicting: namedConflicts(outcome.conflicting) });
  return dry_run || isNothing ? unchanged(answer) : changed(answer, { resource: row.merge_id, ...hashedBy(answer) });
}

type Named = { kind: MergeKind; merge_id: string | undefined; source: string; target: string; isOfPull?: boolean };

/** An earlier merge of this id. Throws where the id belongs to another merge. */
export async function earlierMerge(
  work: Work,
  { kind, merge_id, source, target, isOfPull = false }: Named,
): Promise<MergeRow | undefined> {
  if (merge_id === undefined) return undefined;
  if (!isOfPull && (await getPullRequest(work.tx, work.account_id, merge_id)))
    throw new Fault('conflict', `${merge_id} is the id of a pull request: merge that, or take another id`, {
      merge_id,
    });
  const row = await getMerge(work.tx, work.account_id, merge_id);
  if (row && (row.kind !== kind || row.source !== source || row.target !== target))
    throw new Fault('conflict', `${merge_id} is the id of another merge`, { merge_id });
  return row;
}

export const answerAgain = (row: MergeRow): WriteResult<Answer> => unchanged(toAnswer(row));

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
  { input, caller, review }: MergeItem,
): Promise<WriteResult<Answer> | Fault> {
  await work.locked;
  const { name, target, merge_id } = input;
  const isOfPull = review !== undefined;
  const before = await earlierMerge(work, { kind: 'merge', merge_id, source: name, target, isOfPull });
  if (before?.status === 'merged') {
    if (isOfPull) throw new Fault('conflict', `${merge_id} is the id of another merge`, { merge_id });
    return answerAgain(before);
  }
  const refs = { account_id: work.account_id, read: work.tx };
  const source = await endOf(refs, name);
  const into = await endOf(refs, target);
  if (source.row && source.row.status !== 'active') throw branchClosed(source.row);
  requireOpen(into, 'the target');
  if (!review && !input.dry_run) await requireUnreviewed(work, into.branch);
  if (source.branch === into.branch)
    throw new Fault('conflict', 'a branch is not merged into itself', { branch: name });
  const ends = { source, target: into, base: await mergeBase(refs, source, into) };
  const between = { kind: 'merge', source: source.branch, target: into.branch } as const;
  const waiting = merge_id === undefined ? await findWaiting(work, between) : before;
  const outcome = await runMerge(work, {
    ...requestOf(work, { input, caller, waiting }),
    kind: 'merge',
    ends,
    names: await namesToMerge(refs, ends),
    waiting,
    review,
  });
  const isDone = !(outcome instanceof Fault) && !outcome.isNothing && !input.dry_run;
  if (isDone) await endWaiting(work, between);
  if (isDone && !input.keep_open && source.row?.parent === into.branch && source.row.status === 'active')
    await setMerged(work.tx, work.account_id, { name, by: authorOf(input, caller).agent_id, at: work.now });
  return answerTo(outcome, input.dry_run);
}

type Requested = RefreshItem & { waiting: MergeRow | undefined };

function requestOf(work: Work, { input, caller, waiting }: Requested) {
  const { message, expected_head, dry_run, resolutions } = input;
  const author = authorOf(input, caller);
  // What has conflicts cannot be merged so: it goes on as it was begun.
  const { strategy, detection } = waiting && input.strategy === 'FAST_FORWARD' ? waiting : input;
  return {
    ...{ caller, strategy, detection, expected_head, dry_run },
    // What another says about it may be for that agent alone.
    message: message === '' && waiting?.agent_id === author.agent_id ? waiting.message : message,
    merge_id: input.merge_id ?? waiting?.merge_id ?? work.services.ids.next(work.now),
    author,
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
  const isMore = await isBehind(work, { source, target });
  const fork_seq = input.dry_run || !isMore ? source.seq : keepState(work);
  const between = { kind: 'refresh', source: parent, target: target.branch } as const;
  const waiting = input.merge_id === undefined ? await findWaiting(work, between) : before;
  const outcome = await runMerge(work, {
    ...requestOf(work, { input, caller, waiting }),
    kind: 'refresh',
    ends,
    names,
    waiting,
    isMore,
  });
  if (!(outcome instanceof Fault) && !input.dry_run) await endWaiting(work, between);
  if (!(outcome instanceof Fault) && isMore && !input.dry_run) {
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

/** Whether something was written to what a branch inherits since its fork. */
async function isBehind(work: Work, { source, target }: Omit<Three<MergeEnd>, 'base'>): Promise<boolean> {
  const windows = windowsBetween(source.lineage, target.lineage.slice(1));
  const { more } = await namesWritten(work.tx, work.account_id, { windows, most: 0 });
  return more;
}

export const refresh = exclusive(
  writesTogether<'branches.refresh'>(async (work, items) => {
    const results: (WriteResult<Answer> | Fault)[] = [];
    for (const item of items) results.push(await refreshBranch(work, item));
    return results;
  }),
);
