import {
  accountOfRoom,
  type Find,
  type FirstRows,
  fragment,
  type Insert,
  type Query,
  type Sql,
  sql,
  type Transaction,
} from '@mem-service/server/module';

/** What the directory shows of a room: there is one as long as the room can be found. */
export type CardRow = {
  account_id: string;
  room_id: string;
  name: string;
  description: string;
  /** The titles of its topics, as JSON. */
  topics: string;
  account_count: number;
  agent_count: number;
};

export const upsertCard: Insert = {
  table: 'room_cards',
  columns: {
    account_id: 'text',
    room_id: 'text',
    name: 'text',
    description: 'text',
    topics: 'text',
    account_count: 'int',
    agent_count: 'int',
  },
  suffix: `ON CONFLICT (account_id) DO UPDATE SET name = excluded.name, description = excluded.description,
    topics = excluded.topics, account_count = excluded.account_count, agent_count = excluded.agent_count`,
};

const CARD = fragment(Object.keys(upsertCard.columns).join(', '));

type CardCounts = Pick<CardRow, 'account_id' | 'account_count' | 'agent_count'>;

/** Changes nothing where the room cannot be found. */
export function recountCard(tx: Transaction, { account_id, account_count, agent_count }: CardCounts): Promise<number> {
  return tx.run(
    sql`UPDATE room_cards SET account_count = ${account_count}, agent_count = ${agent_count}
        WHERE account_id = ${account_id}`,
  );
}

export function deleteCard(tx: Transaction, accountId: string): Promise<number> {
  return tx.run(sql`DELETE FROM room_cards WHERE account_id = ${accountId}`);
}

export const insertWord: Insert = {
  table: 'room_words',
  columns: { account_id: 'text', word: 'text', room_id: 'text' },
};

export function deleteWords(tx: Transaction, accountId: string): Promise<number> {
  return tx.run(sql`DELETE FROM room_words WHERE account_id = ${accountId}`);
}

export function getCard(query: Query, accountId: string): Promise<CardRow | undefined> {
  return query.get(sql`SELECT ${CARD} FROM room_cards WHERE account_id = ${accountId}`);
}

type CardPage = { after: string; limit: number; bytes: number };

const bounds = (bytes: number) => ({ columns: ['name', 'description', 'topics'], bytes });

/** Cards of all rooms that can be found. */
export function listCards(query: Query, { after, limit, bytes }: CardPage): Promise<FirstRows<CardRow>> {
  return query.first(
    sql`SELECT ${CARD} FROM room_cards WHERE room_id > ${after} ORDER BY room_id LIMIT ${limit}`,
    bounds(bytes),
  );
}

export function listNamedCards(query: Query, rooms: Sql, bytes: number): Promise<FirstRows<CardRow>> {
  return query.first(
    sql`SELECT ${CARD} FROM room_cards WHERE room_id IN (SELECT value FROM ${rooms}) ORDER BY room_id`,
    bounds(bytes),
  );
}

/**
 * The rooms that have a word, of all that can be found. They are compared by both columns, so that PostgreSQL reads them in the order
 * of the index instead of sorting all that have it.
 */
export async function listRoomsWith(query: Query, word: string, page: Omit<CardPage, 'bytes'>): Promise<string[]> {
  const rows = await query.all<{ room_id: string }>(
    sql`SELECT room_id FROM room_words WHERE (word, room_id) > (${word}, ${page.after}) AND word <= ${word}
        ORDER BY word, room_id LIMIT ${page.limit}`,
  );
  return rows.map(({ room_id }) => room_id);
}

const findWord: Find = { table: 'room_words', select: 'room_id', by: { account_id: 'text', word: 'text' } };

/** Those of some rooms that have a word, too. */
export async function keepRoomsWith(query: Query, word: string, rooms: readonly string[]): Promise<string[]> {
  const found = await query.findMany<{ room_id: string }>(
    findWord,
    rooms.map((room_id) => [accountOfRoom(room_id), word]),
  );
  return rooms.filter((_, i) => found[i] !== undefined);
}
