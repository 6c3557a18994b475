import type { Query } from '../../db/index.ts';
import { getKey, listWorkingKeys } from './queries.ts';
import { holderOf } from './rules/holder.ts';

/** Who uses a key: the first of those that it replaced by rotation, and the member that it belongs to. */
export type KeyHolder = { holder: string; member_id: string | null };

export async function findKeyHolder(query: Query, accountId: string, keyId: string): Promise<KeyHolder | undefined> {
  const row = await getKey(query, accountId, keyId);
  return row && { holder: holderOf(row), member_id: row.member_id };
}

export type WorkingKey = { holder: string; isAdmin: boolean };

/** The keys that work for a holder or a member. */
export async function findWorkingKeys(
  query: Query,
  { account_id, now, ...who }: { account_id: string; now: number } & ({ holder: string } | { member_id: string }),
): Promise<WorkingKey[]> {
  const rows = await listWorkingKeys(query, { account_id, now, ...who });
  return rows.map((row) => ({
    holder: holderOf(row),
    isAdmin: row.key_type === 'admin' && (row.member_role ?? 'admin') === 'admin',
  }));
}
