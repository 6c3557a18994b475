import { join } from 'node:path';
import { compare } from '../compare.mjs';
import { POSTGRES_POOL } from '../harness.mjs';
import { pinned } from '../machine.mjs';
import { run } from '../processes.mjs';
import { writeEntries } from '../requests.mjs';

const FOLDERS_OVER = 20_000;

async function measurePost(harness, { service, floor }) {
  const rate = async (target, seconds) => {
    const plan = { requests: writeEntries(), count: FOLDERS_OVER, ...(seconds ? { seconds } : {}) };
    const { requests_per_s: value, non2xx, p99_ms } = await harness.load(target, plan);
    return { value, non2xx, p99_ms };
  };
  for (const target of [floor, service]) await rate(target, 2);
  const slowest = [];
  const result = await compare(
    harness.options.repeats,
    () => rate(floor),
    async () => {
      const measured = await rate(service);
      slowest.push(measured.p99_ms);
      return measured;
    },
  );
  return { unit: 'req/s', ...result, note: `our p99 ${Math.max(...slowest).toFixed(1)} ms` };
}

/** What SQLite alone needs for the rows of a write: the statements of real writes, replayed in a process of their own. */
export async function* measurePostEngine(harness) {
  const recorded = join(harness.folder, 'writes.json');
  const options = JSON.stringify({ folder: harness.folder, file: recorded });
  await run(process.execPath, [harness.programs.recordWrites, options]);
  const service = await harness.service(harness.emptyPlace('post-engine'));
  const replay = async () => {
    const { stdout } = await run(...pinned('server', process.execPath, [harness.programs.engine, recorded]));
    return { value: JSON.parse(stdout).writes_per_s };
  };
  const figure = 'POST entry, durable, 64 connections, SQLite, against the engine alone';
  const measured = await compare(harness.options.repeats, replay, writeRate(harness, service));
  yield { figure, target: { least: 0.75 }, unit: 'writes/s', ...measured };
}

/** The same against another build of the service: `BENCH_BASE` names its `mem.js`. */
export async function* measurePostBase(harness) {
  const { BENCH_BASE: file } = process.env;
  if (!file) return;
  const base = await harness.service(harness.emptyPlace('post-base'), { file });
  const service = await harness.service(harness.emptyPlace('post-now'));
  const sides = [writeRate(harness, base), writeRate(harness, service)];
  for (const rate of sides) await rate();
  const measured = await compare(harness.options.repeats, ...sides);
  yield {
    figure: 'POST entry, durable, 64 connections, SQLite, against BENCH_BASE',
    target: { least: 1.6 },
    unit: 'req/s',
    ...measured,
  };
}

const writeRate = (harness, target) => async () => {
  const { requests_per_s: value, non2xx } = await harness.load(target, {
    requests: writeEntries(),
    count: FOLDERS_OVER,
  });
  return { value, non2xx };
};

/** Durable writes of distinct keys, against Fastify that parses and validates the same body and stores nothing. */
export async function* measurePostSqlite(harness) {
  const service = await harness.service(harness.emptyPlace('post'));
  const floor = await harness.floor('validate');
  const measured = await measurePost(harness, { service, floor });
  yield { figure: 'POST entry, durable, 64 connections, SQLite', target: { least: 0.4 }, ...measured };
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
