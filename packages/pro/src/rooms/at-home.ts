import {
  type ControlContext,
  changed,
  Fault,
  getAccount,
  hashedBy,
  type LogEvent,
  roomShapes,
  unchanged,
} from '@mem-service/server/module';
import { answerReceived } from './invitation-queries.ts';
import { MAX_ROOMS } from './limits.ts';
import { followRoom } from './memberships.ts';
import * as queries from './queries.ts';

const MAX_LABEL = 32;

/** What an account is called in rooms where it says nothing else. */
export async function labelOfAccount({ services, caller }: ControlContext): Promise<string> {
  const account = await getAccount(services.database.forAccount(caller.account_id).read, caller.account_id);
  const name = account?.name ?? '';
  return name === '' ? 'home' : roomShapes.roomSlug(name).slice(0, MAX_LABEL).replace(/-+$/, '');
}

/** `room_id` is the room that it comes into; a retry brings it into none. */
export async function refuseTooMany({ services, caller }: ControlContext, room_id: string): Promise<void> {
  const { account_id } = caller;
  const { read } = services.database.forAccount(account_id);
  if (!(await queries.hasMemberships(read, account_id, MAX_ROOMS))) return;
  if (!(await queries.getMembership(read, account_id, room_id)))
    throw new Fault('conflict', `the account is in ${MAX_ROOMS} rooms, and can be in no more`, {
      max_rooms: MAX_ROOMS,
    });
}

type OwnRoom = {
  account_id: string;
  agent_id: string;
  /** What just happened in the room; none where the call was answered before. */
  events: readonly LogEvent[];
  invitation_id?: string;
};

/** Adds the room to the account's own list, in place of the invitation. */
export async function listAtHome({ services, caller, work }: ControlContext, asked: OwnRoom): Promise<void> {
  const { account_id, agent_id, events, invitation_id } = asked;
  const { read } = services.database.forAccount(account_id);
  const [room, accounts] = await Promise.all([
    queries.getRoom(read, account_id),
    queries.listRoomAccounts(read, account_id),
  ]);
  const account = accounts.find(({ of_account }) => of_account === caller.account_id);
  if (!room || !account) throw new Error('a room that an account came into is not there');
  const { room_id } = room;
  // The answer is kept in the room.
  const once = { ...caller, idempotency_key: undefined };
  await work(
    caller.account_id,
    async (own) => {
      const isNew = await followRoom(own, { room, account, agent_id, events });
      const isAnswered = invitation_id !== undefined && (await answerReceived(own, invitation_id));
      if (!isNew && !isAnswered) return unchanged({});
      return changed({}, { resource: room_id, ...hashedBy({ room_id, label: account.label }) });
    },
    once,
  );
}
