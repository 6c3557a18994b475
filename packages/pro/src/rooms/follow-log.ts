import {
  type Consumer,
  type ConsumerContext,
  isAccountGone,
  isRoomAccount,
  type Kernel,
  type LogEvent,
  SELF_CALLER,
  unchanged,
  type Work,
} from '@mem-service/server/module';
import * as requests from './access-request-queries.ts';
import * as invitations from './invitation-queries.ts';
import { leaveRoom, withdrawRequests } from './leave-rooms.ts';
import { MAX_RECEIVED_INVITATIONS } from './limits.ts';
import { agentAtHome, emitAtHome, followRoom } from './memberships.ts';
import * as queries from './queries.ts';
import { keepSent } from './request-access.ts';

/** They concern every account in the room. */
const OF_ALL: ReadonlySet<string> = new Set(['room_updated', 'room_closed']);
const OF_INVITATIONS: ReadonlySet<string> = new Set(['room_invited', 'room_invitation_ended']);
const OF_REQUESTS: ReadonlySet<string> = new Set(['room_access_requested', 'room_access_answered']);

type RoomDetails = { label?: string; invitation_id?: string; access_request_id?: string };
const detailsOf = ({ details }: LogEvent): RoomDetails => JSON.parse(details) as RoomDetails;

async function reportEvents(context: ConsumerContext, events: readonly LogEvent[]): Promise<void> {
  const { account_id, kernel } = context;
  const { read } = kernel.services.database.forAccount(account_id);
  const [room, accounts] = await Promise.all([
    queries.getRoom(read, account_id),
    queries.listRoomAccounts(read, account_id),
  ]);
  if (!room) return;
  for (const account of accounts) {
    const { label, of_account } = account;
    const own = events.filter((event) => OF_ALL.has(event.event_type) || detailsOf(event).label === label);
    const [first] = own.filter(({ event_type }) => !OF_INVITATIONS.has(event_type));
    if (!first) continue;
    const agent_id = agentAtHome(first.agent_id, label);
    const isThere = await inAccount(kernel, of_account, (work) =>
      followRoom(work, { room, account, agent_id, events: own }),
    );
    // It came in while it was being deleted.
    if (!isThere) await leaveRoom(kernel, account_id, of_account);
  }
  for (const event of events) {
    if (OF_INVITATIONS.has(event.event_type)) await reportInvitation(context, room, detailsOf(event));
    if (OF_REQUESTS.has(event.event_type)) {
      const { access_request_id = '' } = detailsOf(event);
      const row = await requests.getRequest(read, account_id, access_request_id);
      if (row) await reportRequest(context, room, row);
    }
  }
  if (events.some(({ event_type }) => event_type === 'room_closed'))
    for (const row of await requests.listDeclinedRequests(read, account_id)) await reportRequest(context, room, row);
}

/** Brings what the account that asked for access has sent in line with the request. */
async function reportRequest(context: ConsumerContext, room: queries.RoomRow, row: requests.AccessRequestRow) {
  const { kernel, account_id } = context;
  const isThere = await inAccount(kernel, row.of_account, async (work) => {
    await keepSent(work, { row, room_id: room.room_id, room_name: room.name });
  });
  // It asked while it was being deleted.
  if (!isThere) await withdrawRequests(kernel, account_id, row.of_account);
}

/** An account that does not exist, or is gone, needs to hear nothing: false. */
export async function inAccount(
  kernel: Kernel,
  accountId: string,
  run: (work: Work) => Promise<unknown>,
): Promise<boolean> {
  if (isRoomAccount(accountId)) return true;
  const caller = { ...SELF_CALLER, account_id: accountId };
  const report = async (work: Work) => {
    await run(work);
    return unchanged({});
  };
  try {
    await kernel.work(caller, 'rooms.follow', report);
    return true;
  } catch (error) {
    if (isAccountGone(error)) return false;
    throw error;
  }
}

/** Brings what the invited account has received in line with the invitation. */
async function reportInvitation(context: ConsumerContext, room: queries.RoomRow, details: RoomDetails): Promise<void> {
  const { account_id, kernel } = context;
  const { invitation_id = '', label = '' } = details;
  const { read } = kernel.services.database.forAccount(account_id);
  const row = await invitations.getInvitation(read, account_id, invitation_id);
  if (!row || row.token_hash !== null || row.for_account === null) return;
  await inAccount(kernel, row.for_account, async (work) => {
    if (row.status === 'pending') await receive(work, { room, row, invited_by: label });
    else if (row.status === 'withdrawn') await invitations.deleteReceived(work.tx, work.account_id, invitation_id);
    else await invitations.answerReceived(work, invitation_id);
  });
}

type NewInvitation = { room: queries.RoomRow; row: invitations.InvitationRow; invited_by: string };

async function receive(work: Work, { room, row, invited_by }: NewInvitation): Promise<void> {
  const { tx, account_id } = work;
  const { invitation_id, created_at, expires_at } = row;
  if (await invitations.getReceived(tx, account_id, invitation_id)) return;
  await invitations.deleteExpiredReceived(tx, account_id, work.now);
  if (await invitations.hasReceived(tx, account_id, MAX_RECEIVED_INVITATIONS)) return;
  const { room_id, name: room_name } = room;
  emitAtHome(work, { event_type: 'room_invited', agent_id: SELF_CALLER.agent_id, details: { room_id, invitation_id } });
  const received = {
    account_id,
    invitation_id,
    room_id,
    room_name,
    invited_by,
    created_at,
    expires_at,
    answered_at: null,
  };
  work.send(tx.insertMany(invitations.upsertReceived, [received]));
}

/** What happens in a room is reported to the accounts that it concerns. Their own lists may be behind for a moment. */
export const reportToAccounts: Consumer = {
  name: 'rooms.report_to_accounts',
  event_types: [
    ...['room_created', 'room_updated', 'room_closed', 'room_account_joined', 'room_account_left'],
    ...['room_agent_joined', 'room_agent_left', 'room_invited', 'room_invitation_ended'],
    ...['room_access_requested', 'room_access_answered', 'room_topic_added'],
  ],
  starts_at: 'the beginning',
  batch_size: 100,
  handle: reportEvents,
};
