import type { Work } from '@mem-service/server/module';
import { getPullRequest } from '../pull-requests/queries.ts';
import { listWaiting, type MergeRow } from './queries.ts';
import { deleteWaiting } from './run-merge.ts';

type MergedBetween = Pick<MergeRow, 'kind' | 'source' | 'target'>;

/** A merge of these branches that waits, and that no pull request has: a retry without its id goes on with it. */
export async function findWaiting(work: Work, between: MergedBetween): Promise<MergeRow | undefined> {
  const { tx, account_id } = work;
  for (const row of await listWaiting(tx, { account_id, ...between }))
    if (!(await getPullRequest(tx, account_id, row.merge_id))) return row;
  return undefined;
}

/** Conflicts of branches that were merged otherwise need no resolution. */
export async function endWaiting(work: Work, between: MergedBetween): Promise<void> {
  for (const row of await listWaiting(work.tx, { account_id: work.account_id, ...between }))
    await deleteWaiting(work, row);
}
