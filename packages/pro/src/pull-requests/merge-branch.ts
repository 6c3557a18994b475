import { exclusive, Fault, type Output, type Work, type WriteResult, writesTogether } from '@mem-service/server/module';
import { authorOf, type MergeItem, mergeBranch } from '../merges/merge.ts';
import { saveMerged } from './changes.ts';
import { currentEnd } from './ending.ts';
import { findOpenBetween, getPullRequest } from './queries.ts';

type DirectMerge = Output<'branches.merge'>;

/** A merge that no pull request asked for. The one that is open for the same branches is marked as merged with it. */
export async function mergeDirectly(work: Work, item: MergeItem): Promise<WriteResult<DirectMerge> | Fault> {
  await work.locked;
  const { input, caller } = item;
  const ends = { source_branch: input.name, target_branch: input.target };
  const open = await findOpenBetween(work.tx, work.account_id, ends);
  const row = open && (await getPullRequest(work.tx, work.account_id, open.id));
  const end = row && (await currentEnd(work.tx, row, work.now));
  const result = await mergeBranch(work, item);
  // Nothing changed by a dry run, nor by a merge that was made before.
  if (result instanceof Fault || result.change === null || !row || !end) return result;
  const { strategy } = input;
  const merge_id = result.output.merge_id as string;
  saveMerged(work, row, { author: authorOf(input, caller), strategy, merge_id, end });
  return result;
}

export const merge = exclusive(
  writesTogether<'branches.merge'>(async (work, items) => {
    const results: (WriteResult<DirectMerge> | Fault)[] = [];
    for (const item of items) results.push(await mergeDirectly(work, item));
    return results;
  }),
);
