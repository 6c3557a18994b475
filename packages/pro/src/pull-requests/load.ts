import { type BranchPermission, type Caller, Fault, type Query, type Services } from '@mem-service/server/module';
import { getProtection } from '../branches/queries.ts';
import { toProtection } from '../branches/render.ts';
import { getPullRequest, type PullEnds, type PullRequestRow } from './queries.ts';
import { type Protection, UNPROTECTED } from './rules/requirements.ts';

/** Throws where there is no such pull request. */
export async function findPullRequest(query: Query, accountId: string, id: string): Promise<PullRequestRow> {
  const row = await getPullRequest(query, accountId, id);
  if (!row) throw new Fault('not_found', `there is no pull request ${id}`, { id });
  return row;
}

/** A pull request is shown to those who may read both branches. */
export async function requireEnds(
  { branchAccess }: Pick<Services, 'branchAccess'>,
  caller: Caller,
  { ends, permission = 'read' }: { ends: PullEnds; permission?: BranchPermission },
): Promise<void> {
  await branchAccess.requireUnnamed(caller, ends.source_branch, 'read');
  await branchAccess.requireUnnamed(caller, ends.target_branch, permission);
}

export function requireOpen({ id, status }: PullRequestRow): void {
  if (status !== 'open')
    throw new Fault('pull_request_closed', `the pull request ${id} is ${status}`, {
      id,
      status_of_pull_request: status,
    });
}

export async function protectionOf(query: Query, accountId: string, branch: string): Promise<Protection> {
  return toProtection(await getProtection(query, accountId, branch)) ?? UNPROTECTED;
}
