import {
  accountOfRoom,
  Fault,
  type HookContext,
  type RoomHook,
  type RoomMember,
  type RoomRequest,
  type Services,
  type Work,
} from '@mem-service/server/module';
import { getOwner, getStanding, listOwnRooms, type RoomStanding } from './queries.ts';

/** The same answer for a room that is closed, that others have, or that never was. */
export const noRoom = (room_id: string): Fault =>
  new Fault('room_not_found', `there is no open room ${JSON.stringify(room_id)} that this account is in`, { room_id });

/** Names without a label are the usual mistake. */
export const noAgent = (agent_id: string): Fault =>
  new Fault('not_found', `no agent ${agent_id} has joined the room, which calls agents <agent_id>@<label>`, {
    agent_id,
  });

const notJoined = ({ room_id, agent_id }: RoomRequest): Fault =>
  new Fault('forbidden', `the agent ${agent_id} has not joined the room ${room_id}: it has to join first`, {
    needs: 'join',
    room_id,
  });

const isMissing = (standing: RoomStanding, { needs }: Pick<RoomRequest, 'needs'>): boolean =>
  needs === 'agent' && standing.joined === null;

type Entering = Pick<HookContext, 'account_id' | 'services'>;

export async function enter(asked: RoomRequest, { account_id: home, services }: Entering): Promise<RoomMember> {
  const account_id = accountOfRoom(asked.room_id);
  const { read } = services.database.forAccount(account_id);
  const standing = await getStanding(read, { account_id, of_account: home, agent_id: asked.agent_id });
  if (!standing) throw noRoom(asked.room_id);
  if (isMissing(standing, asked)) throw notJoined(asked);
  const { label, role, joined } = standing;
  return { ...asked, home_account_id: home, label, role, has_joined: joined !== null };
}

/** Each agent is looked up once for all of its writes. */
async function mayStay({ tx, account_id }: Work, members: readonly RoomMember[]): Promise<readonly boolean[]> {
  const known = new Map<string, Promise<RoomStanding | undefined>>();
  const look = ({ home_account_id: of_account, agent_id }: RoomMember) => {
    const name = `${of_account}\n${agent_id}`;
    const found = known.get(name) ?? getStanding(tx, { account_id, of_account, agent_id });
    known.set(name, found);
    return found;
  };
  return Promise.all(
    members.map(async (member) => {
      const standing = await look(member);
      return standing !== undefined && !isMissing(standing, member);
    }),
  );
}

/** For an open stream: after the event that may have ended access. */
async function requireStay(member: RoomMember, { database }: Services): Promise<void> {
  const account_id = accountOfRoom(member.room_id);
  const { home_account_id: of_account, agent_id } = member;
  const standing = await getStanding(database.forAccount(account_id).read, { account_id, of_account, agent_id });
  if (!standing || isMissing(standing, member)) throw noRoom(member.room_id);
}

export const rooms: RoomHook = {
  enter,
  mayStay,
  requireStay,
  ownerOf: (roomAccount, database) => getOwner(database.forAccount(roomAccount).read, roomAccount),
  listOwned: (accountId, { scan }) => listOwnRooms(scan, accountId),
  refusal: ({ room_id }) => noRoom(room_id),
  ended_by: new Set(['room_agent_left', 'room_account_left', 'room_closed']),
};
