import {
  accountOfRoom,
  Fault,
  type HookContext,
  noOpenRoom,
  type OperationName,
  type RoomHook,
  type RoomMember,
  type RoomRequest,
  type Services,
  type Work,
} from '@mem-service/server/module';
import { getAccountIn, getOwner, listOwnRooms, type RoomStanding } from './queries.ts';
import { TOPICS } from './share.ts';
import { findStanding, findStandings } from './standings.ts';

/** The same answer for a room that is closed, that others have, or that never was. */
export const noRoom = (room_id: string): Fault => new Fault('room_not_found', noOpenRoom(room_id), { room_id });

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

/** Why a member that stands so in the room may not do what it needs. */
function refusalOf(standing: RoomStanding | undefined, asked: RoomRequest): Fault | undefined {
  if (!standing) return noRoom(asked.room_id);
  return asked.needs === 'agent' && standing.joined === null ? notJoined(asked) : undefined;
}

type Entering = Pick<HookContext, 'account_id' | 'services'>;

export async function enter(asked: RoomRequest, { account_id: home, services }: Entering): Promise<RoomMember> {
  const { room_id, agent_id } = asked;
  const standing = await findStanding(services.database, accountOfRoom(room_id), { of_account: home, agent_id });
  const refusal = refusalOf(standing, asked);
  if (!standing || refusal) throw refusal ?? noRoom(room_id);
  const { label, role, joined } = standing;
  return { ...asked, home_account_id: home, label, role, has_joined: joined !== null };
}

/** What accounts share is copied there, and read as theirs: only that writes there. It can be deleted as what they wrote. */
function authorizeWrite(name: OperationName, paths: readonly string[], { room_id, label, role }: RoomMember): void {
  for (const path of paths) {
    const [, place, sharedBy] = path.split('/');
    if (place !== TOPICS || sharedBy === undefined) continue;
    if (name !== 'entries.delete')
      throw new Fault(
        'forbidden',
        `${path}: only sharing writes there (rooms.add_topic): write elsewhere in the room`,
        {
          ...{ entity_path: path, room_id },
        },
      );
    if (sharedBy !== label && role !== 'owner')
      throw new Fault('forbidden', `${path}: the account that shared it deletes it, and the owner of the room`, {
        ...{ needs: 'owner', entity_path: path, room_id },
      });
  }
}

async function findFormer(
  asked: RoomRequest,
  { account_id: home, services }: Entering,
): Promise<RoomMember | undefined> {
  const account_id = accountOfRoom(asked.room_id);
  const account = await getAccountIn(services.database.forAccount(account_id).read, account_id, home);
  return account && { ...asked, home_account_id: home, label: account.label, role: account.role, has_joined: false };
}

async function refusals(work: Work, members: readonly RoomMember[]): Promise<readonly (Fault | undefined)[]> {
  const { tx: query, dialect, account_id } = work;
  const asked = members.map(({ home_account_id: of_account, agent_id }) => ({ of_account, agent_id }));
  const standings = await findStandings({ query, dialect, account_id }, asked);
  return members.map((member, i) => refusalOf(standings.of(asked[i] as (typeof asked)[number]), member));
}

/** For an open stream: after the event that may have ended access. */
async function requireStay(member: RoomMember, { database }: Services): Promise<void> {
  const { room_id, home_account_id: of_account, agent_id } = member;
  const standing = await findStanding(database, accountOfRoom(room_id), { of_account, agent_id });
  const refusal = refusalOf(standing, member);
  if (refusal) throw refusal;
}

export const rooms: RoomHook = {
  enter,
  authorizeWrite,
  findFormer,
  refusals,
  requireStay,
  ownerOf: (roomAccount, database) => getOwner(database.forAccount(roomAccount).read, roomAccount),
  listOwned: (accountId, { scan }) => listOwnRooms(scan, accountId),
  ended_by: new Set(['room_agent_left', 'room_account_left', 'room_closed']),
};
