import { compare } from '../compare.mjs';
import { cores } from '../machine.mjs';
import { mixed } from '../requests.mjs';

const ENOUGH_CORES = 4;
const CONNECTIONS = 64;

/** Two servers on one PostgreSQL, against one of them, under the same mixed load with as many connections. */
export async function* measureServers(harness) {
  const { small, repeats } = harness.options;
  const place = await harness.postgresStore(small, '_servers');
  const both = [await harness.service(place), await harness.service(place, { role: 'second' })];
  const rate = async (servers, seconds) => {
    const connections = CONNECTIONS / servers.length;
    const plan = () => ({ requests: mixed(small), count: small, connections, ...(seconds ? { seconds } : {}) });
    const parts = await Promise.all(servers.map((server) => harness.load(server, plan())));
    const sum = (field) => parts.reduce((total, part) => total + part[field], 0);
    return { value: sum('requests_per_s'), non2xx: sum('non2xx') };
  };
  const one = both.slice(0, 1);
  for (const servers of [one, both]) await rate(servers, 2);
  const result = await compare(
    repeats,
    () => rate(one),
    () => rate(both),
  );
  const isJudged = cores.length >= ENOUGH_CORES;
  const figure = `mixed load, two servers on one PostgreSQL, ${CONNECTIONS} connections`;
  const note = `${cores.length} cores for two servers, PostgreSQL and whoever asks`;
  yield { figure, unit: 'req/s', ...(isJudged ? { target: { least: 1.5 } } : {}), ...result, note };
}
