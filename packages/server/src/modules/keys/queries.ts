import {
  andAll,
  type Find,
  type FirstRows,
  fragment,
  type Insert,
  type Query,
  type Sql,
  sql,
  type Transaction,
  type Update,
} from '../../db/index.ts';
import { accountStates, likeJsonText, type MemberRole } from '../../kernel/index.ts';

export type KeyRow = {
  account_id: string;
  key_id: string;
  key_hash: string;
  prefix: string;
  name: string;
  key_type: 'agent' | 'admin' | 'service' | 'webhook';
  scopes: string;
  entity_paths: string;
  rate_limit_rpm: number;
  created_at: number;
  created_by: string;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
  rotated_from: string | null;
  agent_ids: string;
  shares_sessions: number;
  /** The first of the keys that it replaces by rotation. */
  holder: string;
  /** Of a key of the type webhook. */
  connector: string | null;
  secret_set: number;
  default_branch: string | null;
  member_id: string | null;
  member_role: MemberRole | null;
  /** Since when its member is removed. */
  suspended_at: number | null;
};

/** What senders sign with at the address of a key. Only what verifies signatures loads it. */
export type SigningSecrets = {
  secret: string | null;
  secret_before: string | null;
  /** Until when the one before counts too. */
  secret_before_ends_at: number | null;
};

const SECRETS = { secret: 'text', secret_before: 'text', secret_before_ends_at: 'int' } as const;

export const NO_SECRETS: SigningSecrets = { secret: null, secret_before: null, secret_before_ends_at: null };

const COLUMNS = {
  account_id: 'text',
  key_id: 'text',
  key_hash: 'text',
  prefix: 'text',
  name: 'text',
  key_type: 'text',
  scopes: 'text',
  entity_paths: 'text',
  rate_limit_rpm: 'int',
  created_at: 'int',
  created_by: 'text',
  expires_at: 'int',
  revoked_at: 'int',
  last_used_at: 'int',
  rotated_from: 'text',
  agent_ids: 'text',
  shares_sessions: 'int',
  holder: 'text',
  connector: 'text',
  default_branch: 'text',
  member_id: 'text',
  member_role: 'text',
  suspended_at: 'int',
} as const;

export const insertKeys: Insert = { table: 'api_keys', columns: { ...COLUMNS, ...SECRETS } };

const KEY = fragment(`${Object.keys(COLUMNS).join(', ')}, CASE WHEN secret IS NULL THEN 0 ELSE 1 END AS secret_set`);

export function getKey(query: Query, accountId: string, keyId: string): Promise<KeyRow | undefined> {
  return query.get(sql`SELECT ${KEY} FROM api_keys WHERE account_id = ${accountId} AND key_id = ${keyId}`);
}

/** Newest first: ids sort by time. */
export function listKeys(
  query: Query,
  accountId: string,
  page: { before: string; limit: number; bytes: number; member_id: string | undefined },
): Promise<FirstRows<KeyRow>> {
  const ofMember = page.member_id === undefined ? [] : [sql`member_id = ${page.member_id}`];
  return query.first(
    sql`SELECT ${KEY} FROM api_keys WHERE account_id = ${accountId} AND key_id < ${page.before}${andAll(ofMember)}
        ORDER BY key_id DESC LIMIT ${page.limit}`,
    { columns: ['name', 'scopes', 'entity_paths', 'agent_ids'], bytes: page.bytes },
  );
}

export type KeyWithAccountRow = Omit<KeyRow, 'secret_set'> & SigningSecrets & { status: string; plan: string | null };

/** Finds keys over all accounts, with the status of their accounts. */
export function findKeys(query: Query, keyHashes: Sql): Promise<KeyWithAccountRow[]> {
  const columns = fragment(
    Object.keys(insertKeys.columns)
      .map((name) => `api_keys.${name}`)
      .join(', '),
  );
  return query.all(
    sql`SELECT ${columns}, accounts.status, accounts.plan FROM api_keys
        JOIN ${accountStates} ON accounts.account_id = api_keys.account_id
        WHERE api_keys.key_hash IN (SELECT value FROM ${keyHashes})`,
  );
}

