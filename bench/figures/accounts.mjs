import { compare, WARM_UP_SECONDS } from '../compare.mjs';
import { cores } from '../machine.mjs';
import { writeEntries } from '../requests.mjs';
import { CONTROL, hostedEnv, newAgentKey, sendJson } from './hosted.mjs';

const ACCOUNTS = 50;
const CONNECTIONS = 64;
const SERVERS = 3;
const ENOUGH_CORES = 6;

async function newKey(service, n) {
  const body = { name: `bench ${n}` };
  const { account_id } = await sendJson(service, { path: '/api/v1/internal/accounts', headers: CONTROL, body });
  return newAgentKey(service, account_id);
}

/** Durable writes with the keys of several accounts, each key as often as the others. */
const writesWith = (keys) =>
  keys.flatMap((key) => writeEntries().map((request) => ({ ...request, headers: { 'x-mem-api-key': key } })));

async function rate(harness, servers, { keys, seconds }) {
  const parts = await Promise.all(
    servers.map((server) =>
      harness.load(server, {
        requests: writesWith(keys),
        headers: {},
        count: 20_000,
        connections: Math.ceil(CONNECTIONS / servers.length),
        ...(seconds ? { seconds } : {}),
      }),
    ),
  );
  const sum = (field) => parts.reduce((total, part) => total + part[field], 0);
  return { value: sum('requests_per_s'), non2xx: sum('non2xx') };
}

/** Writes of fifty accounts against as many of one, and of three servers against one, on PostgreSQL, hosted. */
export async function* measureAccounts(harness) {
  const { repeats } = harness.options;
  const postgres = await harness.postgres();
  await postgres.newSchema('accounts');
  const place = { ...harness.emptyPlace('accounts'), postgresDsn: postgres.dsnOf('accounts') };
  const env = { ...hostedEnv, MEM_API_KEYS: '' };
  try {
    const servers = [];
    for (let i = 0; i < SERVERS; i++)
      servers.push(await harness.service(place, { env, role: i ? 'second' : 'server' }));
    const keys = await Promise.all(Array.from({ length: ACCOUNTS }, (_, i) => newKey(servers[0], i)));
    const one = { keys: keys.slice(0, 1) };
    await rate(harness, servers, { keys, seconds: WARM_UP_SECONDS });
    const accounts = await compare(
      repeats,
      () => rate(harness, servers.slice(0, 1), one),
      () => rate(harness, servers.slice(0, 1), { keys }),
    );
    const size = `${CONNECTIONS} connections, PostgreSQL with row-level security`;
    yield { figure: `POST entry, ${ACCOUNTS} accounts, ${size}`, unit: 'req/s', target: { least: 0.5 }, ...accounts };
    const several = await compare(
      repeats,
      () => rate(harness, servers.slice(0, 1), one),
      () => rate(harness, servers, one),
    );
    const isJudged = cores.length >= ENOUGH_CORES;
    const figure = `POST entry, one account, ${SERVERS} servers, ${size}`;
    const note = `${cores.length} cores for the servers, PostgreSQL and whoever asks`;
    yield { figure, unit: 'req/s', ...(isJudged ? { target: { least: 0.9 } } : {}), ...several, note };
  } finally {
    await harness.stopServers();
    await postgres.dropSchema('accounts');
  }
}
