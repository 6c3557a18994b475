import { setTimeout as sleep } from 'node:timers/promises';
import { compare, median } from '../compare.mjs';
import { cpuSeconds, run } from '../processes.mjs';
import { readInSession } from '../requests.mjs';

/** A session records at most 1,000 reads; ending it earlier means that every read is recorded. */
const LONG = 900;
const SHORT = 20;
const QUIET_SHARE = 0.03;
const QUIET_MS = 60_000;

/** Waits until a server has finished its deferred work. */
async function untilQuiet({ pid }) {
  const started = performance.now();
  for (let before = cpuSeconds(pid); performance.now() - started < QUIET_MS; ) {
    await sleep(1000);
    const now = cpuSeconds(pid);
    if (now - before <= QUIET_SHARE) return;
    before = now;
  }
  throw new Error('the server does not come to rest');
}

async function reads(harness, { dataDir }) {
  const { stdout } = await run(process.execPath, [harness.programs.recorded, dataDir]);
  return JSON.parse(stdout).reads;
}

/** Requests per second, and the CPU time per request, including work deferred until after the load. */
async function rate(harness, service, { requests, perSession, seconds }) {
  const plan = { requests: requests(), perSession, count: harness.options.medium, ...(seconds ? { seconds } : {}) };
  const before = cpuSeconds(service.pid);
  const { requests_per_s: value, non2xx, requests: asked } = await harness.load(service, plan);
  await untilQuiet(service);
  return { value, non2xx, asked, work: (cpuSeconds(service.pid) - before) / asked };
}

async function measureVariant(harness, { floor, ours, place }, variant) {
  const sides = { floor: [], ours: [] };
  const measure = async (name, service, seconds) => {
    const measured = await rate(harness, service, { ...variant, seconds });
    if (!seconds) sides[name].push(measured);
    return measured;
  };
  await measure('floor', floor, 2);
  await measure('ours', ours, 2);
  const before = await reads(harness, place);
  const result = await compare(
    harness.options.repeats,
    () => measure('floor', floor),
    () => measure('ours', ours),
  );
  const kept = (await reads(harness, place)) - before;
  // Requests in flight at the end were recorded too.
  const share = Math.min(1, kept / sides.ours.reduce((sum, { asked }) => sum + asked, 0));
  const works = sides.floor.map(({ work }, i) => work / sides.ours[i].work);
  const note = `${(share * 100).toFixed(1)} % of the reads were kept; with the work that was put off until after the load, by time of the processor: ${median(works).toFixed(2)}`;
  return { unit: 'req/s', ...result, note };
}

const variants = [
  {
    name: `sessions of ${LONG}`,
    perSession: LONG,
    requests: () => readInSession('agent/bench'),
    target: { least: 0.85 },
  },
  {
    name: `sessions of ${SHORT}`,
    perSession: SHORT,
    requests: () => readInSession('agent/bench'),
    target: { least: 0.85 },
  },
  { name: `sessions of ${LONG}, of what others wrote`, perSession: LONG, requests: () => readInSession('agent/other') },
  {
    name: `sessions of ${SHORT}, of what others wrote`,
    perSession: SHORT,
    requests: () => readInSession('agent/other'),
  },
];

/** Reads in a session that records them, against the same service without recording. */
export async function* measureSession(harness) {
  const store = await harness.sqlite(harness.options.medium);
  const place = harness.copyOf(store, 'session');
  const ours = await harness.service(place, { env: { MEM_TRACK_READS: 'on' } });
  const floor = await harness.service(store, { env: { MEM_TRACK_READS: 'off' } });
  const size = `${harness.options.medium.toLocaleString('en-US')} entries, 64 connections, SQLite`;
  for (const { name, target, ...variant } of variants) {
    const measured = await measureVariant(harness, { floor, ours, place }, variant);
    yield { figure: `GET entry in ${name}, ${size}`, target, ...measured };
  }
}
