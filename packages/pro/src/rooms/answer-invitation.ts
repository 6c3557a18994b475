import {
  accountOfRoom,
  agentInRoom,
  type Caller,
  type ControlContext,
  callerInRoom,
  changed,
  controls,
  cursorsOf,
  cutPage,
  Fault,
  type Handlers,
  hashedBy,
  type LogEvent,
  type Output,
  pageBytes,
  type RoomMember,
  reads,
  SELF_CALLER,
  sha256,
  toIso,
  unchanged,
  type Work,
  withinPage,
} from '@mem-service/server/module';
import { admitAccount, admitAgent } from './accounts.ts';
import { labelOfAccount, listAtHome, refuseTooMany } from './at-home.ts';
import { emitRoomEvent } from './events.ts';
import { noRoom } from './hook.ts';
import * as queries from './invitation-queries.ts';
import { noInvitation } from './invite.ts';
import { listRoomAccounts } from './queries.ts';
import { maySee, requireWholeRoom } from './scope.ts';
import { findStanding } from './standings.ts';

const cursors = cursorsOf('received_invitations', ['string']);

const list = reads<'room_invitations.list'>(async ({ read, caller, services, now }, { limit, cursor }) => {
  const [after] = cursor === undefined ? [''] : cursors.from(cursor);
  const wanted = { account_id: caller.account_id, after, limit: limit + 1, bytes: pageBytes(services), now };
  const found = withinPage(services, await queries.listReceived(read, wanted), ({ room_name }) => [room_name]);
  const { items, ...page } = cutPage(found, limit, ({ invitation_id }) => cursors.to([invitation_id]));
  const seen = items.filter(({ room_id }) => maySee(caller, room_id));
  return { invitations: seen.map(toReceived), ...page };
});

const toReceived = ({ account_id: _, answered_at: __, created_at, expires_at, ...row }: queries.ReceivedRow) => ({
  ...row,
  created_at: toIso(created_at),
  expires_at: toIso(expires_at),
});

type AnsweredInvitation = {
  room_id: string;
  invitation_id: string;
  /** The hash of the secret in a token, where there is one. */
  token_hash: string | null;
  label: string | undefined;
  agent_id: string;
};

/** It does not repeat the token: messages of errors are kept with sessions. */
const noToken = (): Fault => new Fault('not_found', 'no open invitation has this token');

/** The invitation, if this account may answer it now, or accepted it and is still there. */
async function openInvitation(work: Work, home: string, { invitation_id, token_hash }: AnsweredInvitation) {
  const row = await queries.getInvitation(work.tx, work.account_id, invitation_id);
  const isMeant =
    row !== undefined &&
    (token_hash === null ? row.token_hash === null && row.for_account === home : row.token_hash === token_hash);
  const refusal = token_hash === null ? noInvitation(invitation_id) : noToken();
  if (!isMeant) throw refusal;
  const isOwn = row.status === 'accepted' && row.for_account === home && (await isThere(work, home));
  if (!isOwn && (row.status !== 'pending' || row.expires_at <= work.now)) throw refusal;
  // A token is for another account, and good for one.
  if (!isOwn && token_hash !== null && (await isThere(work, home))) throw isInAlready(row.invitation_id);
  return row;
}

const isInAlready = (invitation_id: string): Fault =>
  new Fault(
    'conflict',
    'your account is in this room already, and its agents join by themselves: the token was not used',
    {
      invitation_id,
    },
  );

async function isThere({ tx, account_id }: Work, home: string): Promise<boolean> {
  const accounts = await listRoomAccounts(tx, account_id);
  return accounts.some(({ of_account, ended_at }) => of_account === home && ended_at === null);
}

/** As whom an account acts on a room that it is not in. */
export function outside(
  caller: Caller,
  { room_id, agent_id }: Pick<RoomMember, 'room_id' | 'agent_id'>,
  label: string,
): Caller {
  const member: RoomMember = {
    ...{ room_id, home_account_id: caller.account_id, label, agent_id },
    ...{ role: 'member', has_joined: false, needs: 'account' },
  };
  const { room: _, ...inRoom } = callerInRoom(caller, member);
  return inRoom;
}

/** The room first; if the service stops then, the same call goes on, or the consumer of the room's log does. */
async function accept(
  context: ControlContext,
  answered: AnsweredInvitation,
): Promise<Output<'room_invitations.accept'>> {
  const { caller, work } = context;
  const { account_id: home } = caller;
  const { room_id, agent_id } = answered;
  const account_id = accountOfRoom(room_id);
  await refuseTooMany(context, room_id);
  const proposed = await labelOfAccount(context);
  const events: LogEvent[] = [];
  const enter = async (room: Work) => {
    const result = await admit(room, { home, answered, proposed, caller });
    events.push(...room.events);
    return result;
  };
  const admitted = await work(account_id, enter, outside(caller, answered, answered.label ?? proposed));
  // A stored answer may be from before the room was closed, or the account removed from it.
  if (events.length === 0) await requireInRoom(context, answered);
  await listAtHome(context, { account_id, agent_id, events, invitation_id: answered.invitation_id });
  return admitted;
}

