import { type Caller, findWorkingKeys, type Query } from '@mem-service/server/module';
import { mayStill } from '../access/decide.ts';
import { getMember } from '../teams/queries.ts';
import type { PullRequestRow } from './queries.ts';
import { type GivenDecision, listDecisions } from './review-queries.ts';

const MEMBER = 'member/';
const KEY = 'key/';
const CONFIGURED = 'configured/';

/** Who opened or reviewed: the member or the key behind it, and without keys the agent. */
export type Identified = { agent_id: string; holder: string | null };

/** The member that a key belongs to, or the key with those that it replaced; null where callers have no keys. */
export function holderOf({ key, holder }: Caller): string | null {
  if (key?.member) return `${MEMBER}${key.member.member_id}`;
  if (holder === undefined) return null;
  return key === undefined ? `${CONFIGURED}${holder}` : holder;
}

/** Members with the same address are one person, in whichever teams. */
export async function identityOf(query: Query, accountId: string, { agent_id, holder }: Identified): Promise<string> {
  if (holder === null) return `agent ${agent_id}`;
  const member = holder.startsWith(MEMBER) ? await getMember(query, accountId, holder.slice(MEMBER.length)) : undefined;
  return member ? `person ${member.email}` : `holder ${holder}`;
}

export async function isAuthor(query: Query, row: PullRequestRow, by: Identified): Promise<boolean> {
  const author = { agent_id: row.created_by, holder: row.holder };
  return (await identityOf(query, row.account_id, author)) === (await identityOf(query, row.account_id, by));
}

export type CountedDecision = GivenDecision & { by: string };

/** The decisions of those who may still decide, in order. */
export async function loadDecisions(query: Query, row: PullRequestRow, now: number): Promise<CountedDecision[]> {
  const decisions = await listDecisions(query, row.account_id, row.id);
  const known = new Map<string | null, boolean>();
  const counted: CountedDecision[] = [];
  for (const one of decisions) {
    const { holder, reviewer: agent_id } = one;
    if (!known.has(holder)) known.set(holder, await mayDecide(query, row, { holder, now }));
    if (known.get(holder)) counted.push({ ...one, by: await identityOf(query, row.account_id, { agent_id, holder }) });
  }
  return counted;
}

type HolderThen = { holder: string | null; now: number };

/** Not with a key that was revoked, nor after being removed from the team, nor without access to the branches. */
async function mayDecide(query: Query, row: PullRequestRow, { holder, now }: HolderThen): Promise<boolean> {
  const { account_id } = row;
  const isMember = holder?.startsWith(MEMBER);
  if (holder === null || !(isMember || holder.startsWith(KEY))) return true;
  const id = holder.slice((isMember ? MEMBER : KEY).length);
  const member = isMember ? await getMember(query, account_id, id) : undefined;
  const keys = await findWorkingKeys(query, { account_id, now, ...(isMember ? { member_id: id } : { holder: id }) });
  if (isMember ? !member || member.removed_at !== null || member.role === 'viewer' : keys.length === 0) return false;
  const decider = { account_id, member, keys };
  return (
    (await mayStill(query, decider, { branch: row.source_branch, permission: 'read' })) &&
    (await mayStill(query, decider, { branch: row.target_branch, permission: 'read_write' }))
  );
}
