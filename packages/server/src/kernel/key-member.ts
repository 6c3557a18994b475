import type { Query } from '../db/index.ts';
import type { Principal } from './caller.ts';
import type { Scope } from './scope.ts';

export type MemberRole = 'admin' | 'developer' | 'viewer';

/** The member of a team that a key belongs to. */
export type KeyMember = { member_id: string; role: MemberRole; removed_at: number | null };

/** Finds a member of a team. Offered by the module that has the teams. */
export type FindMember = (query: Query, accountId: string, memberId: string) => Promise<KeyMember | undefined>;

/** Matches no path. */
const NOWHERE: Scope = [[]];

/** What a key may do that belongs to a member with this role: a viewer only reads, and only an admin administers. */
export function withinRole(key: Principal, member_id: string, role: MemberRole): Principal {
  const type = key.type === 'admin' && role !== 'admin' ? 'agent' : key.type;
  return { ...key, type, member: { member_id, role }, ...(role === 'viewer' ? { write: NOWHERE } : {}) };
}