export type KeyStatusRow = Pick<
  KeyWithAccountRow,
  'key_hash' | 'expires_at' | 'revoked_at' | 'suspended_at' | 'member_role' | 'status'
>;

/** Returns the statuses of keys and their accounts, over all accounts. */
export function findKeyStatuses(query: Query, keyHashes: Sql): Promise<KeyStatusRow[]> {
  return query.all(
    sql`SELECT api_keys.key_hash, api_keys.expires_at, api_keys.revoked_at, api_keys.suspended_at, api_keys.member_role,
          accounts.status FROM api_keys
        JOIN ${accountStates} ON accounts.account_id = api_keys.account_id
        WHERE api_keys.key_hash IN (SELECT value FROM ${keyHashes})`,
  );
}

type KeyName = Pick<KeyRow, 'account_id' | 'key_id'>;

export function getSecrets(query: Query, { account_id, key_id }: KeyName): Promise<SigningSecrets | undefined> {
  return query.get(
    sql`SELECT secret, secret_before, secret_before_ends_at FROM api_keys
        WHERE account_id = ${account_id} AND key_id = ${key_id}`,
  );
}

/** What its senders sign with is of no use without it. */
export function revokeKey(tx: Transaction, { account_id, key_id }: KeyName, now: number): Promise<number> {
  return tx.run(
    sql`UPDATE api_keys SET revoked_at = ${now}, secret = NULL, secret_before = NULL, secret_before_ends_at = NULL
        WHERE account_id = ${account_id} AND key_id = ${key_id}`,
  );
}

type Successor = Pick<KeyRow, 'key_id' | 'key_hash'>;

/** Keys with a secret that a rotation made of this one. */
export function listSuccessors(query: Query, { account_id, key_id }: KeyName): Promise<Successor[]> {
  return query.all(
    sql`SELECT key_id, key_hash FROM api_keys WHERE account_id = ${account_id} AND secret IS NOT NULL
          AND rotated_from = ${key_id} AND revoked_at IS NULL`,
  );
}

type ReplacedSecret = { account_id: string; holder: string; secret: string };

/** The keys of one rotation that still accept a secret which was replaced. */
export function listAccepting(query: Query, { account_id, holder, secret }: ReplacedSecret): Promise<Successor[]> {
  return query.all(
    sql`SELECT key_id, key_hash FROM api_keys WHERE account_id = ${account_id} AND secret IS NOT NULL
          AND holder = ${holder} AND secret_before = ${secret}`,
  );
}

export function dropReplacedSecret(tx: Transaction, { account_id, key_id }: KeyName): Promise<number> {
  return tx.run(
    sql`UPDATE api_keys SET secret_before = NULL, secret_before_ends_at = NULL
        WHERE account_id = ${account_id} AND key_id = ${key_id}`,
  );
}

type EndingKey = Pick<KeyRow, 'expires_at'> & SigningSecrets;

export function endKey(tx: Transaction, { account_id, key_id }: KeyName, ending: EndingKey): Promise<number> {
  return tx.run(
    sql`UPDATE api_keys SET expires_at = ${ending.expires_at}, secret = ${ending.secret},
          secret_before = ${ending.secret_before}, secret_before_ends_at = ${ending.secret_before_ends_at}
        WHERE account_id = ${account_id} AND key_id = ${key_id}`,
  );
}

/** Over all accounts: removes the secrets of keys that have expired. */
export function deleteExpiredSecrets(tx: Transaction, now: number): Promise<number> {
  return tx.run(
    sql`UPDATE api_keys SET secret = NULL, secret_before = NULL, secret_before_ends_at = NULL
        WHERE account_id IS NOT NULL AND secret IS NOT NULL AND expires_at <= ${now}`,
  );
}

