import { compare, WARM_UP_SECONDS } from '../compare.mjs';
import { cores } from '../machine.mjs';
import { readEntry } from '../requests.mjs';

const ENOUGH_CORES = 4;

/** Reads of random entries from a server of two workers, against a server of one process on the same store. */
export async function* measureWorkers(harness) {
  const { medium, repeats } = harness.options;
  const place = await harness.sqlite(medium);
  const one = await harness.service(place);
  const two = await harness.service(harness.copyOf(place, 'workers'), { env: { MEM_WORKERS: '2' }, role: 'several' });
  const rate = async (target, seconds) => {
    const plan = { requests: readEntry, count: medium, ...(seconds ? { seconds } : {}) };
    const { requests_per_s: value, non2xx } = await harness.load(target, plan);
    return { value, non2xx };
  };
  for (const target of [one, two]) await rate(target, WARM_UP_SECONDS);
  const result = await compare(
    repeats,
    () => rate(one),
    () => rate(two),
  );
  const isJudged = cores.length >= ENOUGH_CORES;
  const figure = 'GET entry, a server of two workers, 64 connections, SQLite';
  const note = `${cores.length} cores for two workers, their supervisor and whoever asks`;
  yield { figure, unit: 'req/s', ...(isJudged ? { target: { least: 1.7 } } : {}), ...result, note };
}
