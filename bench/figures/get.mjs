import { compare, median } from '../compare.mjs';
import { ask } from '../harness.mjs';
import { cpuSeconds } from '../processes.mjs';
import { readEntry } from '../requests.mjs';

const DRAWS = [
  { keys: 'keys at random', zipf: false, least: 0.4 },
  { keys: 'keys of Zipf 1.0', zipf: true, least: 0.5 },
];

/** Reads of entries, with authentication and tracked, against Fastify sending the same bytes. */
export async function* measureGet(harness) {
  const { medium, repeats } = harness.options;
  const service = await harness.service(await harness.sqlite(medium));
  const sample = await ask(service, { path: '/api/v1/entries/bench/p0/k0' });
  const floor = await harness.floorSending('get', sample);
  for (const { keys, zipf, least } of DRAWS) {
    const rate = async (target, seconds) => {
      const plan = { requests: readEntry, count: medium, zipf, ...(seconds ? { seconds } : {}) };
      const before = cpuSeconds(target.pid);
      const { requests_per_s: value, non2xx, requests } = await harness.load(target, plan);
      return { value, non2xx, cpu_us: ((cpuSeconds(target.pid) - before) * 1e6) / requests };
    };
    for (const target of [floor, service]) await rate(target, 2);
    const spent = { floor: [], ours: [] };
    const counted = async (side, target) => {
      const measured = await rate(target);
      spent[side].push(measured.cpu_us);
      return measured;
    };
    const result = await compare(
      repeats,
      () => counted('floor', floor),
      () => counted('ours', service),
    );
    const figure = `GET entry, ${medium.toLocaleString('en-US')} entries, ${keys}, 64 connections, SQLite`;
    const note = `answers of ${sample.length} bytes; ${processorTime(spent)}`;
    yield { figure, unit: 'req/s', target: { least }, ...result, note };
  }
}

/** What a loaded machine leaves readable: the processor time that each side takes for a request. */
function processorTime({ floor, ours }) {
  const [least, taken] = [median(floor), median(ours)];
  return `processor time ${least.toFixed(1)} µs a request, ours ${taken.toFixed(1)}, ratio ${(least / taken).toFixed(2)}`;
}
