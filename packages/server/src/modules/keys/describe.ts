import type { Output } from '@mem-service/contract';
import type { Query } from '../../db/index.ts';
import { toIsoOrNull } from '../../kernel/index.ts';
import { getKey } from './queries.ts';

type DescribedKey = { account_id: string; key_id: string };

/** Describes a key to its holder. */
export async function describeKey(
  read: Query,
  { account_id, key_id }: DescribedKey,
): Promise<Output<'me.read'>['key']> {
  const row = await getKey(read, account_id, key_id);
  if (!row) return null;
  const { name, key_type, default_branch, rate_limit_rpm, member_id } = row;
  return {
    key_id,
    name,
    key_type,
    scopes: JSON.parse(row.scopes),
    entity_paths: JSON.parse(row.entity_paths),
    agent_ids: JSON.parse(row.agent_ids),
    shares_sessions: row.shares_sessions === 1,
    default_branch,
    rate_limit_rpm,
    expires_at: toIsoOrNull(row.expires_at),
    member_id,
  };
}
