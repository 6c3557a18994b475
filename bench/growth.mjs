import { compare } from './compare.mjs';

/**
 * A large store against a small one, for each of `figures`: `{ name, requests, connections }`. With one connection it
 * compares the median time of a request, with many the server's time per request; both ratios mean "times slower".
 */
export async function* measureGrowth(harness, { figures, stores, backend, what = '', note, most = 1.5, env = {} }) {
  const services = [];
  for (const store of stores) services.push({ ...(await harness.service(store, { env })), size: store.size });
  const [small, large] = services;
  const sizes = `${large.size.toLocaleString('en-US')}${what} against ${small.size.toLocaleString('en-US')}`;
  for (const { name, requests, connections = 1 } of figures) {
    const time = async (service, seconds) => {
      const plan = { requests: requests(), connections, count: service.size, ...(seconds ? { seconds } : {}) };
      const { requests_per_s, p50_ms, non2xx } = await harness.load(service, plan);
      return { value: connections === 1 ? p50_ms : 1000 / requests_per_s, non2xx };
    };
    for (const service of services) await time(service, 1);
    const result = await compare(
      harness.options.repeats,
      () => time(small),
      () => time(large),
    );
    yield { figure: `${name}, ${sizes}, ${backend}`, unit: 'ms', target: { most }, ...result, note };
  }
  await harness.stopServers();
}
