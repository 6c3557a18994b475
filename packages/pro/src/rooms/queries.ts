import {
  type Dialect,
  type FirstRows,
  fragment,
  type Insert,
  type Query,
  roomShapes,
  type Sql,
  sql,
  type Transaction,
} from '@mem-service/server/module';

/** The tables of a room are in the account that the room is; only memberships are in the accounts of its members. */
export type RoomRow = {
  account_id: string;
  room_id: string;
  name: string;
  description: string;
  discoverable: number;
  account_count: number;
  agent_count: number;
  created_at: number;
  updated_at: number;
  closed_at: number | null;
  /** When the account that the room is is deleted, some time after it was closed. */
  delete_at: number | null;
};

export const upsertRoom: Insert = {
  table: 'rooms',
  columns: {
    account_id: 'text',
    room_id: 'text',
    name: 'text',
    description: 'text',
    discoverable: 'int',
    account_count: 'int',
    agent_count: 'int',
    created_at: 'int',
    updated_at: 'int',
    closed_at: 'int',
    delete_at: 'int',
  },
  suffix: `ON CONFLICT (account_id, room_id) DO UPDATE SET name = excluded.name, description = excluded.description,
    discoverable = excluded.discoverable, account_count = excluded.account_count, agent_count = excluded.agent_count,
    updated_at = excluded.updated_at, closed_at = excluded.closed_at, delete_at = excluded.delete_at`,
};

const ROOM = fragment(Object.keys(upsertRoom.columns).join(', '));

export function getRoom(query: Query, accountId: string): Promise<RoomRow | undefined> {
  return query.get(sql`SELECT ${ROOM} FROM rooms WHERE account_id = ${accountId}`);
}

export type RoomAccountRow = {
  account_id: string;
  label: string;
  of_account: string;
  role: 'owner' | 'member';
  agent_count: number;
  joined_at: number;
  /** It is in the room no more. */
  ended_at: number | null;
};

export const upsertRoomAccount: Insert = {
  table: 'room_accounts',
  columns: {
    account_id: 'text',
    label: 'text',
    of_account: 'text',
    role: 'text',
    agent_count: 'int',
    joined_at: 'int',
    ended_at: 'int',
  },
  suffix: `ON CONFLICT (account_id, label) DO UPDATE SET agent_count = excluded.agent_count,
    joined_at = excluded.joined_at, ended_at = excluded.ended_at`,
};

const ROOM_ACCOUNT = fragment(Object.keys(upsertRoomAccount.columns).join(', '));

export function getRoomAccount(query: Query, accountId: string, label: string): Promise<RoomAccountRow | undefined> {
  return query.get(sql`SELECT ${ROOM_ACCOUNT} FROM room_accounts WHERE account_id = ${accountId} AND label = ${label}`);
}

/** The account whose agent is called so in a room. */
export async function findAccountOf(query: Query, accountId: string, agent: string): Promise<string | undefined> {
  const label = agent.slice(agent.lastIndexOf(roomShapes.ROOM_SIGN) + 1);
  return (await getRoomAccount(query, accountId, label))?.of_account;
}

export function getAccountIn(query: Query, accountId: string, ofAccount: string): Promise<RoomAccountRow | undefined> {
  return query.get(
    sql`SELECT ${ROOM_ACCOUNT} FROM room_accounts WHERE account_id = ${accountId} AND of_account = ${ofAccount}`,
  );
}

export type RoomsOfPage = { of_account: string; after: string; limit: number };

/** The rooms that an account is in, closed or not, found in these rooms themselves. */
export async function listRoomsOf(query: Query, { of_account, after, limit }: RoomsOfPage): Promise<string[]> {
  const rows = await query.all<{ account_id: string }>(
    sql`SELECT account_id FROM room_accounts WHERE of_account = ${of_account} AND ended_at IS NULL
          AND account_id > ${after} ORDER BY account_id LIMIT ${limit}`,
  );
  return rows.map(({ account_id }) => account_id);
}

