import type { Query } from '../../db/index.ts';
import type { KeySource, KnownKey } from '../../kernel/index.ts';
import { grantedBy } from './handlers.ts';
import { findKey, type KnownKey as KnownRow } from './queries.ts';
import { reachOf } from './rules/scopes.ts';
import { secretProblem } from './rules/secret.ts';

/** The keys of all accounts, for whoever has to know whose key was presented. */
export const keySource = (query: Query): KeySource => ({
  problem: secretProblem,
  async load(keyHash) {
    const row = await findKey(query, keyHash);
    return row && toKnown(row);
  },
});

function toKnown(row: KnownRow): KnownKey {
  const granted = grantedBy(row);
  const read = reachOf(granted, 'READ');
  const write = reachOf(granted, 'WRITE');
  const { key_id, name, key_type: type, rate_limit_rpm } = row;
  return {
    account_id: row.account_id,
    principal: { key_id, name, type, rate_limit_rpm, ...(read ? { read } : {}), ...(write ? { write } : {}) },
    rate_limit_rpm,
    expires_at: row.expires_at,
    revoked_at: row.revoked_at,
    status: row.status,
    plan: row.plan,
  };
}
