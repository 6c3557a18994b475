import { EVERYONE, type LogEvent, MAIN_BRANCH, parseGlob, roomShapes, type Work } from '@mem-service/server/module';
import * as queries from './queries.ts';

/** Events of a room that also are on the log of the account whose agent it was. */
const OF_AGENTS: ReadonlySet<string> = new Set(['room_agent_joined', 'room_agent_left', 'room_topic_added']);

type HomeEvent = {
  event_type: string;
  agent_id: string;
  entity_path?: string | null;
  details: Record<string, unknown>;
};

export const emitAtHome = (work: Work, { entity_path = null, ...event }: HomeEvent): number =>
  work.emit({ ...event, branch: MAIN_BRANCH, entity_path, key: null, version: null, visible_to: EVERYONE });

type RoomNews = {
  room: queries.RoomRow;
  account: queries.RoomAccountRow;
  /** Whose timeline says that the account came or went. */
  agent_id: string;
  events: readonly LogEvent[];
};

/**
 * Brings the account's own list of rooms and its log up to what happened in the room. What they have already is not added
 * again, so that it can be repeated. Returns whether there was anything new.
 */
export async function followRoom(work: Work, news: RoomNews): Promise<boolean> {
  const { room, account, agent_id, events } = news;
  const known = await queries.getMembership(work.tx, work.account_id, room.room_id);
  const isOver = account.ended_at !== null || room.closed_at !== null;
  if (isOver && !known) return false;
  const { room_id, name } = room;
  const { label, role, joined_at } = account;
  const details = { room_id, label };
  if (!known) emitAtHome(work, { event_type: 'room_account_joined', agent_id, details });
  const after = known?.room_seq ?? 0;
  for (const event of events.filter((one) => isNews(one, { after, label })))
    emitAtHome(work, {
      event_type: event.event_type,
      agent_id: agentAtHome(event.agent_id, label),
      entity_path: pathSharedIn(event),
      details,
    });
  if (isOver) {
    const event_type = room.closed_at === null ? 'room_account_left' : 'room_closed';
    emitAtHome(work, { event_type, agent_id, details });
    await queries.deleteMembership(work.tx, work.account_id, room_id);
    return true;
  }
  const room_seq = Math.max(after, events.at(-1)?.seq ?? 0);
  if (known && events.length === 0) return false;
  const row = { account_id: work.account_id, room_id, label, role, name, joined_at, room_seq };
  work.send(work.tx.insertMany(queries.upsertMembership, [row]));
  return true;
}

/** What was shared of the account: keys that may not read there do not learn of it. */
function pathSharedIn({ event_type, details }: LogEvent): string | null {
  if (event_type !== 'room_topic_added') return null;
  const { shared_path = '' } = JSON.parse(details) as { shared_path?: string };
  const glob = parseGlob(shared_path);
  return glob && 'path' in glob ? glob.path : glob && 'base' in glob ? glob.base : null;
}

const isNews = ({ seq, event_type, agent_id }: LogEvent, { after, label }: { after: number; label: string }): boolean =>
  seq > after && OF_AGENTS.has(event_type) && agent_id.endsWith(roomShapes.ROOM_SIGN + label);

/** As its own account calls an agent of a room. */
export const agentAtHome = (agentId: string, label: string): string =>
  agentId.endsWith(roomShapes.ROOM_SIGN + label)
    ? agentId.slice(0, -(roomShapes.ROOM_SIGN.length + label.length))
    : 'system';
