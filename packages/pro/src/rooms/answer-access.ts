import {
  agentInRoom,
  type Caller,
  changed,
  cursorsOf,
  cutPage,
  exclusive,
  Fault,
  getAccount,
  type Handlers,
  hashedBy,
  pageBytes,
  reads,
  SELF_CALLER,
  toIso,
  unchanged,
  type Work,
  withinPage,
  writes,
} from '@mem-service/server/module';
import * as queries from './access-request-queries.ts';
import { admitAccount, admitAgent, requireOwner } from './accounts.ts';
import { emitRoomEvent } from './events.ts';
import { inviteAccount } from './invite.ts';

const cursors = cursorsOf('room_access_requests', ['string']);
/** As long as `rooms.invite` has them by default. */
const INVITED_HOURS = 168;

const toRequest = (row: queries.AccessRequestRow, room_id: string) => ({
  access_request_id: row.access_request_id,
  room_id,
  status: row.status,
  agent: agentInRoom(row),
  message: row.message,
  created_at: toIso(row.created_at),
  expires_at: toIso(row.expires_at),
});

const isOpen = ({ status, expires_at }: queries.AccessRequestRow, now: number): boolean =>
  status === 'pending' && expires_at > now;

const noRequest = (access_request_id: string): Fault =>
  new Fault('not_found', `there is no open request for access ${JSON.stringify(access_request_id)}`, {
    access_request_id,
  });

async function requireRequest({ tx, account_id, now }: Work, id: string, answered: queries.AccessRequestRow['status']) {
  const row = await queries.getRequest(tx, account_id, id);
  if (row && (isOpen(row, now) || row.status === answered)) return row;
  throw noRequest(id);
}

/** The account that asked is in the room, and the agent that asked has joined it. */
async function admit(work: Work, caller: Caller, row: queries.AccessRequestRow): Promise<void> {
  const { of_account, agent_id: own, label: proposed } = row;
  const account = await getAccount(work.services.database.forAccount(of_account).read, of_account);
  if (account?.status !== 'active') throw noRequest(row.access_request_id);
  const by: Caller = { ...SELF_CALLER, account_id: work.account_id };
  const admitted = { of_account, label: undefined, proposed, agent: own, approved_by: caller };
  const { label } = await admitAccount(work, by, admitted);
  await admitAgent(work, { ...by, agent_id: agentInRoom({ agent_id: own, label }) }, { label, own });
}

const approve = writes<'rooms.approve_access'>(async (work, { caller, input }) => {
  const { room_id } = requireOwner(caller);
  const row = await requireRequest(work, input.access_request_id, 'approved');
  const approved = toRequest({ ...row, status: 'approved' }, room_id);
  if (row.status === 'approved') return unchanged(approved);
  await admit(work, caller, row);
  return changed(approved, { resource: row.access_request_id, ...hashedBy(approved) });
});

const decline = writes<'rooms.decline_access'>(async (work, { caller, input }) => {
  const { room_id } = requireOwner(caller);
  const row = await requireRequest(work, input.access_request_id, 'declined');
  const declined = toRequest({ ...row, status: 'declined' }, room_id);
  if (row.status === 'declined') return unchanged(declined);
  const { access_request_id } = row;
  const details = { room_id, access_request_id, status: 'declined' };
  emitRoomEvent(work, caller, { event_type: 'room_access_answered', details });
  work.send(work.tx.insertMany(queries.upsertRequest, [{ ...row, status: 'declined' }]));
  return changed(declined, { resource: row.access_request_id, ...hashedBy(declined) });
});

const grant = writes<'rooms.grant_access'>(async (work, { caller, input }) => {
  const { room_id } = requireOwner(caller);
  const { account_id: of_account } = input;
  const row = await queries.getRequestOf(work.tx, work.account_id, of_account);
  if (row && isOpen(row, work.now)) {
    await admit(work, caller, row);
    const granted = { room_id, admitted: true, invitation_id: null };
    return changed(granted, { resource: room_id, ...hashedBy(granted) });
  }
  const { invitation_id } = await inviteAccount(work, caller, { for_account: of_account, hours: INVITED_HOURS });
  const invited = { room_id, admitted: false, invitation_id };
  return changed(invited, { resource: room_id, ...hashedBy(invited) });
});

const list = reads<'rooms.list_access_requests'>(async ({ read, caller, services, now }, { limit, cursor }) => {
  const { room_id } = requireOwner(caller);
  const [after] = cursor === undefined ? [''] : cursors.from(cursor);
  const wanted = { account_id: caller.account_id, after, limit: limit + 1, bytes: pageBytes(services), now };
  const rows = await queries.listOpenRequests(read, wanted);
  const found = withinPage(services, rows, ({ agent_id, message }) => [agent_id, message]);
  const { items, ...page } = cutPage(found, limit, ({ access_request_id }) => cursors.to([access_request_id]));
  return { access_requests: items.map((row) => toRequest(row, room_id)), ...page };
});

/** Who comes into a room does so in a transaction of its own, as by joining. */
export const accessHandlers: Handlers = {
  'rooms.list_access_requests': list,
  'rooms.approve_access': exclusive(approve),
  'rooms.decline_access': decline,
  'rooms.grant_access': exclusive(grant),
};
