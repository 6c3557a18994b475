import {
  type CommittedName,
  exclusive,
  Fault,
  invalidInput,
  listCommittedNames,
  mayAgentSee,
  viewInWork,
  type Work,
  writes,
} from '@mem-service/server/module';
import { branchProtected } from '../branches/changes.ts';
import { stateAt } from '../branches/resolve.ts';
import { endOf, type MergeEnd } from './ends.ts';
import { MAX_MERGED_ENTRIES } from './limits.ts';
import { loadRows, type MergedName, nameText } from './load.ts';
import { answerTo, authorOf, requireOpen } from './merge.ts';
import { isUnseen, tooManyEntries } from './plan.ts';
import { runMerge } from './run-merge.ts';

/** Entries as they are in one state are written to a branch, whatever it has there. */
export const cherryPick = exclusive(
  writes<'entries.cherry_pick'>(async (work, { input, caller }) => {
    const { from, branch, message, dry_run } = input;
    if (input.entries.length + input.commit_ids.length === 0)
      throw invalidInput([{ path: 'entries', message: 'is required, or commit_ids' }]);
    const refs = { account_id: work.account_id, read: work.tx };
    const committed = await namesOfCommits(work, input.commit_ids);
    const source = await sourceOf(work, await endOf(refs, from), committed);
    const target = await endOf(refs, branch);
    requireOpen(target, 'the branch');
    if (target.row?.is_protected === 1 || work.protectedBranches.has(branch)) throw branchProtected(branch);
    const author = authorOf(input, caller);
    const all = [...input.entries, ...committed.map(({ entity_path, key }) => ({ entity_path, key }))];
    const names = [...new Map(all.map((name) => [nameText(name), name])).values()];
    const picker = { agent_id: author.agent_id, source, target };
    await requireSeen(work, { entries: input.entries, committed }, picker);
    await requireOwn(work, names, picker);
    const outcome = await runMerge(work, {
      kind: 'cherry_pick',
      merge_id: work.services.ids.next(work.now),
      ...{ caller, author, message, dry_run, names },
      // Against the target itself nothing conflicts: it takes what the source has.
      ends: { source, target, base: target },
      strategy: 'THREE_WAY',
      detection: 'field',
      resolutionOf: () => undefined,
      expected_head: undefined,
      waiting: undefined,
      // That nothing had to be picked is answered as well.
      isMore: true,
    });
    const answer = answerTo(outcome, dry_run);
    if (answer instanceof Fault) throw answer;
    return answer;
  }),
);

const noCommit = (commit_id: string): Fault =>
  new Fault('not_found', `there is no commit ${commit_id} to pick`, { commit_id });

async function namesOfCommits(work: Work, commit_ids: readonly string[]): Promise<CommittedName[]> {
  if (commit_ids.length === 0) return [];
  const most = MAX_MERGED_ENTRIES + 1;
  const names = await listCommittedNames(work.tx, work.dialect, { account_id: work.account_id, commit_ids, most });
  if (names.length === most) throw tooManyEntries();
  const missing = commit_ids.find((id) => !names.some(({ commit_id }) => commit_id === id));
  if (missing !== undefined) throw noCommit(missing);
  return names;
}

/** Commits are picked as they were: the state is that just after the last of them. */
async function sourceOf(work: Work, from: MergeEnd, committed: readonly CommittedName[]): Promise<MergeEnd> {
  const last = committed.at(-1);
  if (!last) return from;
  if (last.seq > from.seq || committed.some(({ branch }) => branch !== from.branch)) throw noCommit(last.commit_id);
  const { branch, seq, lineage } = await stateAt(
    { account_id: work.account_id, read: work.tx },
    { ...from, seq: last.seq },
  );
  return { branch, seq: seq as number, lineage, isNewest: false, row: undefined };
}

type Picker = { agent_id: string; source: MergeEnd; target: MergeEnd };
type Picked = { entries: readonly MergedName[]; committed: readonly CommittedName[] };

/** Throws where an entry is not in the source, or only another agent may see it there. What commits wrote is not named. */
async function requireSeen(work: Work, { entries, committed }: Picked, { agent_id, source }: Picker): Promise<void> {
  const view = viewInWork(work, { lineage: source.lineage, agent_id });
  const rows = await loadRows(work.tx, view, [...entries, ...committed]);
  const isSeen = (name: MergedName): boolean => {
    const row = rows.get(nameText(name));
    return row !== undefined && mayAgentSee(row, agent_id);
  };
  const unseen = entries.find((name) => !isSeen(name));
  if (unseen)
    throw new Fault('not_found', `there is no entry ${unseen.entity_path}/${unseen.key} to pick`, { ...unseen });
  const seen = new Set(committed.filter(isSeen).map(({ commit_id }) => commit_id));
  const missing = committed.find(({ commit_id }) => !seen.has(commit_id));
  if (missing) throw noCommit(missing.commit_id);
  const hidden = committed.filter((name) => !isSeen(name)).length;
  if (hidden > 0)
    throw new Fault('forbidden', `${hidden} of the entries of these commits are private to other agents`, { hidden });
}

/** Throws where a pick would write over what only another agent may see. */
async function requireOwn(work: Work, names: readonly MergedName[], { agent_id, target }: Picker): Promise<void> {
  const view = viewInWork(work, { lineage: target.lineage, agent_id });
  const rows = await loadRows(work.tx, view, names);
  const hidden = [...rows.values()].filter((row) => isUnseen(row, view)).length;
  if (hidden > 0)
    throw new Fault('forbidden', `${hidden} of the entries are private to other agents on ${target.branch}`, {
      hidden,
    });
}
