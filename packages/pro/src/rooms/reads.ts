import {
  cursorsOf,
  cutPage,
  follows,
  type Handlers,
  listLog,
  pageBytes,
  type RoomMember,
  readAccount,
  reads,
  streamLog,
  toIso,
  withinPage,
} from '@mem-service/server/module';
import { noRoom } from './hook.ts';
import { getRoom, listMemberships, listRoomAccounts, listRoomAgents } from './queries.ts';
import { toListedRoom, toRoom, toRoomAccount } from './render.ts';
import { maySee } from './scope.ts';

const cursors = cursorsOf('rooms', ['string']);
const memberCursors = cursorsOf('room_members', ['string']);

const list = reads<'rooms.list'>(async ({ read, caller, services }, { limit, cursor }) => {
  const [after] = cursor === undefined ? [''] : cursors.from(cursor);
  const wanted = { account_id: caller.account_id, after, limit: limit + 1, bytes: pageBytes(services) };
  const found = withinPage(services, await listMemberships(read, wanted), ({ name }) => [name]);
  const { items, ...page } = cutPage(found, limit, ({ room_id }) => cursors.to([room_id]));
  const seen = items.filter(({ room_id }) => maySee(caller, room_id));
  return { rooms: seen.map(toListedRoom), ...page };
});

const readOne = reads<'rooms.read'>(async ({ read, caller }, { room_id }) => {
  const { account_id } = caller;
  const member = caller.room as RoomMember;
  const joined = member.has_joined;
  const [row, accounts, log] = await Promise.all([
    getRoom(read, account_id),
    listRoomAccounts(read, account_id),
    joined ? readAccount(read, account_id) : null,
  ]);
  if (!row) throw noRoom(room_id);
  const present = accounts.filter(({ ended_at }) => ended_at === null);
  return { ...toRoom(row, member), joined, last_seq: log?.seq ?? null, accounts: present.map(toRoomAccount) };
});

const members = reads<'rooms.members'>(async ({ read, caller, services }, { limit, cursor }) => {
  const [after] = cursor === undefined ? [''] : memberCursors.from(cursor);
  const wanted = { account_id: caller.account_id, after, limit: limit + 1, bytes: pageBytes(services) };
  const found = withinPage(services, await listRoomAgents(read, wanted), ({ agent_id }) => [agent_id]);
  const { items, ...page } = cutPage(found, limit, ({ agent_id }) => memberCursors.to([agent_id]));
  const agents = items.map(({ agent_id: agent, label, joined_at }) => ({ agent, label, joined_at: toIso(joined_at) }));
  return { members: agents, ...page };
});

/** The log of the room, as that of an account. */
const updates = reads<'rooms.updates'>((context, { room_id: _, ...asked }) => listLog(context, asked));

const stream = follows<'rooms.stream'>((context, { after }) =>
  streamLog(context, { after, branch: 'main', all_branches: false }),
);

export const readHandlers: Handlers = {
  'rooms.list': list,
  'rooms.read': readOne,
  'rooms.members': members,
  'rooms.updates': updates,
  'rooms.stream': stream,
};
