import { type FirstRows, fragment, type Insert, type Query, sql, type Transaction } from '@mem-service/server/module';
import type { RoomPage, RoomsOfPage } from './queries.ts';

type AccessStatus = 'pending' | 'approved' | 'declined';

/** In the account of the room. */
export type AccessRequestRow = {
  account_id: string;
  access_request_id: string;
  of_account: string;
  /** The agent that asked, as its own account calls it. */
  agent_id: string;
  /** What its account would like to be called in the room. */
  label: string;
  message: string;
  status: AccessStatus;
  created_at: number;
  expires_at: number;
};

export const upsertRequest: Insert = {
  table: 'room_access_requests',
  columns: {
    account_id: 'text',
    access_request_id: 'text',
    of_account: 'text',
    agent_id: 'text',
    label: 'text',
    message: 'text',
    status: 'text',
    created_at: 'int',
    expires_at: 'int',
  },
  suffix: 'ON CONFLICT (account_id, access_request_id) DO UPDATE SET status = excluded.status',
};

const REQUEST = fragment(Object.keys(upsertRequest.columns).join(', '));

export function getRequest(query: Query, accountId: string, id: string): Promise<AccessRequestRow | undefined> {
  return query.get(
    sql`SELECT ${REQUEST} FROM room_access_requests WHERE account_id = ${accountId} AND access_request_id = ${id}`,
  );
}

/** There is one at most. */
export function getRequestOf(query: Query, accountId: string, of: string): Promise<AccessRequestRow | undefined> {
  return query.get(
    sql`SELECT ${REQUEST} FROM room_access_requests WHERE account_id = ${accountId} AND of_account = ${of}`,
  );
}

/** Those that nobody has answered, in the order of their ids. */
export function listOpenRequests(query: Query, page: RoomPage & { now: number }): Promise<FirstRows<AccessRequestRow>> {
  const { account_id, after, limit, bytes, now } = page;
  return query.first(
    sql`SELECT ${REQUEST} FROM room_access_requests WHERE account_id = ${account_id} AND status = 'pending'
          AND access_request_id > ${after} AND expires_at > ${now} ORDER BY access_request_id LIMIT ${limit}`,
    { columns: ['agent_id', 'message'], bytes },
  );
}

/** A closed room answers nobody any more. */
export function declineAllRequests(tx: Transaction, accountId: string): Promise<number> {
  return tx.run(
    sql`UPDATE room_access_requests SET status = 'declined' WHERE account_id = ${accountId} AND status = 'pending'`,
  );
}

/** What one account asked before, and what nobody answered in time, makes room for others. */
export function deleteOldRequests(tx: Transaction, accountId: string, of: { account: string; now: number }) {
  return tx.run(
    sql`DELETE FROM room_access_requests WHERE account_id = ${accountId}
          AND (of_account = ${of.account} OR expires_at <= ${of.now})`,
  );
}

/** The rooms that have a request of an account, answered or not. */
export async function listRoomsAsked(query: Query, { of_account, after, limit }: RoomsOfPage): Promise<string[]> {
  const rows = await query.all<{ account_id: string }>(
    sql`SELECT account_id FROM room_access_requests WHERE of_account = ${of_account} AND account_id > ${after}
        ORDER BY account_id LIMIT ${limit}`,
  );
  return rows.map(({ account_id }) => account_id);
}

export function deleteRequestsOf(tx: Transaction, accountId: string, ofAccount: string): Promise<number> {
  return tx.run(sql`DELETE FROM room_access_requests WHERE account_id = ${accountId} AND of_account = ${ofAccount}`);
}

/** Those that were answered, with the room that was closed. */
export function listDeclinedRequests(query: Query, accountId: string): Promise<AccessRequestRow[]> {
  return query.all(
    sql`SELECT ${REQUEST} FROM room_access_requests WHERE account_id = ${accountId} AND status = 'declined'
        ORDER BY access_request_id`,
  );
}

/** In the account that asked. */
export type SentRequestRow = {
  account_id: string;
  access_request_id: string;
  room_id: string;
  room_name: string;
  agent_id: string;
  message: string;
  status: AccessStatus;
  created_at: number;
  expires_at: number;
};

export const upsertSent: Insert = {
  table: 'sent_access_requests',
  columns: {
    account_id: 'text',
    access_request_id: 'text',
    room_id: 'text',
    room_name: 'text',
    agent_id: 'text',
    message: 'text',
    status: 'text',
    created_at: 'int',
    expires_at: 'int',
  },
  suffix: 'ON CONFLICT (account_id, access_request_id) DO UPDATE SET status = excluded.status',
};

const SENT = fragment(Object.keys(upsertSent.columns).join(', '));

export function getSent(query: Query, accountId: string, id: string): Promise<SentRequestRow | undefined> {
  return query.get(
    sql`SELECT ${SENT} FROM sent_access_requests WHERE account_id = ${accountId} AND access_request_id = ${id}`,
  );
}

export function listSent(query: Query, page: RoomPage & { now: number }): Promise<FirstRows<SentRequestRow>> {
  const { account_id, after, limit, bytes, now } = page;
  return query.first(
    sql`SELECT ${SENT} FROM sent_access_requests WHERE account_id = ${account_id} AND access_request_id > ${after}
          AND expires_at > ${now} ORDER BY access_request_id LIMIT ${limit}`,
    { columns: ['room_name', 'agent_id', 'message'], bytes },
  );
}

export async function countSent(query: Query, accountId: string, now: number): Promise<number> {
  const row = await query.get<{ sent: number }>(
    sql`SELECT COUNT(*) AS sent FROM sent_access_requests WHERE account_id = ${accountId} AND status = 'pending'
          AND expires_at > ${now}`,
  );
  return row?.sent ?? 0;
}

export function deleteExpiredSent(tx: Transaction, accountId: string, now: number): Promise<number> {
  return tx.run(sql`DELETE FROM sent_access_requests WHERE account_id = ${accountId} AND expires_at <= ${now}`);
}
