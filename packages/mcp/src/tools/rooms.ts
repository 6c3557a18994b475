import { roomShapes } from '@mem-service/contract';
import { ownTool } from '../own-tool.ts';
import { previewRow } from '../previews.ts';
import { problemOf } from '../refusals.ts';
import { callService, type JsonObject, type McpSession } from '../session.ts';
import { readHints, writeHints } from '../tool.ts';

/** As many as a room can have. */
const MAX_OPEN_NEGOTIATIONS = 50;
const RECENT = 5;

const input = { room_id: roomShapes.roomId };

/** With what an agent has to know to begin. */
const joinTool = ownTool({
  name: 'mem_room_join',
  toolset: 'rooms',
  description:
    'Join a room of your account, and see how things stand there. Its entries are at entity_path @room_id/path, for mem_write, mem_read, mem_list, mem_search and the like.',
  input,
  annotations: writeHints,
  async run({ room_id }, session) {
    // What happens while the briefing is made is not lost to who asks for updates since then.
    const as_of = new Date().toISOString();
    const membership = await callService(session, 'rooms.join', { room_id });
    return { ...membership, ...(await briefing(room_id, session)), as_of };
  },
});

const infoTool = ownTool({
  name: 'mem_room_info',
  toolset: 'rooms',
  description: 'Read about a room: what it is for, the accounts in it, and its open negotiations.',
  input,
  annotations: readHints,
  async run({ room_id }, session) {
    const room = await callService(session, 'rooms.read', { room_id });
    if (room.joined !== true) return { ...room, hint: 'mem_room_join to read and write in it' };
    const open = await openNegotiations(room_id, session, MAX_OPEN_NEGOTIATIONS);
    const newest = open.slice(0, RECENT).map(openNegotiation);
    return { ...room, open_negotiation_count: open.length, open_negotiations: newest };
  },
});

export const roomTools = [joinTool, infoTool];

async function openNegotiations(room_id: string, session: McpSession, limit: number): Promise<JsonObject[]> {
  const { negotiations } = await callService(session, 'negotiations.list', { room_id, status: 'open', limit });
  return negotiations as JsonObject[];
}

/** The newest of each kind. */
async function briefing(room_id: string, session: McpSession): Promise<JsonObject> {
  const list = async (member: string, name: Parameters<typeof callService>[1], more: JsonObject = {}) =>
    (await callService(session, name, { ...more, limit: RECENT }))[member] as JsonObject[];
  const parts = {
    room: async () => aboutRoom(await callService(session, 'rooms.read', { room_id })),
    recent_entries: async () => (await list('entries', 'entries.list', recentIn(room_id))).map(changedEntry),
    recent_messages: async () => (await list('messages', 'rooms.discussions', { room_id })).map(previewRow),
    open_negotiations: async () => (await openNegotiations(room_id, session, RECENT)).map(openNegotiation),
    documents: async () => (await list('documents', 'room_documents.list', { room_id })).map(addedDocument),
  };
  const left_out: string[] = [];
  const made = await Promise.all(
    Object.entries(parts).map(async ([name, make]) => {
      try {
        return [name, await make()];
      } catch (error) {
        // The agent has joined all the same.
        if (!problemOf(error)) throw error;
        left_out.push(name);
        return [name, null];
      }
    }),
  );
  return { ...Object.fromEntries(made), left_out };
}

const recentIn = (room_id: string): JsonObject => ({
  entity_path: `${roomShapes.ROOM_SIGN}${room_id}/**`,
  sort: 'recent',
  fields: 'meta',
});

const aboutRoom = ({ name, description, role, account_count, agent_count }: JsonObject): JsonObject => ({
  name,
  description: description || null,
  role,
  account_count,
  agent_count,
});

function changedEntry({ entity_path, key, provenance }: JsonObject): JsonObject {
  const { agent_id, written_at } = provenance as JsonObject;
  return { entity_path, key, agent_id, written_at };
}

const openNegotiation = ({ negotiation_id, title, agent, round }: JsonObject): JsonObject => ({
  negotiation_id,
  title,
  agent,
  round,
});

const addedDocument = ({ document_id, name, title }: JsonObject): JsonObject => ({ document_id, name, title });
