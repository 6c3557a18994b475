import { compare } from '../compare.mjs';
import { listFolder, listRecent, readEntry, readHistory, writeEntries } from '../requests.mjs';

const once = (requests) => () => requests;

/** `rate` figures are requests a second, the others the median time of one request; both are read as "times slower". */
const figures = [
  { name: 'read', requests: once(readEntry) },
  { name: 'read, 64 connections', requests: once(readEntry), connections: 64 },
  { name: 'write', requests: writeEntries },
  { name: 'list page (100)', requests: once(listFolder) },
  { name: 'list page (100), newest first', requests: once(listRecent) },
  { name: 'history page (50)', requests: once(readHistory) },
];

async function* measureOn(harness, backend, stores) {
  const { repeats } = harness.options;
  const services = [];
  for (const store of stores) services.push({ ...(await harness.service(store)), entries: store.entries });
  const [small, large] = services;
  for (const { name, requests, connections = 1 } of figures) {
    const time = async (service, seconds) => {
      const plan = { requests: requests(), connections, count: service.entries, ...(seconds ? { seconds } : {}) };
      const { requests_per_s, p50_ms, non2xx } = await harness.load(service, plan);
      // Many connections: the time that each request takes of the server.
      return { value: connections === 1 ? p50_ms : 1000 / requests_per_s, non2xx };
    };
    for (const service of services) await time(service, 1);
    const result = await compare(
      repeats,
      () => time(small),
      () => time(large),
    );
    const sizes = `${large.entries.toLocaleString('en-US')} against ${small.entries.toLocaleString('en-US')}`;
    yield { figure: `${name}, ${sizes}, ${backend}`, unit: 'ms', reach: { most: 1.5 }, ...result };
  }
  await harness.stopServers();
}

/** A large store against a small one. */
export async function* measureScale(harness) {
  const { small, large, postgres } = harness.options;
  const sqlite = [await harness.sqlite(small), await harness.sqlite(large)];
  yield* measureOn(harness, 'SQLite', sqlite);
  if (!postgres) return;
  const stores = [await harness.postgresStore(small), await harness.postgresStore(large)];
  yield* measureOn(harness, 'PostgreSQL', stores);
}
