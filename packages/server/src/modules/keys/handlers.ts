import { Fault, invalidInput, jsonBytes, type Output } from '@mem-service/contract';
import {
  boundsOfAccount,
  bytesOfTexts,
  type Caller,
  changed,
  cursorsOf,
  cutPage,
  type Handlers,
  hashedBy,
  looksAt,
  pageBytes,
  reads,
  requireKeyRate,
  startWithin,
  toIso,
  toIsoOrNull,
  unchanged,
  WHOLE_ACCOUNT,
  type Work,
  type WriteResult,
  writes,
} from '../../kernel/index.ts';
import { pause } from '../../turns.ts';
import { emitKeyEvent, makeKey, type NewKey } from './make.ts';
import { memberOf, requireMember } from './members.ts';
import * as queries from './queries.ts';
import { holderOf } from './rules/holder.ts';
import { firstExcess, type KeyGrant } from './rules/scopes.ts';
import { endSharedSecrets, refuseThirdSecret } from './shared-secrets.ts';
import { replaceSecrets } from './signing.ts';
import { addressOf, refuseSecret, refuseWebhook } from './webhook.ts';

const cursors = cursorsOf('api_keys', ['string']);
const PAST_ALL = '~';

const list = reads<'keys.list'>(async ({ read, caller, now, services }, { member_id, limit, cursor }) => {
  let [before] = cursor === undefined ? [PAST_ALL] : cursors.from(cursor);
  const bytes = pageBytes(services);
  let rows: queries.KeyRow[] = [];
  for (let isMore = true; isMore && rows.length <= limit; ) {
    const some = await queries.listKeys(read, caller.account_id, { before, limit: limit + 1, bytes, member_id });
    const seen = [...rows, ...(await thoseWithin(caller, some.rows))];
    rows = startWithin(seen, bytes, sizeOf);
    if (rows.length < seen.length) break;
    isMore = some.more || some.rows.length > limit;
    before = some.rows.at(-1)?.key_id ?? before;
    if (!isMore) before = '';
  }
  const { items, ...page } = cutPage({ rows, more: before !== '' }, limit, ({ key_id }) => cursors.to([key_id]));
  return { keys: items.map((row) => toKey(row, now)), ...page };
});

const sizeOf = ({ name, scopes, entity_paths, agent_ids }: queries.KeyRow): number =>
  jsonBytes(name) + bytesOfTexts([scopes, entity_paths, agent_ids]);

const create = writes<'keys.create'>(async (work, { input, caller }) => {
  const { expires_at, rate_limit_rpm: rate, member_id, secret = null, ...rest } = input;
  refuseExcess(caller, rest);
  if (rest.key_type === 'admin' && rest.agent_ids.length > 0)
    throw invalidInput([{ path: 'agent_ids', message: 'must be empty for a key of the type admin' }]);
  refuseWebhook(work, input);
  await work.locked;
  if (rate !== undefined) requireKeyRate(work, rate);
  const rate_limit_rpm = rate ?? allowedRate(work, DEFAULT_RPM);
  const ends = expires_at === undefined ? null : Date.parse(expires_at);
  if (ends !== null && ends <= work.now) throw invalidInput([{ path: 'expires_at', message: 'must be in the future' }]);
  const member = member_id === undefined ? undefined : await requireMember(work, member_id, rest);
  return made(work, caller, {
    ...rest,
    rate_limit_rpm,
    expires_at: ends,
    rotated_from: null,
    member,
    secrets: { ...queries.NO_SECRETS, secret },
  });
});

const DEFAULT_RPM = 120;

/** A key that a larger plan had may go on with what the plan allows now. */
const allowedRate = (work: Work, rpm: number): number =>
  work.services.limiter ? Math.min(rpm, boundsOfAccount(work).key_rate_rpm ?? rpm) : rpm;

/** A scoped key must not see keys with a wider scope. */
const isWithin = ({ key }: Caller, row: queries.KeyRow): boolean =>
  key === undefined || firstExcess(grantedBy(row), { READ: key.read, WRITE: key.write }) === undefined;

async function thoseWithin(caller: Caller, rows: readonly queries.KeyRow[]): Promise<queries.KeyRow[]> {
  const within: queries.KeyRow[] = [];
  for (const row of rows) {
    await pause();
    if (isWithin(caller, row)) within.push(row);
  }
  return within;
}

/** A caller cannot grant what its own key does not have. */
function refuseExcess({ key }: Caller, granted: KeyGrant): void {
  const missing = key && firstExcess(granted, { READ: key.read, WRITE: key.write });
  if (missing !== undefined) throw new Fault('forbidden', `your own key does not have ${missing}`);
}

