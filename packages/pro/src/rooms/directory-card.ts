import { inTurns, type Work, wordsOfValuesInSteps } from '@mem-service/server/module';
import * as directory from './directory-queries.ts';
import { MAX_CARD_WORDS } from './limits.ts';
import * as queries from './queries.ts';

type NewCard = { room: queries.RoomRow; topics: readonly string[] };

/** Shows a room in the directory as it is now. */
async function showRoom(work: Work, { room, topics }: NewCard): Promise<void> {
  const { tx, account_id } = work;
  const { room_id, name, description, account_count, agent_count } = room;
  const words = new Set(await inTurns(wordsOfValuesInSteps([name, topics, description])));
  const rows = [...words].slice(0, MAX_CARD_WORDS).map((word) => ({ account_id, word, room_id }));
  const shown = { account_id, room_id, name, description, topics: JSON.stringify(topics), account_count, agent_count };
  work.send(tx.insertMany(directory.upsertCard, [shown]));
  work.send(directory.deleteWords(tx, account_id));
  work.send(tx.insertMany(directory.insertWord, rows));
}

/** From the commit on nobody finds the room. */
export function hideRoom(work: Work): void {
  work.send(directory.deleteCard(work.tx, work.account_id));
  work.send(directory.deleteWords(work.tx, work.account_id));
}

/** Saves what changed of a room, and what the directory shows of it. */
export async function saveRoom(work: Work, room: queries.RoomRow, topics: readonly string[]): Promise<void> {
  work.send(work.tx.insertMany(queries.upsertRoom, [room]));
  if (room.discoverable === 1) await showRoom(work, { room, topics });
  else hideRoom(work);
}

/** Saves how many are in a room. */
export function saveCounts(work: Work, room: queries.RoomRow): void {
  work.send(work.tx.insertMany(queries.upsertRoom, [room]));
  if (room.discoverable === 1) work.send(directory.recountCard(work.tx, room));
}
