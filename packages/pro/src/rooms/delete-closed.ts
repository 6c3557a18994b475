import {
  endAccount,
  isAccountGone,
  type Kernel,
  type MaintenanceTask,
  SELF_CALLER,
  unchanged,
  type Work,
} from '@mem-service/server/module';
import { inAccount } from './follow-log.ts';
import * as invitations from './invitation-queries.ts';
import { MAX_PENDING_INVITATIONS } from './limits.ts';
import { followRoom } from './memberships.ts';
import * as queries from './queries.ts';

const AT_ONCE = 200;

/** Deletes the accounts that rooms were, some time after they were closed. Their rows go as those of all deleted accounts. */
export const deleteClosed: MaintenanceTask = {
  name: 'rooms.delete_closed',
  async run(kernel, isStopping) {
    const { database, clock } = kernel.services;
    for (const room of await queries.listRoomsToDelete(database.scan, clock.now(), AT_ONCE)) {
      if (isStopping()) return;
      await deleteRoom(kernel, room);
    }
  },
};

async function deleteRoom(kernel: Kernel, account_id: string): Promise<void> {
  await unlistRoom(kernel, account_id);
  const end = async ({ tx, now }: Work) => {
    const room = await queries.getRoom(tx, account_id);
    // From here on no task finds it.
    if (room) await tx.insertMany(queries.upsertRoom, [{ ...room, delete_at: null }]);
    await endAccount(tx, account_id, now);
    return unchanged({});
  };
  await kernel.workExclusively({ ...SELF_CALLER, account_id }, 'rooms.delete', end).catch((error) => {
    if (!isAccountGone(error)) throw error;
  });
}

/** The log of the room goes, whether or not every account that was in it or invited has followed it. */
async function unlistRoom(kernel: Kernel, account_id: string): Promise<void> {
  const { read } = kernel.services.database.forAccount(account_id);
  const [room, accounts] = await Promise.all([
    queries.getRoom(read, account_id),
    queries.listRoomAccounts(read, account_id),
  ]);
  if (!room) return;
  for (const account of accounts)
    await inAccount(kernel, account.of_account, (work) =>
      followRoom(work, { room, account, agent_id: SELF_CALLER.agent_id, events: [] }),
    );
  const page = { account_id, after: '', limit: MAX_PENDING_INVITATIONS, bytes: Number.MAX_SAFE_INTEGER, now: 0 };
  const { rows } = await invitations.listPending(read, page);
  for (const { for_account, invitation_id } of rows)
    if (for_account !== null)
      await inAccount(kernel, for_account, async ({ tx }) => {
        await invitations.deleteReceived(tx, for_account, invitation_id);
      });
}
