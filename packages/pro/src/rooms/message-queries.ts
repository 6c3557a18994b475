import { andAll, type FirstRows, fragment, type Insert, type Query, type Sql, sql } from '@mem-service/server/module';

export type MessageRow = {
  account_id: string;
  /** Its place in the log of the room, and its id. */
  seq: number;
  agent_id: string;
  message_type: 'message' | 'question' | 'answer' | 'proposal' | 'summary';
  content: string;
  addressed_to: string | null;
  reply_to: number | null;
  /** Who wrote the message that it answers. */
  reply_agent: string | null;
  created_at: number;
};

export const insertMessage: Insert = {
  table: 'room_messages',
  columns: {
    account_id: 'text',
    seq: 'int',
    agent_id: 'text',
    message_type: 'text',
    content: 'text',
    addressed_to: 'text',
    reply_to: 'int',
    reply_agent: 'text',
    created_at: 'int',
  },
};

const MESSAGE = fragment(Object.keys(insertMessage.columns).join(', '));

export function getMessage(query: Query, accountId: string, seq: number): Promise<MessageRow | undefined> {
  return query.get(sql`SELECT ${MESSAGE} FROM room_messages WHERE account_id = ${accountId} AND seq = ${seq}`);
}

export type MessagePage = {
  account_id: string;
  before: number;
  filters: readonly Sql[];
  scan: number;
  limit: number;
  bytes: number;
};

/** Newest first; with filters, at most so many are looked at. */
export function listMessages(query: Query, page: MessagePage): Promise<FirstRows<MessageRow>> {
  const { account_id, before, filters, scan, limit, bytes } = page;
  return query.first(
    sql`SELECT ${MESSAGE} FROM (SELECT ${MESSAGE} FROM room_messages WHERE account_id = ${account_id} AND seq < ${before}
          ORDER BY seq DESC LIMIT ${scan}) AS looked_at WHERE 1 = 1${andAll(filters)} ORDER BY seq DESC LIMIT ${limit}`,
    { columns: ['content'], bytes },
  );
}
