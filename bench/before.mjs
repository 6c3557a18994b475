import { compare, median, WARM_UP_SECONDS } from './compare.mjs';
import { cpuSeconds } from './processes.mjs';

/**
 * The same load on this service and on an earlier one, which is built in another folder (`--before`), in turns. Both
 * begin with a store of their own: `place` makes one.
 */
export async function* compareWithBefore(harness, { place, plan, what, least, role }) {
  if (harness.options.before === undefined) return;
  await harness.stopServers();
  const works = { earlier: [], ours: [] };
  const sides = {
    earlier: await harness.before(place('before'), { role }),
    ours: await harness.service(place('now'), { role }),
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