/** Whether so many rooms of an account are kept, closed or not. */
export async function hasOwnRooms(query: Query, ofAccount: string, count: number): Promise<boolean> {
  const found = await query.get(
    sql`SELECT account_id FROM room_accounts WHERE of_account = ${ofAccount} AND ended_at IS NULL AND role = 'owner'
        ORDER BY account_id LIMIT 1 OFFSET ${count - 1}`,
  );
  return found !== undefined;
}

/** All of them: their number is bounded. */
export async function listOwnRooms(query: Query, ofAccount: string): Promise<string[]> {
  const rows = await query.all<{ account_id: string }>(
    sql`SELECT account_id FROM room_accounts WHERE of_account = ${ofAccount} AND ended_at IS NULL AND role = 'owner'
        ORDER BY account_id`,
  );
  return rows.map(({ account_id }) => account_id);
}

/** The account that made a room. */
export async function getOwner(query: Query, accountId: string): Promise<string | undefined> {
  const row = await query.get<{ of_account: string }>(
    sql`SELECT of_account FROM room_accounts WHERE account_id = ${accountId} AND role = 'owner'`,
  );
  return row?.of_account;
}

/** Rooms whose time is over, of all accounts. */
export async function listRoomsToDelete(query: Query, now: number, limit: number): Promise<string[]> {
  const rows = await query.all<{ account_id: string }>(
    sql`SELECT account_id FROM rooms WHERE delete_at IS NOT NULL AND delete_at <= ${now} ORDER BY delete_at LIMIT ${limit}`,
  );
  return rows.map(({ account_id }) => account_id);
}

/** All that ever were in it: their number is bounded. */
export function listRoomAccounts(query: Query, accountId: string): Promise<RoomAccountRow[]> {
  return query.all(sql`SELECT ${ROOM_ACCOUNT} FROM room_accounts WHERE account_id = ${accountId} ORDER BY label`);
}

export type RoomAgentRow = { account_id: string; agent_id: string; label: string; joined_at: number };

export const insertRoomAgent: Insert = {
  table: 'room_agents',
  columns: { account_id: 'text', agent_id: 'text', label: 'text', joined_at: 'int' },
};

export function getRoomAgent(query: Query, accountId: string, agentId: string): Promise<RoomAgentRow | undefined> {
  return query.get(
    sql`SELECT account_id, agent_id, label, joined_at FROM room_agents
        WHERE account_id = ${accountId} AND agent_id = ${agentId}`,
  );
}

/** The first of those that have joined, by name. */
export async function listAgentNames(query: Query, accountId: string, limit: number): Promise<string[]> {
  const rows = await query.all<{ agent_id: string }>(
    sql`SELECT agent_id FROM room_agents WHERE account_id = ${accountId} ORDER BY agent_id LIMIT ${limit}`,
  );
  return rows.map(({ agent_id }) => agent_id);
}

/** Those of some agents that have joined, by name. */
export async function findAgentNames(query: Query, accountId: string, listed: Sql): Promise<string[]> {
  const rows = await query.all<{ agent_id: string }>(
    sql`SELECT agent_id FROM room_agents WHERE account_id = ${accountId} AND agent_id IN (SELECT value FROM ${listed})
        ORDER BY agent_id`,
  );
  return rows.map(({ agent_id }) => agent_id);
}

export function deleteRoomAgent(tx: Transaction, accountId: string, agentId: string): Promise<number> {
  return tx.run(sql`DELETE FROM room_agents WHERE account_id = ${accountId} AND agent_id = ${agentId}`);
}

export function listRoomAgents(query: Query, page: RoomPage): Promise<FirstRows<RoomAgentRow>> {
  const { account_id, after, limit, bytes } = page;
  return query.first(
    sql`SELECT account_id, agent_id, label, joined_at FROM room_agents
        WHERE account_id = ${account_id} AND agent_id > ${after} ORDER BY agent_id LIMIT ${limit}`,
    { columns: ['agent_id'], bytes },
  );
}

