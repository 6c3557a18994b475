import {
  type Caller,
  changed,
  exclusive,
  Fault,
  type Handlers,
  hashedBy,
  type RoomMember,
  roomShapes,
  SELF_CALLER,
  unchanged,
  type Work,
  writes,
} from '@mem-service/server/module';
import { declineAllRequests, getRequestOf, upsertRequest } from './access-request-queries.ts';
import { hideRoom, saveCounts, saveRoom } from './directory-card.ts';
import { emitRoomEvent } from './events.ts';
import { noRoom } from './hook.ts';
import { withdrawAllFor } from './invitation-queries.ts';
import { KEPT_CLOSED_MS, MAX_ACCOUNTS, MAX_AGENT_BYTES, MAX_AGENTS } from './limits.ts';
import * as queries from './queries.ts';
import { toRoom } from './render.ts';
import { listAllTopics } from './topic-queries.ts';

export function requireOwner({ room }: Caller): RoomMember {
  if (room?.role === 'owner') return room;
  throw new Fault('forbidden', 'only the account that made the room does this', { needs: 'owner' });
}

export async function requireRoom({ tx, account_id }: Work): Promise<queries.RoomRow> {
  const room = await queries.getRoom(tx, account_id);
  if (room && room.closed_at === null) return room;
  throw noRoom(account_id.slice(roomShapes.ROOM_ACCOUNT.length));
}

const update = writes<'rooms.update'>(async (work, { caller, input }) => {
  const member = requireOwner(caller);
  const row = await requireRoom(work);
  const { name = row.name, description = row.description } = input;
  const discoverable = input.discoverable === undefined ? row.discoverable : Number(input.discoverable);
  const isSame = name === row.name && description === row.description && discoverable === row.discoverable;
  if (isSame) return unchanged(toRoom(row, member));
  const next = { ...row, name, description, discoverable, updated_at: work.now };
  emitRoomEvent(work, caller, { event_type: 'room_updated', details: { label: member.label, name } });
  const topics = await listAllTopics(work.tx, work.account_id);
  await saveRoom(
    work,
    next,
    topics.map(({ title }) => title),
  );
  const room = toRoom(next, member);
  return changed(room, { resource: row.room_id, ...hashedBy(room) });
});

const remove = writes<'rooms.remove_account'>(async (work, { caller, input }) => {
  const { tx, account_id } = work;
  const { label, room_id } = input;
  const own = caller.room as RoomMember;
  if (label !== own.label) requireOwner(caller);
  const answer = { room_id, label, removed: true };
  const [room, account] = await Promise.all([requireRoom(work), queries.getRoomAccount(tx, account_id, label)]);
  if (!account || account.ended_at !== null) return unchanged({ ...answer, removed: false });
  if (account.role === 'owner')
    throw new Fault('conflict', 'the account that made a room stays in it until it closes it', { label });
  await removeAccount(work, caller, { room, account });
  return changed(answer, { resource: room_id, ...hashedBy(answer) });
});

type PlaceInRoom = { room: queries.RoomRow; account: queries.RoomAccountRow };

/** Takes an account out of a room with its agents. */
export async function removeAccount(work: Work, caller: Caller, { room, account }: PlaceInRoom): Promise<void> {
  const { tx, account_id, now } = work;
  const { label } = account;
  const agents = await queries.deleteAgentsOf(tx, account_id, label);
  const counts = { account_count: room.account_count - 1, agent_count: room.agent_count - agents };
  emitRoomEvent(work, caller, { event_type: 'room_account_left', details: { label } });
  await noteLeavers(work, (agent) => agent.endsWith(roomShapes.ROOM_SIGN + label));
  saveCounts(work, { ...room, ...counts, updated_at: now });
  work.send(tx.insertMany(queries.upsertRoomAccount, [{ ...account, agent_count: 0, ended_at: now }]));
  await withdrawAllFor(tx, account_id, account.of_account);
}

const close = writes<'rooms.close'>(async (work, { caller, input }) => {
  const { label } = requireOwner(caller);
  const row = await requireRoom(work);
  closeRoom(work, caller, { row, label, delete_at: work.now + KEPT_CLOSED_MS });
  const answer = { room_id: input.room_id, closed: true as const };
  return changed(answer, { resource: row.room_id, ...hashedBy(answer) });
});

type ClosedRoom = { row: queries.RoomRow; label: string; delete_at: number };

export function closeRoom(work: Work, caller: Caller, { row, label, delete_at }: ClosedRoom): void {
  emitRoomEvent(work, caller, { event_type: 'room_closed', details: { label } });
  const closed = { ...row, discoverable: 0, closed_at: work.now, updated_at: work.now, delete_at };
  work.send(work.tx.insertMany(queries.upsertRoom, [closed]));
  hideRoom(work);
  work.send(declineAllRequests(work.tx, work.account_id));
}

type Admitted = {
  of_account: string;
  label: string | undefined;
  proposed: string;
  agent: string;
  /** Who approved its request for access, if that is how it comes in. */
  approved_by?: Caller;
};

