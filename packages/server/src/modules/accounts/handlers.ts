import { randomUUID } from 'node:crypto';
import { Fault, type Input, type Output } from '@mem-service/contract';
import {
  type AccountRecord,
  type Caller,
  type ControlContext,
  changed,
  controls,
  cursorsOf,
  cutPage,
  getAccount,
  type Handlers,
  hashedBy,
  insertAccount,
  listAccounts,
  type Services,
  setAccount,
  toIso,
  type Work,
} from '../../kernel/index.ts';
import { EVERYTHING, emitKeyEvent, insertKey, keyRow, makeKey } from '../keys/index.ts';
import { refuseUnknownPlan } from '../usage/index.ts';
import { endHandlers } from './end.ts';

const cursors = cursorsOf('accounts', ['string']);

const ADMIN = {
  key_type: 'admin',
  scopes: EVERYTHING,
  entity_paths: [],
  agent_ids: [],
  shares_sessions: false,
  default_branch: null,
  rate_limit_rpm: 600,
  expires_at: null,
  rotated_from: null,
} as const;

const create = controls<'accounts.create'>(async ({ caller, services, work }, input) => {
  if (input.empty) return createEmpty({ caller, services }, input);
  const { account_id = randomUUID(), name, plan = null } = input;
  refuseUnknownPlan(services.settings, plan);
  const made = await services.database.exclusively((tx) => insertAccount(tx, account_id, services.clock.now()));
  if (made === 0) throw taken(account_id);
  return work(account_id, async (work) => {
    const row = { account_id, name, plan, status: 'active' as const, created_at: work.now };
    await setAccount(work.tx, row);
    emitKeyEvent(work, caller, { event_type: 'account_created', details: { name, plan } });
    const made = { ...toAccount(row), ...adminKey(work, caller, 'admin') };
    return changed(made, { resource: account_id, ...hashedBy({ ...made, key: null }) });
  });
});

/**
 * Starts neither the log nor the audit trail, so that those of an export can take their place. For the same reason its key
 * cannot be created within the account's work.
 */
async function createEmpty({ caller, services }: Pick<ControlContext, 'caller' | 'services'>, input: Creation) {
  const { account_id = randomUUID(), name, plan = null } = input;
  const { database, clock, ids } = services;
  refuseUnknownPlan(services.settings, plan);
  const now = clock.now();
  const row = { account_id, name, plan, status: 'active' as const, created_at: now };
  if ((await database.exclusively((tx) => insertAccount(tx, account_id, now))) === 0) throw taken(account_id);
  return database.transaction(async (tx) => {
    tx.enter(account_id);
    await setAccount(tx, row);
    const made = keyRow({ account_id, now, ids, created_by: caller.actor }, { ...ADMIN, name: 'admin' });
    await insertKey(tx, made.row);
    return { ...toAccount(row), key_id: made.row.key_id, key: made.key };
  });
}

type Creation = Input<'accounts.create'>;

const taken = (account_id: string) =>
  new Fault('conflict', `there is an account ${account_id} already`, { account_id });

const list = controls<'accounts.list'>(async ({ services }, { limit, cursor }) => {
  const [after] = cursor === undefined ? [''] : cursors.from(cursor);
  const rows = await listAccounts(services.database.read, { after, limit: limit + 1 });
  const { items, ...page } = cutPage(rows, limit, ({ account_id }) => cursors.to([account_id]));
  return { accounts: items.map(toAccount), ...page };
});

const read = controls<'accounts.read'>(async ({ services }, { account_id }) =>
  toAccount(await existing(services, account_id)),
);

const update = controls<'accounts.update'>(async ({ caller, services, work }, { account_id, ...changes }) => {
  await existing(services, account_id);
  refuseUnknownPlan(services.settings, changes.plan);
  return work(account_id, async (work) => {
    const row = await getAccount(work.tx, account_id);
    if (!row) throw noAccount(account_id);
    const { name = row.name, plan = row.plan, status = row.status } = changes;
    const next = { ...row, name, plan, status };
    await setAccount(work.tx, next);
    work.afterCommit(() => {
      services.keys.invalidateAccount(account_id);
      services.meter?.dropAccount(account_id);
      services.roomOwners?.dropAccount(account_id);
    });
    emitKeyEvent(work, caller, { event_type: 'account_updated', details: { name, plan, status } });
    const updated = toAccount(next);
    return changed(updated, { resource: account_id, ...hashedBy(updated) });
  });
});

const createKey = controls<'accounts.create_key'>(async ({ caller, services, work }, { account_id, name }) => {
  await existing(services, account_id);
  return work(account_id, async (work) => {
    const made = adminKey(work, caller, name);
    emitKeyEvent(work, caller, {
      event_type: 'api_key_created',
      details: { key_id: made.key_id, name, key_type: 'admin' },
    });
    return changed({ account_id, ...made }, { resource: account_id, ...hashedBy({ account_id, ...made, key: null }) });
  });
});

function adminKey(work: Work, caller: Caller, name: string): { key_id: string; key: string } {
  const { row, key } = makeKey(work, caller, { ...ADMIN, name });
  return { key_id: row.key_id, key };
}

async function existing({ database }: Services, accountId: string): Promise<AccountRecord> {
  const row = await getAccount(database.read, accountId);
  if (row) return row;
  throw noAccount(accountId);
}

const noAccount = (account_id: string) => new Fault('not_found', `there is no account ${account_id}`, { account_id });

const toAccount = ({ created_at, ...row }: AccountRecord): Output<'accounts.read'> => ({
  ...row,
  created_at: toIso(created_at),
});

export const handlers: Handlers = {
  'accounts.create': create,
  'accounts.list': list,
  'accounts.read': read,
  'accounts.update': update,
  'accounts.create_key': createKey,
  ...endHandlers,
};
