import { compare, WARM_UP_SECONDS } from '../compare.mjs';
import { newEntries } from '../corpus.mjs';
import { ask, newRun } from '../harness.mjs';
import { writeEntries } from '../requests.mjs';

const MEMBERS = 100;
const FOLDERS_OVER = 20_000;

const post = async (service, { path, body, agent }) =>
  JSON.parse(
    await ask(service, { method: 'POST', path, body: JSON.stringify(body), headers: { 'x-mem-agent-id': agent } }),
  );

async function filledRoom(service) {
  const room = await post(service, { path: '/api/v1/rooms', body: { name: 'Bench' }, agent: 'agent/0' });
  for (let i = 1; i < MEMBERS; i++)
    await post(service, { path: `/api/v1/rooms/${room.room_id}/agents`, body: {}, agent: `agent/${i}` });
  return room.room_id;
}

/** The same entries as plain writes, in the room. */
const writeInRoom = (roomId) =>
  newEntries(newRun()).map((body, i) => ({
    ...{ method: 'POST', path: '/api/v1/entries', headers: { 'x-mem-agent-id': `agent/${i % MEMBERS}` } },
    body: JSON.stringify({ ...JSON.parse(body), entity_path: `@${roomId}/${JSON.parse(body).entity_path}` }),
  }));

/** Writes into a room with many members, against plain writes to the same server. */
export async function* measureRooms(harness) {
  const { repeats, seconds } = harness.options;
  const service = await harness.service(harness.emptyPlace('rooms'), { role: 'several' });
  const roomId = await filledRoom(service);
  const rate = async (requests, length) => {
    const plan = { requests, count: FOLDERS_OVER, seconds: length };
    const { requests_per_s: value, non2xx } = await harness.load(service, plan);
    return { value, non2xx };
  };
  await rate(writeEntries(), WARM_UP_SECONDS);
  await rate(writeInRoom(roomId), WARM_UP_SECONDS);
  const result = await compare(
    repeats,
    () => rate(writeEntries(), seconds),
    () => rate(writeInRoom(roomId), seconds),
  );
  yield {
    figure: `POST entry into a room of ${MEMBERS} members, against a plain one, 64 connections, SQLite`,
    unit: 'req/s',
    target: { least: 0.8 },
    ...result,
  };
}
