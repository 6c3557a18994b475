import { compare, WARM_UP_SECONDS } from '../compare.mjs';
import { newEntries } from '../corpus.mjs';
import { ask, newRun } from '../harness.mjs';

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

/** Writes of entries by all members, below a path. */
const writesOfMembers = (base) =>
  newEntries(newRun()).map((text, i) => {
    const body = JSON.parse(text);
    return {
      ...{ method: 'POST', path: '/api/v1/entries', headers: { 'x-mem-agent-id': `agent/${i % MEMBERS}` } },
      body: JSON.stringify({ ...body, entity_path: base + body.entity_path }),
    };
  });

/** Writes into a room with many members, against plain writes of the same agents to the same server. */
export async function* measureRooms(harness) {
  const { repeats, seconds } = harness.options;
  const service = await harness.service(harness.emptyPlace('rooms'), { role: 'several' });
  const roomId = await filledRoom(service);
  const write = async (base, length) => {
    const plan = { requests: writesOfMembers(base), count: FOLDERS_OVER, seconds: length };
    const { requests_per_s: value, non2xx } = await harness.load(service, plan);
    return { value, non2xx };
  };
  const floor = (length) => write('', length);
  const ours = (length) => write(`@${roomId}/`, length);
  for (const side of [floor, ours]) await side(WARM_UP_SECONDS);
  const result = await compare(
    repeats,
    () => floor(seconds),
    () => ours(seconds),
  );
  yield {
    figure: `POST entry into a room of ${MEMBERS} members, all of whom write, against plain ones of the same agents, 64 connections, SQLite`,
    unit: 'req/s',
    target: { least: 0.8 },
    ...result,
  };
}
