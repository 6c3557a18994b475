import {
  accountOfRoom,
  type Caller,
  type ControlContext,
  changed,
  controls,
  cursorsOf,
  cutPage,
  Fault,
  type Handlers,
  hashedBy,
  type Input,
  pageBytes,
  reads,
  SELF_CALLER,
  toIso,
  unchanged,
  type Work,
  withinPage,
} from '@mem-service/server/module';
import * as queries from './access-request-queries.ts';
import { refuseLongName } from './accounts.ts';
import { outside } from './answer-invitation.ts';
import { labelOfAccount } from './at-home.ts';
import { notFound } from './directory.ts';
import { getCard } from './directory-queries.ts';
import { emitRoomEvent } from './events.ts';
import { MAX_OPEN_REQUESTS, MAX_ROOMS, MAX_SENT_REQUESTS } from './limits.ts';
import { emitAtHome } from './memberships.ts';
import { getRoom, hasMemberships, listRoomAccounts } from './queries.ts';
import { maySee, requireWholeRoom } from './scope.ts';

const REQUEST_MS = 30 * 86_400_000;
const cursors = cursorsOf('sent_access_requests', ['string']);

type SentRequest = Omit<queries.SentRequestRow, 'account_id' | 'agent_id'>;

const toSent = ({ created_at, expires_at, ...row }: SentRequest) => ({
  access_request_id: row.access_request_id,
  room_id: row.room_id,
  room_name: row.room_name,
  status: row.status,
  message: row.message,
  created_at: toIso(created_at),
  expires_at: toIso(expires_at),
});

/** Every request that is approved brings the account into another room. */
async function refuseTooMany({ services, caller }: ControlContext): Promise<void> {
  const { account_id } = caller;
  const { read } = services.database.forAccount(account_id);
  const sent = await queries.countSent(read, account_id, services.clock.now());
  if (sent >= MAX_SENT_REQUESTS)
    throw new Fault('conflict', `the account waits for ${MAX_SENT_REQUESTS} answers, and can ask no more`, {
      max_requests: MAX_SENT_REQUESTS,
    });
  if (await hasMemberships(read, account_id, MAX_ROOMS - sent))
    throw new Fault('conflict', `the account is in ${MAX_ROOMS} rooms, or will be, and can be in no more`, {
      max_rooms: MAX_ROOMS,
    });
}

type RoomAsking = {
  of_account: string;
  agent_id: string;
  label: string;
  input: Input<'room_directory.request_access'>;
};

/** The request in the room; the one that is there already, if it still holds. */
async function ask(work: Work, { of_account, agent_id, label, input }: RoomAsking) {
  const { tx, account_id, now, services } = work;
  const { room_id, message } = input;
  const [room, accounts, known] = await Promise.all([
    getRoom(tx, account_id),
    listRoomAccounts(tx, account_id),
    queries.getRequestOf(tx, account_id, of_account),
  ]);
  // What may not be found any more is answered as if it never was.
  if (room?.discoverable !== 1) throw notFound(room_id);
  const { name: room_name } = room;
  if (accounts.some((one) => one.of_account === of_account && one.ended_at === null))
    throw new Fault('conflict', 'the account is in this room already', { room_id });
  // Who was let in and is there no more asks again.
  if (known && known.status !== 'approved' && known.expires_at > now)
    return unchanged(toSent({ ...known, room_id, room_name }));
  refuseLongName(agent_id);
  await queries.deleteOldRequests(tx, account_id, { account: of_account, now });
  await refuseFull(work);
  const row: queries.AccessRequestRow = {
    ...{ account_id, access_request_id: services.ids.next(now), of_account, agent_id, label, message },
    ...{ status: 'pending', created_at: now, expires_at: now + REQUEST_MS },
  };
  const { access_request_id } = row;
  // It is not in the room, and shows only the owner what it is called.
  emitRoomEvent(work, SELF_CALLER, { event_type: 'room_access_requested', details: { room_id, access_request_id } });
  work.send(tx.insertMany(queries.upsertRequest, [row]));
  const sent = toSent({ ...row, room_id, room_name });
  return changed(sent, { resource: access_request_id, ...hashedBy(sent) });
}

