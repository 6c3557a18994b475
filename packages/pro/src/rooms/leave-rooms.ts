import {
  type AccountLeaver,
  changed,
  hashedBy,
  isAccountGone,
  isRoomAccount,
  type Kernel,
  type Query,
  SELF_CALLER,
  unchanged,
  type Work,
} from '@mem-service/server/module';
import { deleteRequestsOf, listRoomsAsked } from './access-request-queries.ts';
import { closeRoom, removeAccount } from './accounts.ts';
import * as queries from './queries.ts';

const AT_ONCE = 100;
/** So long streams have to say that the room was closed, before its log is deleted. */
const GRACE_MS = 60_000;

/** Closes the rooms of a deleted account, takes it out of those of others, and takes back what it asked for. */
export const leaveRooms: AccountLeaver = async (kernel, of_account, isStopping) => {
  if (isRoomAccount(of_account)) return;
  const leaving = { kernel, of_account, isStopping };
  await inEachRoom(leaving, queries.listRoomsOf, leaveRoom);
  await inEachRoom(leaving, listRoomsAsked, withdrawRequests);
};

type Leaving = { kernel: Kernel; of_account: string; isStopping: () => boolean };
type ListRooms = (query: Query, page: queries.RoomsOfPage) => Promise<string[]>;
type RoomStep = (kernel: Kernel, account_id: string, ofAccount: string) => Promise<void>;

async function inEachRoom({ kernel, of_account, isStopping }: Leaving, list: ListRooms, run: RoomStep): Promise<void> {
  for (let after = '', more = true; more; ) {
    const rooms = await list(kernel.services.database.scan, { of_account, after, limit: AT_ONCE });
    for (const room of rooms) {
      if (isStopping()) return;
      await run(kernel, room, of_account);
    }
    more = rooms.length === AT_ONCE;
    after = rooms.at(-1) ?? '';
  }
}

/** Takes it out of one room. Changes nothing where it is done already. */
export async function leaveRoom(kernel: Kernel, account_id: string, ofAccount: string): Promise<void> {
  const leave = async (work: Work) => {
    const left = await leaveLocked(work, ofAccount);
    return left ? changed(left, { resource: left.room_id, ...hashedBy(left) }) : unchanged({});
  };
  // As the operations for it: nothing that comes later in the log was admitted before it.
  await unlessGone(kernel.workExclusively({ ...SELF_CALLER, account_id }, 'rooms.leave_deleted', leave));
}

/** Nobody is left to be let in, or to read the answer. */
export async function withdrawRequests(kernel: Kernel, account_id: string, ofAccount: string): Promise<void> {
  const withdraw = async ({ tx }: Work) => {
    await deleteRequestsOf(tx, account_id, ofAccount);
    return unchanged({});
  };
  await unlessGone(kernel.work({ ...SELF_CALLER, account_id }, 'rooms.withdraw_requests', withdraw));
}

async function unlessGone(working: Promise<unknown>): Promise<void> {
  await working.catch((error) => {
    if (!isAccountGone(error)) throw error;
  });
}

type LeftRoom = { room_id: string; label: string; closed: boolean };

async function leaveLocked(work: Work, ofAccount: string): Promise<LeftRoom | undefined> {
  const { tx, account_id, now } = work;
  await work.locked;
  const [room, account] = await Promise.all([
    queries.getRoom(tx, account_id),
    queries.getAccountIn(tx, account_id, ofAccount),
  ]);
  if (!room || !account || account.ended_at !== null) return undefined;
  const caller = { ...SELF_CALLER, account_id };
  const { room_id } = room;
  const { label } = account;
  const isOwner = account.role === 'owner';
  const delete_at = now + GRACE_MS;
  if (room.closed_at !== null) {
    const isSooner = isOwner && room.delete_at !== null && room.delete_at > delete_at;
    if (isSooner) work.send(tx.insertMany(queries.upsertRoom, [{ ...room, delete_at }]));
    return undefined;
  }
  if (isOwner) closeRoom(work, caller, { row: room, label, delete_at });
  else await removeAccount(work, caller, { room, account });
  return { room_id, label, closed: isOwner };
}
