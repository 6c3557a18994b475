import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { interleave, median, summarize, WARM_UP_SECONDS } from '../compare.mjs';
import { ask } from '../harness.mjs';
import { cpuSeconds } from '../processes.mjs';
import { writeEntries } from '../requests.mjs';

/** Some 10,000 writes. */
const BURST_SECONDS = 3;
const FOLDERS_OVER = 20_000;
const FOLLOWERS = /^(?:recall|cortex|briefing)\./;
const OFF = { MEM_EMBEDDER: 'off', MEM_CORTEX: 'off' };
/** Vectors and digests are made on threads, and PostgreSQL has processes of its own. */
const role = 'several';

/** Milliseconds until vectors, and until everything that follows the log, have caught up with it. */
async function untilAtRest(service) {
  const from = performance.now();
  let indexedMs;
  for (;;) {
    const { last_seq, consumers } = JSON.parse(await ask(service, { path: '/api/v1/admin/consumers' }));
    const behind = consumers.filter(({ consumer, seq }) => FOLLOWERS.test(consumer) && seq < last_seq);
    if (!behind.some(({ consumer }) => consumer.startsWith('recall.'))) indexedMs ??= performance.now() - from;
    if (behind.length === 0) return { indexedMs, restMs: performance.now() - from };
    await sleep(50);
  }
}

/** The same writes with all that follows them and without, in turns; a round ends when nothing is left to do. */
async function* measureFollowed(harness, { sides, where, processesOf }) {
  const burst = async (side, seconds) => {
    const spent = () => processesOf(side).reduce((sum, pid) => sum + cpuSeconds(pid), 0);
    const before = spent();
    const plan = { requests: writeEntries(), count: FOLDERS_OVER, seconds };
    const { requests, requests_per_s, p50_ms, p99_ms, non2xx } = await harness.load(sides[side], plan);
    const rest = side === 'on' ? await untilAtRest(sides[side]) : {};
    return {
      requests,
      non2xx,
      rate: requests_per_s,
      p50_ms,
      p99_ms,
      cost: ((spent() - before) * 1e6) / requests,
      ...rest,
    };
  };
  for (const side of ['off', 'on']) await burst(side, WARM_UP_SECONDS);
  const { on, off } = await interleave(Math.min(harness.options.repeats, 7), {
    off: () => burst('off', BURST_SECONDS),
    on: () => burst('on', BURST_SECONDS),
  });
  const pairsOf = (name) =>
    summarize(on.map((one, i) => ({ ours: { ...one, value: one[name] }, floor: { ...off[i], value: off[i][name] } })));
  const figure = `POST entry with vectors and digests, against without, ${where}`;
  const of = (rounds, name, digits = 1) => median(rounds.map((one) => one[name])).toFixed(digits);
  const note =
    `bursts of ${of(on, 'requests', 0)}; p50 ${of(on, 'p50_ms')} against ${of(off, 'p50_ms')} ms, ` +
    `p99 ${of(on, 'p99_ms')} against ${of(off, 'p99_ms')} ms; all at rest after ${of(on, 'restMs', 0)} ms`;
  yield { figure, unit: 'req/s', target: { least: 0.95 }, ...pairsOf('rate'), note };
  yield { figure: `${figure}, processor time until all is done`, unit: 'µs', ...pairsOf('cost') };
  const caughtUp = { ours: median(on.map(({ indexedMs }) => indexedMs)) / 1000, limit: 2 };
  yield { figure: `vectors caught up after such a burst, ${where}`, unit: 's', ...caughtUp };
}

export async function* measureFollowedSqlite(harness) {
  const sides = {
    on: await harness.service(harness.emptyPlace('followed-on'), { role }),
    off: await harness.service(harness.emptyPlace('followed-off'), { role, env: OFF }),
  };
  yield* measureFollowed(harness, { sides, where: 'SQLite', processesOf: (side) => [sides[side].pid] });
}

export async function* measureFollowedPostgres(harness) {
  const postgres = await harness.postgres();
  const schemas = ['followed_on', 'followed_off'];
  await Promise.all(schemas.map(postgres.newSchema));
  const start = (schema, env) =>
    harness.service({ ...harness.emptyPlace(schema), postgresDsn: postgres.dsnOf(schema) }, { role, env });
  const sides = { on: await start('followed_on', {}), off: await start('followed_off', OFF) };
  const main = await mainProcess(postgres.dsn);
  // The other side is at rest, so that what the database does is for this one.
  const processesOf = (side) => [sides[side].pid, ...childrenOf(main)];
  try {
    yield* measureFollowed(harness, { sides, where: 'PostgreSQL', processesOf });
  } finally {
    await harness.stopServers();
    await Promise.all(schemas.map(postgres.dropSchema));
  }
}

async function mainProcess(dsn) {
  const client = new pg.Client({ connectionString: dsn });
  await client.connect();
  const { rows } = await client.query("SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid");
  await client.end();
  return rows[0].pid;
}

function childrenOf(parent) {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ')[1] === parent;
    } catch {
      return false;
    }
  });
}
