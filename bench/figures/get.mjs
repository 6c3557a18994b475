import { compare } from '../compare.mjs';
import { ask } from '../harness.mjs';
import { readEntry } from '../requests.mjs';

/** Reads of random entries, with authentication, against Fastify sending the same bytes. */
export async function* measureGet(harness) {
  const { medium, repeats } = harness.options;
  const service = await harness.service(await harness.sqlite(medium));
  const sample = await ask(service, { path: '/api/v1/entries/bench/p0/k0' });
  const floor = await harness.floorSending('get', sample);
  const rate = async (target, seconds) => {
    const plan = { requests: readEntry, count: medium, ...(seconds ? { seconds } : {}) };
    const { requests_per_s: value, non2xx } = await harness.load(target, plan);
    return { value, non2xx };
  };
  for (const target of [floor, service]) await rate(target, 2);
  const result = await compare(
    repeats,
    () => rate(floor),
    () => rate(service),
  );
  const figure = `GET entry, ${medium.toLocaleString('en-US')} entries, 64 connections, SQLite`;
  yield { figure, unit: 'req/s', target: { least: 0.65 }, ...result, note: `answers of ${sample.length} bytes` };
}
