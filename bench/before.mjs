import { compare, median, WARM_UP_SECONDS } from './compare.mjs';
import { entryOf } from './corpus.mjs';
import { ask } from './harness.mjs';
import { cpuSeconds } from './processes.mjs';

/** A store of the earlier service, filled by itself: it cannot open one of a later schema. */
export async function filledBefore(harness, name, entries) {
  const place = harness.emptyPlace(name);
  const service = await harness.before(place);
  const BATCH = 500;
  for (let from = 0; from < entries; from += BATCH) {
    const writes = Array.from({ length: Math.min(BATCH, entries - from) }, (_, i) => entryOf(from + i));
    await ask(service, { method: 'POST', path: '/api/v1/commits', body: JSON.stringify({ writes, message: 'fill' }) });
  }
  await service.stop();
  return place;
}

/**
 * The same load on this service and on an earlier one, which is built in another folder (`--before`), in turns. Both
 * begin with a store of their own: `place` makes one.
 */
export async function* compareWithBefore(harness, { place, plan, what, least, role }) {
  if (harness.options.before === undefined) return;
  await harness.stopServers();
  const works = { earlier: [], ours: [] };
  const sides = {
    earlier: await harness.before(await place('before'), { role }),
    ours: await harness.service(await place('now'), { role }),
  };
  const rate = async (side, seconds) => {
    const { pid } = sides[side];
    const before = cpuSeconds(pid);
    const measured = await harness.load(sides[side], { ...plan(), ...(seconds ? { seconds } : {}) });
    if (!seconds) works[side].push((cpuSeconds(pid) - before) / measured.requests);
    return { value: measured.requests_per_s, non2xx: measured.non2xx };
  };
  for (const side of ['earlier', 'ours']) await rate(side, WARM_UP_SECONDS);
  const result = await compare(
    harness.options.repeats,
    () => rate('earlier'),
    () => rate('ours'),
  );
  const note = `by time of the processor: ${(median(works.earlier) / median(works.ours)).toFixed(2)}`;
  yield { figure: `${what}, against the same before`, unit: 'req/s', target: { least }, ...result, note };
}
