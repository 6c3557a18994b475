import { compareWithBefore, filledBefore } from '../before.mjs';
import { compare, median, WARM_UP_SECONDS } from '../compare.mjs';
import { cpuSeconds } from '../processes.mjs';
import { commitOutcomes, writeEntries } from '../requests.mjs';

const CONNECTIONS = 16;

/** Outcomes that credit ten entries each, against plain writes of one entry to the same server. Both are durable. */
export async function* measureOutcome(harness) {
  const { medium, repeats } = harness.options;
  const service = await harness.service(harness.copyOf(await harness.sqlite(medium), 'outcome'));
  const sides = { floor: [], ours: [] };
  const measure = async (side, requests, seconds) => {
    const plan = { requests, connections: CONNECTIONS, count: medium, ...(seconds ? { seconds } : {}) };
    const before = cpuSeconds(service.pid);
    const { requests_per_s: value, non2xx, p99_ms, requests: asked } = await harness.load(service, plan);
    if (!seconds) sides[side].push({ p99_ms, work: (cpuSeconds(service.pid) - before) / asked });
    return { value, non2xx };
  };
  await measure('floor', writeEntries(), WARM_UP_SECONDS);
  await measure('ours', commitOutcomes(medium), WARM_UP_SECONDS);
  const result = await compare(
    repeats,
    () => measure('floor', writeEntries()),
    () => measure('ours', commitOutcomes(medium)),
  );
  const works = sides.floor.map(({ work }, i) => work / sides.ours[i].work);
  const slowest = Math.max(...sides.ours.map(({ p99_ms }) => p99_ms)).toFixed(1);
  const size = `${medium.toLocaleString('en-US')} entries, ${CONNECTIONS} connections, SQLite`;
  const note = `our p99 ${slowest} ms; by time of the processor: ${median(works).toFixed(2)}`;
  yield { figure: `POST outcome against POST entry, ${size}`, unit: 'req/s', target: { least: 0.25 }, ...result, note };
  const store = await harness.sqlite(medium);
  yield* compareWithBefore(harness, {
    what: `POST outcome, ${size}`,
    place: (name) =>
      name === 'before' ? filledBefore(harness, 'outcome-before', medium) : harness.copyOf(store, `outcome-${name}`),
    plan: () => ({ requests: commitOutcomes(medium), connections: CONNECTIONS, count: medium }),
    least: 1.5,
  });
}
