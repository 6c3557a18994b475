import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPrograms } from './build.mjs';
import { load } from './load/index.mjs';
import { data, program } from './places.mjs';
import { startPostgres } from './postgres.mjs';
import { killAll, startServer } from './processes.mjs';
import {
  deliveriesStore,
  eventsStore,
  listedStore,
  postgresDeliveriesStore,
  postgresStore,
  removeStores,
  sqliteStore,
  tracesStore,
} from './stores.mjs';

const API_KEY = 'bench-key-0123456789abcdef';
export const headers = { 'x-mem-api-key': API_KEY };

/** The number of PostgreSQL connections, for the service and for the floor. */
export const POSTGRES_POOL = '10';

/** The environment of the service, with authentication. */
export const serviceEnv = ({ dataDir, postgresDsn }, port = 0) => ({
  MEM_HTTP_HOST: '127.0.0.1',
  MEM_HTTP_PORT: String(port),
  MEM_API_KEYS: API_KEY,
  MEM_DATA_DIR: dataDir,
  ...(postgresDsn === undefined ? {} : { MEM_POSTGRES_DSN: postgresDsn, MEM_POSTGRES_POOL: POSTGRES_POOL }),
});

let runs = 0;
/** Part of the keys that a load writes, unique for each load and for each run on a kept store. */
export const newRun = () => `${Date.now().toString(36)}${(runs++).toString(36)}`;

/** Everything that a figure needs: built programs, stores, servers and load. */
export async function openHarness(options, generator) {
  const folder = join(data, `run-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  const programs = await buildPrograms();
  let postgres;
  const stops = new Set();
  const harness = {
    options,
    programs,
    folder,
    postgres: async () => {
      postgres ??= startPostgres(programs, options.keep);
      return postgres;
    },
    sqlite: (entries) => sqliteStore(programs, entries),
    listed: (entries) => listedStore(programs, entries),
    traces: (traces) => tracesStore(programs, traces),
    events: (events) => eventsStore(programs, events),
    deliveries: (deliveries) => deliveriesStore(programs, deliveries),
    postgresDeliveries: async (deliveries) =>
      postgresDeliveriesStore(programs, deliveries, { postgres: await harness.postgres() }),
    postgresStore: async (entries, kind) =>
      postgresStore(programs, entries, { postgres: await harness.postgres(), kind }),
    emptyPlace: (name) => ({ dataDir: join(folder, name) }),
    /** A copy of a store, for a figure that would change it for later figures. */
    copyOf({ dataDir, ...rest }, name) {
      const place = harness.emptyPlace(name);
      cpSync(dataDir, place.dataDir, { recursive: true });
      return { ...rest, ...place };
    },
    /** `file`: another build of the service. */
    service: (place, { nodeArgs = [], env = {}, role = 'server', file = program } = {}) =>
      start(file, { args: ['serve'], nodeArgs, env: { ...serviceEnv(place), ...env }, role }),
    /** The service as it was, from another folder in which it is built. */
    before: (place, { role = 'server' } = {}) =>
      start(join(options.before, 'packages', 'cli', 'dist', 'mem.js'), {
        args: ['serve'],
        env: serviceEnv(place),
        role,
      }),
    floor: (name, env = {}) => start(programs[name], { env }),
    floorSending(name, body) {
      const file = join(folder, `${name}.body`);
      writeFileSync(file, body);
      return harness.floor('send', { FLOOR_BODY_FILE: file });
    },
    load: ({ url }, plan) => load({ generator, folder, seconds: options.seconds, headers, url, ...plan }),
    async stopServers() {
      for (const stop of stops) await stop();
      stops.clear();
    },
    async close() {
      await harness.stopServers();
      if (!options.keep) await removeStores();
      await (await postgres)?.close();
      removeFolders();
    },
  };
  const start = async (file, how) => {
    const started = await startServer(file, how);
    stops.add(started.stop);
    return started;
  };
  const removeFolders = () => {
    rmSync(folder, { recursive: true, force: true });
    rmSync(join(data, `build-${process.pid}`), { recursive: true, force: true });
  };
  process.once('exit', () => {
    killAll();
    if (!options.keep) removeStores().catch(() => {});
    removeFolders();
  });
  return harness;
}

/** Returns one whole answer. */
export async function ask({ url }, { method = 'GET', path, body, headers: others = {} }) {
  const response = await fetch(url + path, {
    method,
    headers: { ...headers, ...others, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    body,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return text;
}
