import { Fault } from '@mem-service/contract';
import type { KeyMember, Work } from '../../kernel/index.ts';
import * as queries from './queries.ts';
import type { KeyGrant } from './rules/scopes.ts';

/** Bounds the work of removing a member, whose keys are stopped one by one. */
const MAX_KEYS = 100;

/** The member that a new key is to belong to. */
export async function requireMember(
  work: Work,
  member_id: string,
  given: Pick<KeyGrant, 'scopes'> & Pick<queries.KeyRow, 'key_type'>,
): Promise<KeyMember> {
  const { account_id, tx, now, dialect, services } = work;
  if (!services.findMember)
    throw new Fault('module_not_installed', 'keys of members need the module teams', { module: 'teams' });
  const member = await services.findMember(tx, account_id, member_id);
  if (!member) throw new Fault('not_found', `there is no member ${member_id}`, { member_id });
  if (member.removed_at !== null)
    throw new Fault('conflict', `the member ${member_id} was removed: reinstate the member first`, { member_id });
  refuseBeyondRole(member, given);
  const keys = await queries.listKeysOfMembers(tx, { account_id, members: dialect.texts([member_id]), now });
  if (keys.length >= MAX_KEYS)
    throw new Fault('conflict', `the member ${member_id} has ${MAX_KEYS} keys: revoke some first`, { member_id });
  return member;
}

/** The loaded key is held within the role anyway; refused here, so that nobody is given a key that cannot do what it says. */
function refuseBeyondRole(
  { role }: KeyMember,
  { key_type, scopes }: Pick<KeyGrant, 'scopes'> & Pick<queries.KeyRow, 'key_type'>,
): void {
  if (key_type === 'admin' && role !== 'admin')
    throw new Fault('forbidden', `a member with the role ${role} can have no key of the type admin`);
  if (role === 'viewer' && scopes.some(({ permission }) => permission !== 'READ'))
    throw new Fault('forbidden', 'a member with the role viewer can have only keys whose scopes give READ');
}

export const memberOf = ({
  member_id,
  member_role: role,
}: queries.KeyRow): Pick<KeyMember, 'member_id' | 'role'> | undefined =>
  member_id === null || role === null ? undefined : { member_id, role };

type KeyMemberChange = Partial<Pick<queries.KeyRow, 'member_role' | 'suspended_at'>>;

/** Changes what the keys of members may do. They follow at once on this server. */
export async function changeMemberKeys(
  work: Work,
  memberIds: readonly string[],
  change: KeyMemberChange,
): Promise<void> {
  const { account_id, now, tx, dialect, services } = work;
  const keys = await queries.listKeysOfMembers(tx, { account_id, members: dialect.texts(memberIds), now });
  if (keys.length === 0) return;
  await tx.updateMany(
    queries.updateMemberOf,
    keys.map(({ key_id, member_role, suspended_at }) => ({ account_id, key_id, member_role, suspended_at, ...change })),
  );
  work.afterCommit(() => {
    for (const { key_hash } of keys) services.keys.invalidate(key_hash);
  });
}