/** A free label: the one that is asked for, or the proposed one with a number. */
async function chooseLabel(work: Work, { label, proposed }: Pick<Admitted, 'label' | 'proposed'>): Promise<string> {
  const isTaken = async (name: string) => (await queries.getRoomAccount(work.tx, work.account_id, name)) !== undefined;
  if (label !== undefined) {
    if (!(await isTaken(label))) return label;
    throw new Fault('conflict', `another account is called ${label} in this room`, { label });
  }
  let free = proposed;
  for (let n = 2; await isTaken(free); n++) free = `${proposed.slice(0, 28)}-${n}`;
  return free;
}

/** Brings an account into the room; one that was there before keeps its label. Returns how it is called there. */
export async function admitAccount(work: Work, caller: Caller, asked: Admitted): Promise<queries.RoomAccountRow> {
  const { tx, account_id, now } = work;
  const [room, accounts] = await Promise.all([requireRoom(work), queries.listRoomAccounts(tx, account_id)]);
  const known = accounts.find(({ of_account }) => of_account === asked.of_account);
  if (known && known.ended_at === null) return known;
  if (!known && accounts.length >= MAX_ACCOUNTS)
    throw new Fault('conflict', `the room had ${MAX_ACCOUNTS} accounts, and can have no more`, {
      max_accounts: MAX_ACCOUNTS,
    });
  const label = known?.label ?? (await chooseLabel(work, asked));
  const { of_account } = asked;
  const row = {
    account_id,
    label,
    of_account,
    role: 'member' as const,
    agent_count: 0,
    joined_at: now,
    ended_at: null,
  };
  const by = { ...caller, agent_id: `${asked.agent}@${label}` };
  emitRoomEvent(work, by, { event_type: 'room_account_joined', details: { label } });
  await tx.insertMany(queries.upsertRoomAccount, [row]);
  saveCounts(work, { ...room, account_count: room.account_count + 1, updated_at: now });
  await answerRequest(work, asked);
  return row;
}

/** Whichever way an account came in, what it asked for is answered by that. */
async function answerRequest(work: Work, { of_account, approved_by = SELF_CALLER }: Admitted): Promise<void> {
  const { tx, account_id } = work;
  const row = await getRequestOf(tx, account_id, of_account);
  if (row?.status !== 'pending') return;
  const room_id = account_id.slice(roomShapes.ROOM_ACCOUNT.length);
  const details = { room_id, access_request_id: row.access_request_id, status: 'approved' };
  emitRoomEvent(work, approved_by, { event_type: 'room_access_answered', details });
  work.send(tx.insertMany(upsertRequest, [{ ...row, status: 'approved' }]));
}

/** Adds to the counts of a room, and of an account in it. */
export async function countAgent(work: Work, label: string, agents: 1 | -1): Promise<void> {
  const { tx, account_id, now } = work;
  const [room, account] = await Promise.all([requireRoom(work), queries.getRoomAccount(tx, account_id, label)]);
  if (!account) throw new Error('a member of a room has no row in it');
  if (agents > 0 && room.agent_count >= MAX_AGENTS)
    throw new Fault('conflict', `the room has ${MAX_AGENTS} agents, and can have no more`, { max_agents: MAX_AGENTS });
  const counted = { ...room, agent_count: room.agent_count + agents, updated_at: now };
  saveCounts(work, counted);
  const of = { ...account, agent_count: account.agent_count + agents };
  work.send(tx.insertMany(queries.upsertRoomAccount, [of]));
}

/** Lets other modules note who is in the room no more. */
export async function noteLeavers(work: Work, hasLeft: (agentId: string) => boolean): Promise<void> {
  for (const follow of work.services.followsLeavers) await follow(work, hasLeft);
}

/** `own` is the name of an agent without a label. */
export function refuseLongName(own: string): void {
  if (Buffer.byteLength(own) > MAX_AGENT_BYTES)
    throw new Fault('conflict', `the name of an agent in a room is at most ${MAX_AGENT_BYTES} bytes long`, {
      max_bytes: MAX_AGENT_BYTES,
    });
}

/** Lets an agent join; false where it has already. `own` is its name without the label. */
export async function admitAgent(work: Work, caller: Caller, { label, own }: { label: string; own: string }) {
  const { tx, account_id, now } = work;
  const { agent_id } = caller;
  if (await queries.getRoomAgent(tx, account_id, agent_id)) return false;
  refuseLongName(own);
  await countAgent(work, label, 1);
  emitRoomEvent(work, caller, { event_type: 'room_agent_joined', details: { label } });
  work.send(tx.insertMany(queries.insertRoomAgent, [{ account_id, agent_id, label, joined_at: now }]));
  return true;
}

/** What ends access has a transaction of its own: nothing that comes later in the log was admitted before it. */
export const accountHandlers: Handlers = {
  'rooms.update': update,
  'rooms.remove_account': exclusive(remove),
  'rooms.close': exclusive(close),
};
