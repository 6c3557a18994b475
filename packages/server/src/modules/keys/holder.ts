import type { Query } from '../../db/index.ts';
import { getKey } from './queries.ts';
import { holderOf } from './rules/holder.ts';

/** Who uses a key: the first of those that it replaced by rotation, and the member that it belongs to. */
export type KeyHolder = { holder: string; member_id: string | null };

export async function findKeyHolder(query: Query, accountId: string, keyId: string): Promise<KeyHolder | undefined> {
  const row = await getKey(query, accountId, keyId);
  return row && { holder: holderOf(row), member_id: row.member_id };
}
