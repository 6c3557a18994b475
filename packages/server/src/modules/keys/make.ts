import { hash } from 'node:crypto';
import type { Transaction } from '../../db/index.ts';
import { ADMINS, type Caller, type Ids, type KeyMember, type Work } from '../../kernel/index.ts';
import * as queries from './queries.ts';
import type { KeyGrant, KeyScope } from './rules/scopes.ts';
import { prefixOf, toSecret } from './rules/secret.ts';

/** Only the hash of a key is stored: keys are random, so a plain hash reveals nothing. */
export const keyHash = (secret: string): string => hash('sha256', secret, 'hex');

export type NewKey = KeyGrant & {
  name: string;
  key_type: queries.KeyRow['key_type'];
  rate_limit_rpm: number;
  expires_at: number | null;
  rotated_from: string | null;
  agent_ids: readonly string[];
  shares_sessions: boolean;
  connector?: string | null | undefined;
  default_branch: string | null;
  member?: Pick<KeyMember, 'member_id' | 'role'> | undefined;
  /** Of a key of the type webhook. */
  secrets?: queries.SigningSecrets;
  /** Of the key that it replaces. */
  holder?: string;
};

export const EVERYTHING: readonly KeyScope[] = [{ pattern: '*', permission: 'READ_WRITE' }];

/** Creates a key within the work of its account. Only the answer contains the secret; it is stored nowhere. */
export function makeKey(work: Work, caller: Caller, given: NewKey): MadeKey {
  const { account_id, now, services } = work;
  const made = keyRow({ account_id, now, ids: services.ids, created_by: caller.actor }, given);
  work.send(work.tx.insertMany(queries.insertKeys, [{ ...made.row, ...given.secrets }]));
  return made;
}

type MadeKey = { row: queries.KeyRow; key: string };
type KeyContext = { account_id: string; now: number; ids: Ids; created_by: string };

export function keyRow({ account_id, now, ids, created_by }: KeyContext, given: NewKey): MadeKey {
  const key = toSecret(ids.secret());
  const key_id = ids.next(now);
  const row: queries.KeyRow = {
    account_id,
    key_id,
    key_hash: keyHash(key),
    prefix: prefixOf(key),
    name: given.name,
    key_type: given.key_type,
    scopes: JSON.stringify(given.scopes),
    entity_paths: JSON.stringify(given.entity_paths),
    rate_limit_rpm: given.rate_limit_rpm,
    created_at: now,
    created_by,
    expires_at: given.expires_at,
    revoked_at: null,
    last_used_at: null,
    rotated_from: given.rotated_from,
    agent_ids: JSON.stringify(given.agent_ids),
    shares_sessions: Number(given.shares_sessions),
    holder: given.holder ?? key_id,
    connector: given.connector ?? null,
    default_branch: given.default_branch,
    member_id: given.member?.member_id ?? null,
    member_role: given.member?.role ?? null,
    suspended_at: null,
    secret_set: Number((given.secrets?.secret ?? null) !== null),
  };
  return { row, key };
}

export const insertKey = async (tx: Transaction, row: queries.KeyRow): Promise<void> => {
  await tx.insertMany(queries.insertKeys, [row]);
};

/** Changes of keys are logged, but no agent sees these events. */
export function emitKeyEvent(
  work: Work,
  caller: Caller,
  event: { event_type: string; details: Record<string, unknown> },
): void {
  const place = { branch: 'main', entity_path: null, key: null, version: null };
  work.emit({ ...event, ...place, agent_id: caller.agent_id, visible_to: ADMINS });
}
