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
import { tooManyEntries } from './plan.ts';
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
    await requireSeen(work, names, { lineage: source.lineage, agent_id: author.agent_id });
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
    });
    const answer = answerTo(outcome, dry_run);
    if (answer instanceof Fault) throw answer;
    return answer;
  }),
);

async function namesOfCommits(work: Work, commit_ids: readonly string[]): Promise<CommittedName[]> {
  if (commit_ids.length === 0) return [];
  const most = MAX_MERGED_ENTRIES + 1;
  const names = await listCommittedNames(work.tx, work.dialect, { account_id: work.account_id, commit_ids, most });
  if (names.length === most) throw tooManyEntries();
  const missing = commit_ids.find((id) => !names.some(({ commit_id }) => commit_id === id));
  if (missing !== undefined) throw new Fault('not_found', `there is no commit ${missing}`, { commit_id: missing });
  return names;
}

/** Commits are picked as they were: the state is that just after the last of them. */
async function sourceOf(work: Work, from: MergeEnd, committed: readonly CommittedName[]): Promise<MergeEnd> {
  const last = committed.at(-1);
  if (!last) return from;
  if (last.seq > from.seq || committed.some(({ branch }) => branch !== from.branch))
    throw new Fault('not_found', `${from.branch} has no commit ${last.commit_id}`, { commit_id: last.commit_id });
  const { branch, seq, lineage } = await stateAt(
    { account_id: work.account_id, read: work.tx },
    { ...from, seq: last.seq },
  );
  return { branch, seq: seq as number, lineage, isNewest: false, row: undefined };
}

type PickedFrom = Pick<Parameters<typeof viewInWork>[1], 'lineage' | 'agent_id'>;

/** Throws where an entry is not in the source, or not visible to who picks it. */
async function requireSeen(work: Work, names: readonly MergedName[], from: PickedFrom): Promise<void> {
  const rows = await loadRows(work.tx, viewInWork(work, from), names);
  const unseen = names.find((name) => {
    const row = rows.get(nameText(name));
    return row === undefined || !mayAgentSee(row, from.agent_id);
  });
  if (unseen)
    throw new Fault('not_found', `there is no entry ${unseen.entity_path}/${unseen.key} to pick`, { ...unseen });
}
