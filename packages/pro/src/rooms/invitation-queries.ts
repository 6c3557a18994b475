import {
  type FirstRows,
  fragment,
  type Insert,
  type Query,
  sql,
  type Transaction,
  type Work,
} from '@mem-service/server/module';
import { MAX_KEPT_ANSWERED } from './limits.ts';
import type { RoomPage } from './queries.ts';

export type InvitationRow = {
  account_id: string;
  invitation_id: string;
  /** The account that was named; null where there is a token. */
  for_account: string | null;
  token_hash: string | null;
  status: 'pending' | 'accepted' | 'declined' | 'withdrawn';
  agent_id: string;
  created_at: number;
  expires_at: number;
};

export const upsertInvitation: Insert = {
  table: 'room_invitations',
  columns: {
    account_id: 'text',
    invitation_id: 'text',
    for_account: 'text',
    token_hash: 'text',
    status: 'text',
    agent_id: 'text',
    created_at: 'int',
    expires_at: 'int',
  },
  suffix: `ON CONFLICT (account_id, invitation_id) DO UPDATE SET status = excluded.status,
    for_account = excluded.for_account`,
};

const INVITATION = fragment(Object.keys(upsertInvitation.columns).join(', '));

export function getInvitation(query: Query, accountId: string, id: string): Promise<InvitationRow | undefined> {
  return query.get(
    sql`SELECT ${INVITATION} FROM room_invitations WHERE account_id = ${accountId} AND invitation_id = ${id}`,
  );
}

/** Those that can still be accepted, in the order of their ids. */
export function listPending(query: Query, page: RoomPage & { now: number }): Promise<FirstRows<InvitationRow>> {
  const { account_id, after, limit, bytes, now } = page;
  return query.first(
    sql`SELECT ${INVITATION} FROM room_invitations WHERE account_id = ${account_id} AND status = 'pending'
          AND invitation_id > ${after} AND expires_at > ${now} ORDER BY invitation_id LIMIT ${limit}`,
    { columns: ['agent_id'], bytes },
  );
}

/** Those that are over have been deleted before. */
export function findPending(
  query: Query,
  accountId: string,
  forAccount: string,
): Promise<Pick<InvitationRow, 'invitation_id'> | undefined> {
  return query.get(
    sql`SELECT invitation_id FROM room_invitations WHERE account_id = ${accountId} AND status = 'pending'
          AND for_account = ${forAccount} ORDER BY invitation_id LIMIT 1`,
  );
}

/** An account that is removed comes back by a new invitation only. */
export function withdrawAllFor(tx: Transaction, accountId: string, forAccount: string): Promise<number> {
  return tx.run(
    sql`UPDATE room_invitations SET status = 'withdrawn' WHERE account_id = ${accountId} AND for_account = ${forAccount}
          AND status = 'pending'`,
  );
}

/** What nobody answered in time makes room for others. */
export function deleteExpired(tx: Transaction, accountId: string, now: number): Promise<number> {
  return tx.run(
    sql`DELETE FROM room_invitations WHERE account_id = ${accountId} AND status = 'pending' AND expires_at <= ${now}`,
  );
}

export type ReceivedRow = {
  account_id: string;
  invitation_id: string;
  room_id: string;
  room_name: string;
  invited_by: string;
  created_at: number;
  expires_at: number;
  /** One that was answered is kept for a while: an answer that is sent again finds its room by it. */
  answered_at: number | null;
};

export const upsertReceived: Insert = {
  table: 'received_invitations',
  columns: {
    account_id: 'text',
    invitation_id: 'text',
    room_id: 'text',
    room_name: 'text',
    invited_by: 'text',
    created_at: 'int',
    expires_at: 'int',
    answered_at: 'int',
  },
  suffix: 'ON CONFLICT (account_id, invitation_id) DO NOTHING',
};

const RECEIVED = fragment(Object.keys(upsertReceived.columns).join(', '));

export function getReceived(query: Query, accountId: string, id: string): Promise<ReceivedRow | undefined> {
  return query.get(
    sql`SELECT ${RECEIVED} FROM received_invitations WHERE account_id = ${accountId} AND invitation_id = ${id}`,
  );
}

export function listReceived(query: Query, page: RoomPage & { now: number }): Promise<FirstRows<ReceivedRow>> {
  const { account_id, after, limit, bytes, now } = page;
  return query.first(
    sql`SELECT ${RECEIVED} FROM received_invitations WHERE account_id = ${account_id} AND invitation_id > ${after}
          AND expires_at > ${now} AND answered_at IS NULL ORDER BY invitation_id LIMIT ${limit}`,
    { columns: ['room_name'], bytes },
  );
}

/** Whether an account has at least this many that it did not answer. */
export async function hasReceived(query: Query, accountId: string, count: number): Promise<boolean> {
  const found = await query.get(
    sql`SELECT invitation_id FROM received_invitations WHERE account_id = ${accountId} AND answered_at IS NULL
        ORDER BY invitation_id LIMIT 1 OFFSET ${count - 1}`,
  );
  return found !== undefined;
}

/** Returns whether it was open. */
export async function answerReceived({ tx, account_id, now }: Work, id: string): Promise<boolean> {
  const answered = await tx.run(
    sql`UPDATE received_invitations SET answered_at = ${now}
        WHERE account_id = ${account_id} AND invitation_id = ${id} AND answered_at IS NULL`,
  );
  if (answered === 0) return false;
  await tx.run(
    sql`DELETE FROM received_invitations WHERE account_id = ${account_id} AND answered_at <
          (SELECT answered_at FROM received_invitations WHERE account_id = ${account_id} AND answered_at IS NOT NULL
           ORDER BY answered_at DESC LIMIT 1 OFFSET ${MAX_KEPT_ANSWERED - 1})`,
  );
  return true;
}

export function deleteReceived(tx: Transaction, accountId: string, id: string): Promise<number> {
  return tx.run(sql`DELETE FROM received_invitations WHERE account_id = ${accountId} AND invitation_id = ${id}`);
}

export function deleteExpiredReceived(tx: Transaction, accountId: string, now: number): Promise<number> {
  return tx.run(sql`DELETE FROM received_invitations WHERE account_id = ${accountId} AND expires_at <= ${now}`);
}
