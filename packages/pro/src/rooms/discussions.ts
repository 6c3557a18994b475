import {
  changed,
  cursorsOf,
  cutPage,
  Fault,
  fromIso,
  type Handlers,
  hashedBy,
  pageBytes,
  reads,
  type Sql,
  sql,
  storeMore,
  toIso,
  type Work,
  withinPage,
  writes,
} from '@mem-service/server/module';
import { emitRoomEvent } from './events.ts';
import { noAgent } from './hook.ts';
import { MAX_LOOKED_AT_MESSAGES } from './limits.ts';
import * as queries from './message-queries.ts';
import { findAgentNames } from './queries.ts';

const cursors = cursorsOf('room_discussions', ['number']);

const toMessage = (row: queries.MessageRow, room_id: string) => ({
  message_id: String(row.seq),
  room_id,
  agent: row.agent_id,
  message_type: row.message_type,
  content: row.content,
  addressed_to: row.addressed_to,
  reply_to: row.reply_to === null ? null : String(row.reply_to),
  created_at: toIso(row.created_at),
});

async function requireMessage({ tx, account_id }: Work, message_id: string): Promise<queries.MessageRow> {
  const found = /^\d{1,15}$/.test(message_id)
    ? await queries.getMessage(tx, account_id, Number(message_id))
    : undefined;
  if (found) return found;
  throw new Fault('not_found', `there is no message ${JSON.stringify(message_id)} in this room`, {
    reply_to: message_id,
  });
}

/** Nobody would find a message to an agent that is not in the room. Who wrote what it answers may have left meanwhile. */
async function requireReader({ tx, account_id, dialect }: Work, agent: string, answered?: queries.MessageRow) {
  if (agent === answered?.agent_id) return;
  const [found] = await findAgentNames(tx, account_id, dialect.texts([agent]));
  if (found === undefined) throw noAgent(agent);
}

const discuss = writes<'rooms.discuss'>(async (work, { caller, input }) => {
  const { tx, account_id, now } = work;
  const { agent_id } = caller;
  const { content, message_type, addressed_to = null, reply_to, room_id } = input;
  const answered = reply_to === undefined ? undefined : await requireMessage(work, reply_to);
  if (addressed_to !== null) await requireReader(work, addressed_to, answered);
  storeMore(work, Buffer.byteLength(content));
  const details = { room_id, message_type, ...(addressed_to === null ? {} : { addressed_to }) };
  const seq = emitRoomEvent(work, caller, { event_type: 'room_message', details });
  const row: queries.MessageRow = {
    ...{ account_id, seq, agent_id, message_type, content, addressed_to, created_at: now },
    ...{ reply_to: answered?.seq ?? null, reply_agent: answered?.agent_id ?? null },
  };
  work.send(tx.insertMany(queries.insertMessage, [row]));
  const message = toMessage(row, room_id);
  return changed(message, { resource: message.message_id, ...hashedBy(message) });
});

const list = reads<'rooms.discussions'>(async ({ read, caller, services }, input) => {
  const { limit, cursor, since, mentions_only, room_id } = input;
  const [before] = cursor === undefined ? [Number.MAX_SAFE_INTEGER] : cursors.from(cursor);
  const { account_id, agent_id } = caller;
  const filters: Sql[] = [
    ...(since === undefined ? [] : [sql`created_at >= ${fromIso(since)}`]),
    ...(mentions_only ? [sql`(addressed_to = ${agent_id} OR reply_agent = ${agent_id})`] : []),
  ];
  const bytes = pageBytes(services);
  const wanted = { account_id, before, filters, scan: MAX_LOOKED_AT_MESSAGES, limit: limit + 1, bytes };
  const rows = await queries.listMessages(read, wanted);
  const found = withinPage(services, rows, ({ content, agent_id, addressed_to }) => [content, agent_id, addressed_to]);
  const { items, ...page } = cutPage(found, limit, ({ seq }) => cursors.to([seq]));
  return { messages: items.map((row) => toMessage(row, room_id)), ...page };
});

export const discussionHandlers: Handlers = { 'rooms.discuss': discuss, 'rooms.discussions': list };
