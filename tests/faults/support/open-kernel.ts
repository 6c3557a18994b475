import { type OperationName, type Output, type Request, stringify } from '@mem-service/contract';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { modules as proModules } from '../../../packages/pro/src/index.ts';
import { coreModules } from '../../../packages/server/src/app.ts';
import { openPostgres, openSqlite } from '../../../packages/server/src/db/index.ts';
import { createServer, type HttpOptions } from '../../../packages/server/src/http/server.ts';
import {
  Activity,
  BranchAccess,
  Consumers,
  createKernel,
  DefaultBranches,
  insertAccount,
  type Kernel,
  KeyRing,
  KnownLogs,
  type Limits,
  Maintenance,
  type Module,
  migrateAll,
  NoteBuffer,
  randomIds,
  refuseCollisions,
  registryOf,
  SELF_HOSTED_ACCOUNT,
  SETTINGS,
  systemClock,
} from '../../../packages/server/src/kernel/index.ts';
import { keySource } from '../../../packages/server/src/modules/keys/index.ts';
import { type Backend, caller, readyPlace } from '../../support/app.ts';

export type TestKernelOptions = { limits?: Partial<Limits>; extra?: readonly Module[] };

/** A kernel assembled by hand, with limits and modules for tests only. */
export async function openKernel(backend: Backend, { limits, extra = [] }: TestKernelOptions = {}) {
  const place = await readyPlace(backend);
  const { dataDir, postgresDsn: dsn } = place.options;
  const database =
    dsn === undefined ? await openSqlite(dataDir) : await openPostgres({ dsn, poolSize: 4, onError: () => {} });
  const server_id = 'test';
  const background = { database, clock: systemClock, server_id, sweepSeconds: 3600, onError: () => {} };
  const modules = [...coreModules, ...proModules];
  const all = [...modules.map((module) => without(module, extra)), ...extra];
  refuseCollisions(all);
  const base = {
    database,
    server_id,
    consumers: new Consumers([], background),
    maintenance: new Maintenance([], background),
    clock: systemClock,
    ids: randomIds,
    version: 'test',
    activity: new Activity(),
    branchAccess: new BranchAccess(),
    defaultBranches: new DefaultBranches(),
    openStreams: new Map(),
    modelCalls: new Map(),
    onWarning: () => {},
    knownLogs: new KnownLogs(database),
    noteBuffer: new NoteBuffer(),
    ...registryOf(all),
    settings: SETTINGS,
    keys: new KeyRing(keySource(database), systemClock),
    limits: { max_value_bytes: 1024 * 1024, max_scanned_entries: 10_000, ...limits },
  };
  const migrated = await migrateAll(base, modules);
  await database.exclusively((tx) => insertAccount(tx, SELF_HOSTED_ACCOUNT, 0));
  const kernel = createKernel({ ...base, ...migrated }, all);
  onTestFinished(async () => {
    await kernel.close();
    await database.close();
    await place.remove();
  });
  return { kernel, database, place };
}

/** The module without the operations that modules of the test serve instead. */
function without(module: Module, extra: readonly Module[]): Module {
  const served = new Set(extra.flatMap(({ handlers }) => Object.keys(handlers)));
  const left = Object.entries(module.handlers).filter(([name]) => !served.has(name));
  return { ...module, handlers: Object.fromEntries(left) };
}

/** Calls `invoke`, and returns the answer as the JSON that a client gets. */
export async function call<N extends OperationName>(kernel: Kernel, name: N, input: Request<N>): Promise<Output<N>> {
  return JSON.parse(stringify(await kernel.invoke(name, input, caller())));
}

/** Behind a socket on loopback; gives the address. */
export async function listenTo(kernel: Kernel, options: Partial<HttpOptions> = {}): Promise<string> {
  const server = await createServer({
    kernel,
    log: pino({ level: 'silent' }),
    apiKeys: [],
    corsOrigins: ['*'],
    agentId: 'mem-http-server',
    maxBodyBytes: 8 * 1024 * 1024,
    ...options,
  });
  onTestFinished(async () => {
    server.server.closeAllConnections();
    await server.close();
  });
  return server.listen({ host: '127.0.0.1', port: 0 });
}