/** Over all accounts: removes secrets that were replaced and no longer count. */
export function deleteReplacedSecrets(tx: Transaction, now: number): Promise<number> {
  return tx.run(
    sql`UPDATE api_keys SET secret_before = NULL, secret_before_ends_at = NULL
        WHERE account_id IS NOT NULL AND secret IS NOT NULL AND secret_before_ends_at <= ${now}`,
  );
}

type BoundKeyRow = Pick<KeyRow, 'key_id' | 'key_hash' | 'agent_ids'>;

export function listKeysBoundTo(query: Query, accountId: string, agentId: string): Promise<BoundKeyRow[]> {
  return query.all(
    sql`SELECT key_id, key_hash, agent_ids FROM api_keys
        WHERE account_id = ${accountId} AND agent_ids LIKE ${likeJsonText(agentId)} ESCAPE '!'`,
  );
}

const byKey = { account_id: 'text', key_id: 'text' } as const;

export const findUses: Find = { table: 'api_keys', select: 'last_used_at', by: byKey };
export const updateAgentIds: Update = { table: 'api_keys', set: { agent_ids: 'text' }, by: byKey };
export const updateUses: Update = { table: 'api_keys', set: { last_used_at: 'int' }, by: byKey };

/** A condition on keys: neither revoked nor expired. */
const working = (now: number): Sql => sql`revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${now})`;

type KeysOfMembers = { account_id: string; members: Sql; now: number };

/** The keys of members that would work unless these were removed. */
export function listKeysOfMembers(query: Query, { account_id, members, now }: KeysOfMembers): Promise<MemberKeyRow[]> {
  return query.all(
    sql`SELECT key_id, key_hash, member_role, suspended_at FROM api_keys WHERE account_id = ${account_id}
          AND member_id IN (SELECT value FROM ${members}) AND ${working(now)}`,
  );
}

/** All keys that a member ever had. */
export function listKeyIdsOfMember(query: Query, accountId: string, memberId: string): Promise<{ key_id: string }[]> {
  return query.all(sql`SELECT key_id FROM api_keys WHERE account_id = ${accountId} AND member_id = ${memberId}`);
}

type KeysOf = { account_id: string; now: number } & ({ holder: string } | { member_id: string });
type WorkingKeyRow = Pick<KeyRow, 'key_id' | 'holder' | 'key_type' | 'member_role'>;

/** The keys of a holder or a member that work. Keys from before holders were kept are their own. */
export function listWorkingKeys(query: Query, { account_id, now, ...who }: KeysOf): Promise<WorkingKeyRow[]> {
  const select = fragment('SELECT key_id, holder, key_type, member_role FROM api_keys');
  const ofAccount = sql`account_id = ${account_id} AND ${working(now)} AND suspended_at IS NULL`;
  if ('member_id' in who) return query.all(sql`${select} WHERE ${ofAccount} AND member_id = ${who.member_id}`);
  return query.all(
    sql`${select} WHERE ${ofAccount} AND holder = ${who.holder} AND holder <> ''
        UNION ALL ${select} WHERE ${ofAccount} AND key_id = ${who.holder} AND holder = ''`,
  );
}

type MemberKeyRow = Pick<KeyRow, 'key_id' | 'key_hash' | 'member_role' | 'suspended_at'>;

export const updateMemberOf: Update = {
  table: 'api_keys',
  set: { member_role: 'text', suspended_at: 'int' },
  by: byKey,
};

export async function countKeys(query: Pick<Query, 'get'>, accountId: string, now: number): Promise<number> {
  const row = await query.get<{ n: number }>(
    sql`SELECT count(*) AS n FROM api_keys WHERE account_id = ${accountId} AND ${working(now)} AND suspended_at IS NULL`,
  );
  return row?.n ?? 0;
}

/** For an account that has ended. */
export function deleteKeys(tx: Transaction, accountId: string): Promise<number> {
  return tx.run(sql`DELETE FROM api_keys WHERE account_id = ${accountId}`);
}