export function deleteAgentsOf(tx: Transaction, accountId: string, label: string): Promise<number> {
  return tx.run(sql`DELETE FROM room_agents WHERE account_id = ${accountId} AND label = ${label}`);
}

export type RoomStanding = { label: string; role: 'owner' | 'member'; joined: string | null };
export type AskedStanding = { of_account: string; agent_id: string };

type StandingsQuery = { query: Query; dialect: Dialect; account_id: string; asked: readonly AskedStanding[] };

/** How accounts and their agents stand in an open room; none of an account that is not in it. */
export const listStandings = ({
  query,
  dialect,
  account_id,
  asked,
}: StandingsQuery): Promise<(AskedStanding & RoomStanding)[]> =>
  query.all(
    sql`SELECT pairs.a AS of_account, pairs.b AS agent_id, m.label, m.role, g.agent_id AS joined
        FROM ${dialect.pairs(asked.map(({ of_account, agent_id }) => [of_account, agent_id]))}
        JOIN rooms AS r ON r.account_id = ${account_id} AND r.closed_at IS NULL
        JOIN room_accounts AS m ON m.account_id = ${account_id} AND m.of_account = pairs.a AND m.ended_at IS NULL
        LEFT JOIN room_agents AS g ON g.account_id = ${account_id} AND g.agent_id = pairs.b || '@' || m.label`,
  );

export type MembershipRow = {
  account_id: string;
  room_id: string;
  label: string;
  role: 'owner' | 'member';
  name: string;
  joined_at: number;
  /** Up to which event of the room the account's own log has what concerns it. */
  room_seq: number;
};

export const upsertMembership: Insert = {
  table: 'room_memberships',
  columns: {
    account_id: 'text',
    room_id: 'text',
    label: 'text',
    role: 'text',
    name: 'text',
    joined_at: 'int',
    room_seq: 'int',
  },
  suffix: `ON CONFLICT (account_id, room_id) DO UPDATE SET label = excluded.label, role = excluded.role,
    name = excluded.name, joined_at = excluded.joined_at, room_seq = excluded.room_seq`,
};

const MEMBERSHIP = fragment(Object.keys(upsertMembership.columns).join(', '));

export function getMembership(query: Query, accountId: string, roomId: string): Promise<MembershipRow | undefined> {
  return query.get(
    sql`SELECT ${MEMBERSHIP} FROM room_memberships WHERE account_id = ${accountId} AND room_id = ${roomId}`,
  );
}

export type RoomPage = { account_id: string; after: string; limit: number; bytes: number };

export function listMemberships(query: Query, page: RoomPage): Promise<FirstRows<MembershipRow>> {
  const { account_id, after, limit, bytes } = page;
  return query.first(
    sql`SELECT ${MEMBERSHIP} FROM room_memberships WHERE account_id = ${account_id} AND room_id > ${after}
        ORDER BY room_id LIMIT ${limit}`,
    { columns: ['name'], bytes },
  );
}

/** Those of some rooms that the account is in. */
export async function listMemberRooms(query: Query, accountId: string, named: Sql): Promise<string[]> {
  const rows = await query.all<{ room_id: string }>(
    sql`SELECT room_id FROM room_memberships WHERE account_id = ${accountId} AND room_id IN (SELECT value FROM ${named})`,
  );
  return rows.map(({ room_id }) => room_id);
}

export function deleteMembership(tx: Transaction, accountId: string, roomId: string): Promise<number> {
  return tx.run(sql`DELETE FROM room_memberships WHERE account_id = ${accountId} AND room_id = ${roomId}`);
}

/** Whether an account is in at least this many rooms. */
export async function hasMemberships(query: Query, accountId: string, count: number): Promise<boolean> {
  const found = await query.get(
    sql`SELECT room_id FROM room_memberships WHERE account_id = ${accountId}
        ORDER BY room_id LIMIT 1 OFFSET ${count - 1}`,
  );
  return found !== undefined;
}
