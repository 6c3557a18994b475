import { type Lineage, MAIN_BRANCH, readSeq } from '@mem-service/server/module';
import { getForkAt } from '../branches/queries.ts';
import { type RefSource, type ResolvedRef, resolveRef, stateAt } from '../branches/resolve.ts';
import { listMergedInto } from './queries.ts';
import { type BranchState, bestOf, commonStates, containedIn, type Origins } from './rules/ancestry.ts';

/** A state of a branch that is compared or merged, and what it shows. `seq` is where the log ended for it. */
export type MergeEnd = BranchState & { lineage: Lineage; isNewest: boolean; row: ResolvedRef['row'] };

export async function endOf(source: RefSource, ref: string): Promise<MergeEnd> {
  const { branch, seq, lineage, row } = await resolveRef(source, ref);
  return {
    branch,
    seq: seq ?? (await readSeq(source.read, source.account_id)),
    lineage,
    isNewest: seq === null,
    row,
  };
}

export const toState = ({ branch, seq }: BranchState) => ({ ref: `${branch}@${seq}`, branch, seq });

/** What a state was made from: the fork that was in force, and everything that was merged into its branch by then. */
const originsIn =
  ({ account_id, read }: RefSource): Origins =>
  async (state) => {
    const merged = await listMergedInto(read, account_id, state);
    if (state.branch === MAIN_BRANCH) return merged;
    const fork = await getForkAt(read, account_id, state);
    return fork ? [{ branch: fork.parent, seq: fork.fork_seq }, ...merged] : merged;
  };

/** The best common ancestor of two states, and what it shows. Every branch comes from `main`, so there is always one. */
export async function mergeBase(source: RefSource, one: BranchState, other: BranchState): Promise<MergeEnd> {
  const origins = originsIn(source);
  const common = commonStates(await containedIn(one, origins), await containedIn(other, origins));
  const candidates = [];
  for (const state of common) candidates.push({ state, contains: await containedIn(state, origins) });
  const best = bestOf(candidates) ?? { branch: MAIN_BRANCH, seq: 0 };
  const { branch, seq, lineage } = await stateAt(source, best);
  return { branch, seq: seq as number, lineage, isNewest: false, row: undefined };
}
