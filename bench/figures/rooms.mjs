import { setTimeout as sleep } from 'node:timers/promises';
import { compare, WARM_UP_SECONDS } from '../compare.mjs';
import { newEntries } from '../corpus.mjs';
import { ask, newRun } from '../harness.mjs';
import { cpuSeconds } from '../processes.mjs';

const MEMBERS = 100;
/** What follows the writes of a round would slow the next one: it begins when the server has had so many quiet looks in a row. */
const QUIET_LOOKS = 5;
const LOOK_MS = 500;
const QUIET_CPU_S = 0.05;
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

async function untilQuiet({ pid }) {
  for (let quiet = 0; quiet < QUIET_LOOKS; ) {
    const before = cpuSeconds(pid);
    await sleep(LOOK_MS);
    quiet = cpuSeconds(pid) - before < QUIET_CPU_S ? quiet + 1 : 0;
  }
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
    await untilQuiet(service);
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
