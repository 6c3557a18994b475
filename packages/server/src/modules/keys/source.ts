import type { Database } from '../../db/index.ts';
import { type KeySource, type KnownKey, type Principal, withinRole } from '../../kernel/index.ts';
import { grantedBy } from './handlers.ts';
import { findKeyStatuses, findKeys, type KeyWithAccountRow as KnownRow } from './queries.ts';
import { holderOf } from './rules/holder.ts';
import { scopeOf } from './rules/scopes.ts';
import { secretProblem } from './rules/secret.ts';
import { secretsAt } from './signing.ts';

/** The keys of all accounts, to find the account of a presented key. */
export const keySource = ({ read, dialect }: Pick<Database, 'read' | 'dialect'>): KeySource => ({
  problem: secretProblem,
  load: async (keyHashes) => (await findKeys(read, dialect.texts(keyHashes))).map(toKnown),
  statuses: (keyHashes) => findKeyStatuses(read, dialect.texts(keyHashes)),
});

/** What the key may do, within the role of the member that it belongs to. */
function principalOf(row: KnownRow): Principal {
  const granted = grantedBy(row);
  const read = scopeOf(granted, 'READ');
  const write = scopeOf(granted, 'WRITE');
  const agent_ids = JSON.parse(row.agent_ids) as string[];
  const { key_id, key_hash: hash, name, key_type: type, rate_limit_rpm } = row;
  const own: Principal = {
    key_id,
    hash,
    name,
    type,
    rate_limit_rpm,
    plan: row.plan,
    ...(read ? { read } : {}),
    ...(write ? { write } : {}),
    ...(agent_ids.length > 0 ? { agent_ids } : {}),
    ...(row.connector === null ? {} : { connector: row.connector }),
    ...(row.default_branch === null ? {} : { default_branch: row.default_branch }),
    ...(row.shares_sessions === 1 ? { shares_sessions: true } : {}),
  };
  const { member_id, member_role } = row;
  return member_id === null || member_role === null ? own : withinRole(own, member_id, member_role);
}

function toKnown(row: KnownRow): KnownKey {
  return {
    account_id: row.account_id,
    key_hash: row.key_hash,
    holder: holderOf(row),
    principal: principalOf(row),
    rate_limit_rpm: row.rate_limit_rpm,
    expires_at: row.expires_at,
    revoked_at: row.revoked_at,
    suspended_at: row.suspended_at,
    member_role: row.member_role,
    status: row.status,
    plan: row.plan,
    ...(row.secret === null ? {} : { secretsAt: (now) => secretsAt(row, now) }),
  };
}
