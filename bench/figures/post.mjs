import { join } from 'node:path';
import { compareWithBefore } from '../before.mjs';
import { compare, interleave, median, summarize, WARM_UP_SECONDS } from '../compare.mjs';
import { POSTGRES_POOL } from '../harness.mjs';
import { has, pinned } from '../machine.mjs';
import { run } from '../processes.mjs';
import { writeEntries } from '../requests.mjs';

const FOLDERS_OVER = 20_000;

/** The thread that writes the words needs a core beside the one that answers. */
const role = 'several';

async function writeRate(harness, target, seconds) {
  const plan = { requests: writeEntries(), count: FOLDERS_OVER, ...(seconds ? { seconds } : {}) };
  const { requests_per_s: value, non2xx } = await harness.load(target, plan);
  return { value, non2xx };
}

async function measurePost(harness, { service, floor }) {
  for (const target of [floor, service]) await writeRate(harness, target, WARM_UP_SECONDS);
  const result = await compare(
    harness.options.repeats,
    () => writeRate(harness, floor),
    () => writeRate(harness, service),
  );
  return { unit: 'req/s', ...result };
}

/** How much longer than most writes the slowest hundredth takes. New connections belong to each run. */
async function* measureLatency(harness, service, where) {
  const { latencySeconds: seconds, longRepeats } = harness.options;
  for (const generator of has('wrk') ? ['wrk', 'own'] : ['own']) {
    const runs = [];
    for (let i = 0; i < longRepeats; i++)
      runs.push(await harness.load(service, { requests: writeEntries(), count: FOLDERS_OVER, seconds, generator }));
    const pairs = runs.map(({ p50_ms, p99_ms, non2xx }) => ({
      floor: { value: p50_ms },
      ours: { value: p99_ms, non2xx },
    }));
    const figure = `POST entry, p99 against p50, by ${generator}, ${where}`;
    const note = `${longRepeats} runs of ${seconds} s from new connections on, latencies as measured`;
    yield { figure, unit: 'ms', target: { most: 5 }, ...summarize(pairs), note };
  }
}

/**
 * What SQLite alone needs for the rows of a write: the statements of real writes, replayed in a process of their own. The
 * note sets the service beside a server that would add nothing to HTTP and the engine.
 */
export async function* measurePostEngine(harness) {
  const recorded = join(harness.folder, 'writes.json');
  const options = JSON.stringify({ folder: harness.folder, file: recorded });
  await run(process.execPath, [harness.programs.recordWrites, options]);
  const service = await harness.service(harness.emptyPlace('post-engine'), { role });
  const http = await harness.floor('validate');
  for (const target of [http, service]) await writeRate(harness, target, WARM_UP_SECONDS);
  const measured = await interleave(harness.options.repeats, {
    engine: async () => {
      const { stdout } = await run(...pinned('server', process.execPath, [harness.programs.engine, recorded]));
      return { value: JSON.parse(stdout).writes_per_s };
    },
    http: () => writeRate(harness, http),
    ours: () => writeRate(harness, service),
  });
  const rounds = measured.ours.map((ours, i) => ({ ours, engine: measured.engine[i], http: measured.http[i] }));
  const both = rounds.map(({ engine, http }) => 1 / (1 / engine.value + 1 / http.value));
  const share = median(rounds.map(({ ours }, i) => ours.value / both[i]));
  yield {
    figure: 'POST entry, durable, 64 connections, SQLite, against the engine alone',
    target: { least: 0.75 },
    unit: 'writes/s',
    ...summarize(rounds.map(({ ours, engine }) => ({ floor: engine, ours }))),
    note: `HTTP with validation and then the engine, on one core: ${Math.round(median(both))}/s; ours is ${share.toFixed(2)} of that`,
  };
}

/** Durable writes of distinct keys, against Fastify that parses and validates the same body and stores nothing. */
export async function* measurePostSqlite(harness) {
  const service = await harness.service(harness.emptyPlace('post'), { role });
  const floor = await harness.floor('validate');
  const measured = await measurePost(harness, { service, floor });
  yield { figure: 'POST entry, durable, 64 connections, SQLite', target: { least: 0.4 }, ...measured };
  yield* measureLatency(harness, service, '64 connections, SQLite');
  yield* compareWithBefore(harness, {
    what: 'POST entry, durable, 64 connections, SQLite',
    place: (name) => harness.emptyPlace(`post-${name}`),
    plan: () => ({ requests: writeEntries(), count: FOLDERS_OVER }),
    least: 1.6,
    role,
  });
}

/** The same on PostgreSQL, against Fastify that inserts one row into one table per request. */
export async function* measurePostPostgres(harness) {
  const postgres = await harness.postgres();
  await Promise.all(['post_service', 'post_floor'].map(postgres.newSchema));
  const place = { ...harness.emptyPlace('post-postgres'), postgresDsn: postgres.dsnOf('post_service') };
  const service = await harness.service(place);
  const floor = await harness.floor('insert', { FLOOR_DSN: postgres.dsnOf('post_floor'), FLOOR_POOL: POSTGRES_POOL });
  try {
    const measured = await measurePost(harness, { service, floor });
    yield { figure: 'POST entry, durable, 64 connections, PostgreSQL', target: { least: 0.35 }, ...measured };
  } finally {
    await harness.stopServers();
    await Promise.all(['post_service', 'post_floor'].map(postgres.dropSchema));
  }
}