async function requireInRoom({ services, caller }: ControlContext, { room_id, agent_id }: AnsweredInvitation) {
  const asked = { of_account: caller.account_id, agent_id };
  if (!(await findStanding(services.database, accountOfRoom(room_id), asked))) throw noRoom(room_id);
}

type AdmittedAccount = { home: string; answered: AnsweredInvitation; proposed: string; caller: Caller };

async function admit(work: Work, { home, answered, proposed, caller }: AdmittedAccount) {
  const row = await openInvitation(work, home, answered);
  const { room_id, agent_id: own, label: asked } = answered;
  const by = outside(caller, answered, asked ?? proposed);
  const { label } = await admitAccount(work, by, { of_account: home, label: asked, proposed, agent: own });
  const agent = agentInRoom({ agent_id: own, label });
  await admitAgent(work, { ...by, agent_id: agent }, { label, own });
  const accepted = { ...row, status: 'accepted' as const, for_account: home };
  work.send(work.tx.insertMany(queries.upsertInvitation, [accepted]));
  const membership = { room_id, agent, label, joined: true };
  return row.status === 'accepted'
    ? unchanged(membership)
    : changed(membership, { resource: answered.invitation_id, ...hashedBy(membership) });
}

/** A key that does not see the invitation is answered as if there were none. */
async function requireReceived({ services, caller }: ControlContext, invitation_id: string) {
  const { account_id } = caller;
  const row = await queries.getReceived(services.database.forAccount(account_id).read, account_id, invitation_id);
  if (!row || !maySee(caller, row.room_id)) throw noInvitation(invitation_id);
  requireWholeRoom(caller, row.room_id);
  return row;
}

const acceptOne = controls<'room_invitations.accept'>(async (context, { invitation_id, label, agent_id }) => {
  const { room_id } = await requireReceived(context, invitation_id);
  const acting = agent_id ?? context.caller.agent_id;
  return accept(context, { room_id, invitation_id, token_hash: null, label, agent_id: acting });
});

/** `<room_id>.<invitation_id>.<secret>` */
const TOKEN = /^([a-z0-9-]{1,64})\.([a-z0-9]{1,64})\.([\w-]{1,100})$/;

const redeem = controls<'room_invitations.redeem'>(async (context, { token, label, agent_id }) => {
  const [, room_id, invitation_id, secret] = TOKEN.exec(token) ?? [];
  if (!room_id || !invitation_id || !secret) throw noToken();
  const { services, caller } = context;
  const known = await queries.getInvitation(
    services.database.forAccount(accountOfRoom(room_id)).read,
    accountOfRoom(room_id),
    invitation_id,
  );
  // Before anything is locked: who guesses learns nothing and holds up nobody.
  if (known?.token_hash !== sha256(secret)) throw noToken();
  requireWholeRoom(caller, room_id);
  const acting = agent_id ?? caller.agent_id;
  return accept(context, { room_id, invitation_id, token_hash: sha256(secret), label, agent_id: acting });
});

const decline = controls<'room_invitations.decline'>(async (context, { invitation_id, agent_id }) => {
  const { caller, work } = context;
  const { account_id: home } = caller;
  const { room_id } = await requireReceived(context, invitation_id);
  const acting = agent_id ?? caller.agent_id;
  const answered = { room_id, invitation_id, token_hash: null, label: undefined, agent_id: acting };
  const inRoom = outside(caller, answered, await labelOfAccount(context));
  const answer = { invitation_id, declined: true as const };
  const declined = await work(
    accountOfRoom(room_id),
    async (room) => {
      const row = await queries.getInvitation(room.tx, room.account_id, invitation_id);
      if (row?.status === 'declined') return unchanged(answer);
      if (row?.status !== 'pending') throw noInvitation(invitation_id);
      // It never was in the room, and shows nobody there what it is called.
      emitRoomEvent(room, SELF_CALLER, { event_type: 'room_invitation_ended', details: { room_id, invitation_id } });
      room.send(room.tx.insertMany(queries.upsertInvitation, [{ ...row, status: 'declined' }]));
      return changed(answer, { resource: invitation_id, ...hashedBy(answer) });
    },
    inRoom,
  );
  await work(home, (own) => endReceived(own, { ...caller, agent_id: acting }, { invitation_id, room_id }), {
    ...caller,
    idempotency_key: undefined,
  });
  return declined;
});

async function endReceived(work: Work, caller: Caller, gone: { invitation_id: string; room_id: string }) {
  const { invitation_id, room_id } = gone;
  if (!(await queries.answerReceived(work, invitation_id))) return unchanged({});
  emitRoomEvent(work, caller, { event_type: 'room_invitation_ended', details: { room_id, invitation_id } });
  return changed({}, { resource: invitation_id, ...hashedBy({ invitation_id }) });
}

export const answerHandlers: Handlers = {
  'room_invitations.list': list,
  'room_invitations.accept': acceptOne,
  'room_invitations.decline': decline,
  'room_invitations.redeem': redeem,
};