function made(work: Work, caller: Caller, given: NewKey): WriteResult<Output<'keys.create'>> {
  const { row, key } = makeKey(work, caller, given);
  const { key_id, name, key_type, rotated_from } = row;
  const event_type = rotated_from === null ? 'api_key_created' : 'api_key_rotated';
  emitKeyEvent(work, caller, { event_type, details: { key_id, name, key_type, rotated_from } });
  const shown = toKey(row, work.now);
  return changed(
    { ...shown, key, address: addressOf(row, key) },
    { resource: key_id, ...hashedBy({ ...shown, key: null, address: null }) },
  );
}

const revoke = writes<'keys.revoke'>(async (work, { input, caller }) => {
  const row = await existing(work, caller, input.key_id);
  const answer = toKey({ ...row, revoked_at: row.revoked_at ?? work.now, secret_set: 0 }, work.now);
  if (row.revoked_at !== null) return unchanged(answer);
  await endSharedSecrets(work, row);
  await queries.revokeKey(work.tx, row, work.now);
  work.afterCommit(() => work.services.keys.invalidate(row.key_hash));
  emitKeyEvent(work, caller, { event_type: 'api_key_revoked', details: { key_id: row.key_id, name: row.name } });
  return changed(answer, { resource: row.key_id, ...hashedBy(answer) });
});

const rotate = writes<'keys.rotate'>(async (work, { input, caller }) => {
  const row = await existing(work, caller, input.key_id);
  if (!isActive(row, work.now)) throw new Fault('conflict', `the key ${row.key_id} is revoked or has expired`);
  refuseSecret(row, input);
  await refuseThirdSecret(work, row, input.secret);
  const granted = grantedBy(row);
  const ends = Math.min(row.expires_at ?? Number.MAX_SAFE_INTEGER, work.now + input.overlap_seconds * 1000);
  const before = (await queries.getSecrets(work.tx, row)) ?? queries.NO_SECRETS;
  const { next: secrets, old } = replaceSecrets(before, { secret: input.secret, now: work.now, ends });
  await queries.endKey(work.tx, row, { expires_at: ends, ...old });
  work.afterCommit(() => work.services.keys.invalidate(row.key_hash));
  const { name, key_type, connector, default_branch, expires_at, key_id: rotated_from } = row;
  const rate_limit_rpm = allowedRate(work, row.rate_limit_rpm);
  const agents = { agent_ids: JSON.parse(row.agent_ids), shares_sessions: row.shares_sessions === 1 };
  const member = memberOf(row);
  const kept = { name, key_type, connector, default_branch, rate_limit_rpm, expires_at, member, secrets };
  return made(work, caller, { ...granted, ...agents, ...kept, rotated_from, holder: holderOf(row) });
});

async function existing(work: Work, caller: Caller, keyId: string): Promise<queries.KeyRow> {
  const row = await queries.getKey(work.tx, work.account_id, keyId);
  if (row && isWithin(caller, row)) return row;
  throw new Fault('not_found', `there is no key ${keyId}`, { key_id: keyId });
}

export const grantedBy = (row: Pick<queries.KeyRow, 'scopes' | 'entity_paths'>): KeyGrant => ({
  scopes: JSON.parse(row.scopes),
  entity_paths: JSON.parse(row.entity_paths),
});

const isActive = ({ revoked_at, expires_at, suspended_at }: queries.KeyRow, now: number): boolean =>
  revoked_at === null && suspended_at === null && (expires_at === null || expires_at > now);

const toKey = (row: queries.KeyRow, now: number): Output<'keys.revoke'> => ({
  key_id: row.key_id,
  name: row.name,
  key_type: row.key_type,
  scopes: JSON.parse(row.scopes),
  entity_paths: JSON.parse(row.entity_paths),
  agent_ids: JSON.parse(row.agent_ids),
  shares_sessions: row.shares_sessions === 1,
  default_branch: row.default_branch,
  rate_limit_rpm: row.rate_limit_rpm,
  prefix: row.prefix,
  active: isActive(row, now),
  created_at: toIso(row.created_at),
  created_by: row.created_by,
  expires_at: toIsoOrNull(row.expires_at),
  revoked_at: toIsoOrNull(row.revoked_at),
  last_used_at: toIsoOrNull(row.last_used_at),
  rotated_from: row.rotated_from,
  connector: row.connector,
  member_id: row.member_id,
  secret_set: row.secret_set === 1,
});

export const handlers: Handlers = {
  'keys.list': looksAt(() => WHOLE_ACCOUNT, list),
  'keys.create': create,
  'keys.revoke': revoke,
  'keys.rotate': rotate,
};
