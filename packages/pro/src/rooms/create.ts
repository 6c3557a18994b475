import {
  accountOfRoom,
  type Caller,
  type ControlContext,
  callerInRoom,
  changed,
  controls,
  Fault,
  type Handlers,
  hashedBy,
  type Input,
  insertAccount,
  type LogEvent,
  type RoomMember,
  roomShapes,
  type Services,
  setAccount,
  sha256,
  unchanged,
  type Work,
} from '@mem-service/server/module';
import { labelOfAccount, listAtHome, refuseTooMany } from './at-home.ts';
import { emitRoomEvent } from './events.ts';
import { MAX_KEPT_ROOMS } from './limits.ts';
import * as queries from './queries.ts';
import { toRoom } from './render.ts';
import { requireWholeRoom } from './scope.ts';

const SUFFIX_CHARS = 6;

/** Nobody can guess it. A call that is repeated with its idempotency key names the same room again. */
function newRoomId({ ids }: Services, name: string, { account_id, holder, idempotency_key }: Caller): string {
  const seed =
    idempotency_key === undefined
      ? Buffer.from(ids.secret()).toString('hex')
      : sha256(JSON.stringify([account_id, holder, idempotency_key]));
  const suffix = BigInt(`0x${seed.slice(0, 16)}`)
    .toString(36)
    .padStart(SUFFIX_CHARS, '0')
    .slice(-SUFFIX_CHARS);
  return `${roomShapes.roomSlug(name)}-${suffix}`;
}

/** A key is good for one room for as long as that is kept: under another name it would be another request. */
async function refuseOtherName({ services, caller }: ControlContext, room_id: string): Promise<void> {
  const { account_id, idempotency_key } = caller;
  if (idempotency_key === undefined) return;
  const suffix = room_id.slice(-SUFFIX_CHARS - 1);
  const own = await queries.listOwnRooms(services.database.scan, account_id);
  if (own.some((room) => room.endsWith(suffix) && room !== accountOfRoom(room_id)))
    throw new Fault(
      'idempotency_mismatch',
      `Idempotency-Key ${JSON.stringify(idempotency_key)} was used for another room`,
      { idempotency_key },
    );
}

/** What was written into a room is kept for a while after it was closed. */
async function refuseTooManyKept({ services, caller }: ControlContext, room_id: string): Promise<void> {
  const { account_id } = caller;
  const { database } = services;
  if (!(await queries.hasOwnRooms(database.scan, account_id, MAX_KEPT_ROOMS))) return;
  if (!(await queries.getMembership(database.forAccount(account_id).read, account_id, room_id)))
    throw new Fault(
      'conflict',
      `the account has made ${MAX_KEPT_ROOMS} rooms that are open, or were closed less than thirty days ago, and can make no more`,
      { max_rooms: MAX_KEPT_ROOMS },
    );
}

/**
 * The room first, then the membership in the account's own list. If the service stops in between, the consumer of the room's
 * log adds it.
 */
const create = controls<'rooms.create'>(async (context, input) => {
  const { services, caller, work } = context;
  const { account_id: home, agent_id } = caller;
  const room_id = newRoomId(services, input.name, caller);
  await refuseOtherName(context, room_id);
  await refuseTooMany(context, room_id);
  await refuseTooManyKept(context, room_id);
  const label = input.label ?? (await labelOfAccount(context));
  requireWholeRoom(caller, room_id);
  const account_id = accountOfRoom(room_id);
  const { database, clock } = services;
  await database.exclusively((tx) => insertAccount(tx, account_id, clock.now()));
  const acting = input.agent_id ?? agent_id;
  const member: RoomMember = {
    ...{ room_id, home_account_id: home, label, agent_id: acting },
    ...{ role: 'owner', has_joined: true, needs: 'account' },
  };
  const { room: _, ...inRoom } = callerInRoom(caller, member);
  const events: LogEvent[] = [];
  const make = async (room: Work) => {
    const result = await makeRoom(room, { input, caller: inRoom, member });
    events.push(...room.events);
    return result;
  };
  const made = await work(account_id, make, inRoom);
  await listAtHome(context, { account_id, agent_id: acting, events });
  return made;
});

type NewRoom = { input: Input<'rooms.create'>; caller: Caller; member: RoomMember };

async function makeRoom(work: Work, { input, caller, member }: NewRoom) {
  const { tx, account_id, now } = work;
  const { room_id, label, home_account_id: of_account } = member;
  const known = await queries.getRoom(tx, account_id);
  if (known) {
    const owner = await queries.getRoomAccount(tx, account_id, label);
    if (owner?.of_account !== of_account) throw new Fault('conflict', 'try again: that id is taken', { room_id });
    // Its answer is stored for a day only.
    if (known.closed_at !== null)
      throw new Fault('conflict', 'the room of this Idempotency-Key is closed', { room_id });
    return unchanged(toRoom(known, member));
  }
  const { name, description } = input;
  // Its owner's plan bounds it.
  await setAccount(tx, { account_id, name, plan: null, status: 'active', created_at: now });
  const times = { created_at: now, updated_at: now, closed_at: null, delete_at: null };
  const row = { account_id, room_id, name, description, discoverable: 0, account_count: 1, agent_count: 1, ...times };
  const owner = { account_id, label, of_account, role: 'owner', agent_count: 1, joined_at: now, ended_at: null };
  emitRoomEvent(work, caller, { event_type: 'room_created', details: { label, name } });
  emitRoomEvent(work, caller, { event_type: 'room_agent_joined', details: { label } });
  work.send(tx.insertMany(queries.upsertRoom, [row]));
  work.send(tx.insertMany(queries.upsertRoomAccount, [owner]));
  work.send(tx.insertMany(queries.insertRoomAgent, [{ account_id, agent_id: caller.agent_id, label, joined_at: now }]));
  const room = toRoom(row, member);
  return changed(room, { resource: room_id, ...hashedBy(room) });
}

export const createHandlers: Handlers = { 'rooms.create': create };
