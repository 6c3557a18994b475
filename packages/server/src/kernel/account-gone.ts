import { Fault, roomShapes } from '@mem-service/contract';

class AccountGone extends Fault {}

/** Said of a room that is closed, that others have, or that never was: all the same. */
export const noOpenRoom = (room_id: string): string =>
  `there is no open room ${JSON.stringify(room_id)} that this account is in`;

/** Thrown for writes that were still queued when their account was deleted, or the room that it is. */
export function accountGone(account_id: string): Fault {
  if (!account_id.startsWith(roomShapes.ROOM_ACCOUNT))
    return new AccountGone('not_found', `there is no account ${account_id}`, { account_id });
  const room_id = account_id.slice(roomShapes.ROOM_ACCOUNT.length);
  return new AccountGone('room_not_found', noOpenRoom(room_id), { room_id });
}

export const isAccountGone = (error: unknown): boolean => error instanceof AccountGone;
