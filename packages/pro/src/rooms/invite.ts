import {
  type Caller,
  changed,
  cursorsOf,
  cutPage,
  Fault,
  type Handlers,
  hashedBy,
  pageBytes,
  reads,
  sha256,
  toIso,
  unchanged,
  type Work,
  withinPage,
  writes,
} from '@mem-service/server/module';
import { requireOwner, requireRoom } from './accounts.ts';
import { emitRoomEvent } from './events.ts';
import * as queries from './invitation-queries.ts';
import { MAX_PENDING_INVITATIONS } from './limits.ts';
import { listRoomAccounts } from './queries.ts';

const HOUR_MS = 3_600_000;
const cursors = cursorsOf('room_invitations', ['string']);

const toInvitation = (row: queries.InvitationRow, room_id: string) => ({
  invitation_id: row.invitation_id,
  room_id,
  status: row.status,
  account_id: row.token_hash === null ? row.for_account : null,
  invited_by: row.agent_id,
  created_at: toIso(row.created_at),
  expires_at: toIso(row.expires_at),
});

async function refuseTooMany(work: Work): Promise<void> {
  const { tx, account_id, now } = work;
  await queries.deleteExpired(tx, account_id, now);
  const page = { account_id, after: '', limit: MAX_PENDING_INVITATIONS, bytes: Number.MAX_SAFE_INTEGER, now };
  const { rows } = await queries.listPending(tx, page);
  if (rows.length >= MAX_PENDING_INVITATIONS)
    throw new Fault('conflict', `the room has ${MAX_PENDING_INVITATIONS} open invitations, and can have no more`, {
      max_invitations: MAX_PENDING_INVITATIONS,
    });
}

/** An account has one open invitation to a room, so that rooms do not crowd out those of others. */
async function refuseKnown({ tx, account_id }: Work, for_account: string): Promise<void> {
  const accounts = await listRoomAccounts(tx, account_id);
  if (accounts.some(({ of_account, ended_at }) => of_account === for_account && ended_at === null))
    throw new Fault('conflict', 'that account is in the room already', { account_id: for_account });
  const open = await queries.findPending(tx, account_id, for_account);
  if (open)
    throw new Fault('conflict', 'that account has an open invitation to the room', {
      account_id: for_account,
      invitation_id: open.invitation_id,
    });
}

type InvitationDraft = { for_account: string | null; hours: number };

/** Adds an invitation, with a token where no account is named. */
export async function inviteAccount(work: Work, caller: Caller, { for_account, hours }: InvitationDraft) {
  const { room_id, label } = requireOwner(caller);
  const { tx, account_id, now, services } = work;
  await requireRoom(work);
  await refuseTooMany(work);
  if (for_account !== null) await refuseKnown(work, for_account);
  const secret = for_account === null ? Buffer.from(services.ids.secret()).toString('base64url') : undefined;
  const row: queries.InvitationRow = {
    ...{ account_id, invitation_id: services.ids.next(now), for_account, status: 'pending' },
    token_hash: secret === undefined ? null : sha256(secret),
    ...{ agent_id: caller.agent_id, created_at: now, expires_at: now + hours * HOUR_MS },
  };
  const { invitation_id } = row;
  emitRoomEvent(work, caller, { event_type: 'room_invited', details: { room_id, label, invitation_id } });
  work.send(tx.insertMany(queries.upsertInvitation, [row]));
  const invitation = toInvitation(row, room_id);
  // Who redeems it finds the room by it.
  const token = secret === undefined ? null : `${room_id}.${invitation_id}.${secret}`;
  return { ...invitation, token };
}

const invite = writes<'rooms.invite'>(async (work, { caller, input }) => {
  const { account_id: for_account = null, expires_in_hours: hours } = input;
  const { token, ...invitation } = await inviteAccount(work, caller, { for_account, hours });
  const { invitation_id } = invitation;
  return changed({ ...invitation, token }, { resource: invitation_id, ...hashedBy(invitation) });
});

const withdraw = writes<'rooms.withdraw_invitation'>(async (work, { caller, input }) => {
  const { room_id, label } = requireOwner(caller);
  const { tx, account_id } = work;
  const { invitation_id } = input;
  const row = await queries.getInvitation(tx, account_id, invitation_id);
  if (!row) throw noInvitation(invitation_id);
  if (row.status !== 'pending') return unchanged(toInvitation(row, room_id));
  const next = { ...row, status: 'withdrawn' as const };
  emitRoomEvent(work, caller, { event_type: 'room_invitation_ended', details: { room_id, label, invitation_id } });
  work.send(tx.insertMany(queries.upsertInvitation, [next]));
  const invitation = toInvitation(next, room_id);
  return changed(invitation, { resource: invitation_id, ...hashedBy(invitation) });
});

export const noInvitation = (invitation_id: string): Fault =>
  new Fault('not_found', `there is no open invitation ${JSON.stringify(invitation_id)}`, { invitation_id });

const list = reads<'rooms.list_invitations'>(async ({ read, caller, services, now }, { limit, cursor }) => {
  const { room_id } = requireOwner(caller);
  const [after] = cursor === undefined ? [''] : cursors.from(cursor);
  const wanted = { account_id: caller.account_id, after, limit: limit + 1, bytes: pageBytes(services), now };
  const found = withinPage(services, await queries.listPending(read, wanted), ({ agent_id }) => [agent_id]);
  const { items, ...page } = cutPage(found, limit, ({ invitation_id }) => cursors.to([invitation_id]));
  return { invitations: items.map((row) => toInvitation(row, room_id)), ...page };
});

export const inviteHandlers: Handlers = {
  'rooms.invite': invite,
  'rooms.withdraw_invitation': withdraw,
  'rooms.list_invitations': list,
};
