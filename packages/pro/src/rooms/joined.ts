import {
  accountOfRoom,
  type Caller,
  missingScope,
  pageBytes,
  type ReadContext,
  readScope,
  scopeCovers,
} from '@mem-service/server/module';
import { enter } from './hook.ts';
import { listMemberships } from './queries.ts';
import { everythingIn } from './scope.ts';
import { findStanding } from './standings.ts';

const mayRead = (caller: Caller, roomId: string): boolean => scopeCovers(readScope(caller), everythingIn(roomId));

/** The rooms that an agent of the caller's account has joined, for reads over several; no more than this many. */
export async function joinedRooms(
  { read, caller, services }: ReadContext,
  agent_id: string,
  most: number,
): Promise<{ rooms: string[]; more: boolean }> {
  const { account_id: of_account } = caller;
  const page = { account_id: of_account, after: '', limit: most + 1, bytes: pageBytes(services) };
  const found = await listMemberships(read, page);
  const rooms: string[] = [];
  for (const { room_id } of found.rows.slice(0, most)) {
    if (!mayRead(caller, room_id)) continue;
    const standing = await findStanding(services.database, accountOfRoom(room_id), { of_account, agent_id });
    if (standing && standing.joined !== null) rooms.push(room_id);
  }
  return { rooms, more: found.more || found.rows.length > most };
}

/** Refuses an agent that has not joined the room, as an operation within the room would. */
export async function requireJoined(
  { caller, services }: ReadContext,
  agent_id: string,
  room_id: string,
): Promise<void> {
  if (!mayRead(caller, room_id)) throw missingScope('READ', everythingIn(room_id));
  await enter({ room_id, agent_id, needs: 'agent' }, { account_id: caller.account_id, services });
}
