import {
  type BranchPermission,
  type Caller,
  Fault,
  newestChangeOn,
  type Query,
  type Services,
} from '@mem-service/server/module';
import { getProtection } from '../branches/queries.ts';
import { toProtection } from '../branches/render.ts';
import { getPullRequest, type PullEnds, type PullRequestRow } from './queries.ts';
import { identityOf } from './rules/identity.ts';
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
  await branchAccess.require(caller, ends.source_branch, 'read');
  await branchAccess.require(caller, ends.target_branch, permission);
}

/** The member that a key belongs to, or the key with those that it replaced; null where callers have no keys. */
export const holderOf = ({ key, holder }: Caller): string | null =>
  key?.member ? `member/${key.member.member_id}` : (holder ?? null);

export const isAuthor = (row: PullRequestRow, caller: Caller, agent_id: string): boolean =>
  identityOf({ agent_id: row.created_by, holder: row.holder }) === identityOf({ agent_id, holder: holderOf(caller) });

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

/** The last writes to both branches. */
export async function headsOf(
  query: Query,
  { account_id, source_branch, target_branch }: PullRequestRow,
): Promise<{ source_seq: number; target_seq: number }> {
  return {
    source_seq: await newestChangeOn(query, account_id, source_branch),
    target_seq: await newestChangeOn(query, account_id, target_branch),
  };
}