async function refuseFull({ tx, account_id, now }: Work): Promise<void> {
  const page = { account_id, after: '', limit: MAX_OPEN_REQUESTS, bytes: Number.MAX_SAFE_INTEGER, now };
  const { rows } = await queries.listOpenRequests(tx, page);
  if (rows.length >= MAX_OPEN_REQUESTS)
    throw new Fault('conflict', `${MAX_OPEN_REQUESTS} accounts wait for the answer of this room; ask again later`, {
      max_requests: MAX_OPEN_REQUESTS,
    });
}

/** The room first; if the service stops then, the consumer of the room's log adds it to what the account has sent. */
const request = controls<'room_directory.request_access'>(async (context, input) => {
  const { services, caller, work } = context;
  const { account_id: home } = caller;
  const { room_id } = input;
  const account_id = accountOfRoom(room_id);
  const { read } = services.database.forAccount(account_id);
  // Before anything is locked: who guesses learns nothing and holds up nobody.
  if (!(await getCard(read, account_id))) throw notFound(room_id);
  requireWholeRoom(caller, room_id);
  await refuseTooMany(context);
  const label = input.label ?? (await labelOfAccount(context));
  const agent_id = input.agent_id ?? caller.agent_id;
  const asking = { of_account: home, agent_id, label, input };
  let isNew = false;
  const make = async (room: Work) => {
    const asked = await ask(room, asking);
    isNew = room.events.length > 0;
    return asked;
  };
  const sent = await work(account_id, make, outside(caller, { room_id, agent_id }, label));
  const row = isNew ? await queries.getRequestOf(read, account_id, home) : undefined;
  const once: Caller = { ...caller, idempotency_key: undefined };
  if (row) await work(home, (own) => keepSent(own, { row, room_id, room_name: sent.room_name }), once);
  return sent;
});

type OwnRequest = { row: queries.AccessRequestRow; room_id: string; room_name: string };

/** Brings what an account has sent, and its log, in line with the request. */
export async function keepSent(work: Work, { row, room_id, room_name }: OwnRequest) {
  const { tx, account_id, now } = work;
  const { access_request_id, status, agent_id, message, created_at, expires_at } = row;
  const known = await queries.getSent(tx, account_id, access_request_id);
  // A request that was answered stays so.
  if (known?.status === status || (known && status === 'pending') || expires_at <= now) return unchanged({});
  await queries.deleteExpiredSent(tx, account_id, now);
  const details = { room_id, access_request_id };
  if (!known) emitAtHome(work, { event_type: 'room_access_requested', agent_id, details });
  if (status !== 'pending')
    emitAtHome(work, {
      event_type: 'room_access_answered',
      agent_id: SELF_CALLER.agent_id,
      details: { ...details, status },
    });
  const sent = { account_id, access_request_id, room_id, room_name, agent_id, message, status, created_at, expires_at };
  work.send(tx.insertMany(queries.upsertSent, [sent]));
  return changed({}, { resource: access_request_id, ...hashedBy({ access_request_id, status }) });
}

const list = reads<'room_access_requests.list'>(async ({ read, caller, services, now }, { limit, cursor }) => {
  const [after] = cursor === undefined ? [''] : cursors.from(cursor);
  const wanted = { account_id: caller.account_id, after, limit: limit + 1, bytes: pageBytes(services), now };
  const rows = await queries.listSent(read, wanted);
  const found = withinPage(services, rows, ({ room_name, message }) => [room_name, message]);
  const { items, ...page } = cutPage(found, limit, ({ access_request_id }) => cursors.to([access_request_id]));
  const seen = items.filter(({ room_id }) => maySee(caller, room_id));
  return { access_requests: seen.map(toSent), ...page };
});

export const requestHandlers: Handlers = {
  'room_directory.request_access': request,
  'room_access_requests.list': list,
};
