import { once } from 'node:events';
import { createServer as createSocketServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { addressOfDsn } from '@mem-service/mcp/location';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { keyOfClientOnly } from './admitted.ts';
import type { App } from './app.ts';
import { type Config, ConfigError } from './config.ts';
import { SchemaError, StorageError } from './db/index.ts';
import { tidyFolder } from './db/sqlite-tidy.ts';
import { firstScreen, memoryLeftAside } from './first-screen.ts';
import { drainConnections } from './http/connections.ts';
import { dashboardFolder } from './http/dashboard.ts';
import { measureProcess } from './http/metrics.ts';
import type { ReportError } from './http/problems.ts';
import { createServer } from './http/server.ts';
import { openInstalledApp } from './installed.ts';
import { SELF_HOSTED_ACCOUNT } from './kernel/index.ts';
import { createLogger } from './logger.ts';
import { countKeys } from './modules/keys/index.ts';
import { OutageLog } from './outage-log.ts';
import { onReload, stopSignal } from './stop-signal.ts';
import { Telemetry } from './telemetry/index.ts';
import { Supervisor } from './workers/supervisor.ts';
import { joinSupervisor, type WorkerChannel, workerStop } from './workers/worker.ts';

const START_WAIT_MS = 30_000;
const PATIENCE_MS = 10_000;
const SHUTDOWN_MS = 15_000;

type RunningService = {
  app: App;
  server: FastifyInstance;
  telemetry: Telemetry | undefined;
  port: number;
  storedKeys: number;
  /** Resolves when another version of mem has migrated the store. */
  migrated: Promise<StorageError>;
};

/** Runs the service until it receives a signal to stop: in this process, or in several that it supervises. */
export async function serve(config: Config): Promise<number> {
  if (config.telemetry.problems.length > 0) throw new ConfigError(config.telemetry.problems.join('\n'));
  const channel = joinSupervisor();
  if (channel) return serveAsWorker(config, channel);
  const log = createLogger(config.logLevel);
  for (const warning of [...config.warnings, keyOfClientOnly(config) ?? []].flat()) log.warn(warning);
  return config.workers > 1 ? serveByWorkers(config, log) : serveHere(config, log);
}

async function serveHere(config: Config, log: Logger): Promise<number> {
  const elsewhere = memoryLeftAside(config);
  const running = await startOrExplain(config, () => start(config, log));
  if ('exitCode' in running) return running.exitCode;
  // Listen for signals first: as soon as "listening" is logged, an operator may stop the service.
  const stopping = stopSignal();
  onReload(() => log.warn('SIGHUP replaces workers, and there is one process: see MEM_WORKERS'));
  process.stdout.write(firstScreen(config, { ...running, elsewhere }));
  return stopWhen(stopping, running, log);
}

async function serveAsWorker(config: Config, channel: WorkerChannel): Promise<number> {
  const log = createLogger(config.logLevel).child({ worker: Number(channel.id) });
  const stopping = workerStop();
  try {
    const running = await startOrExplain(config, () => start(config, log, channel));
    if ('exitCode' in running) return running.exitCode;
    const { kernel } = running.app;
    channel.measureWith(() => measureProcess(kernel));
    channel.ready(running.port, running.storedKeys);
    return await stopWhen(Promise.race([stopping, untilReplaced(channel, running, stopping)]), running, log);
  } finally {
    channel.close();
  }
}

async function untilReplaced(
  channel: WorkerChannel,
  { server }: RunningService,
  stopping: Promise<string>,
): Promise<string> {
  await channel.retired;
  const hurry = new AbortController();
  void stopping.then(() => hurry.abort());
  await drainConnections(server, hurry.signal);
  return 'another worker has the place';
}

async function serveByWorkers(config: Config, log: Logger): Promise<number> {
  const elsewhere = memoryLeftAside(config);
  const free = await startOrExplain(config, async () => ({ free: await tryListening(config.http) }));
  if ('exitCode' in free) return free.exitCode;
  const supervisor = new Supervisor(config.workers, log);
  const stopping = stopSignal();
  // Before the first worker is there to be seen: a signal that nobody listens for ends the process.
  onReload(() => void starting.then(() => supervisor.restart()));
  const starting = supervisor.start();
  const started = await Promise.race([starting, stopping.then(() => ({ exitCode: 0 }))]);
  if ('exitCode' in started) return (await supervisor.stop()) || started.exitCode;
  process.stdout.write(firstScreen(config, { ...started, elsewhere }));
  const signal = await stopping;
  log.info({ signal }, 'stopping: the workers finish what they accepted');
  const exitCode = await supervisor.stop();
  if (config.postgresDsn === undefined) await tidyFolder(config.dataDir);
  log.info('stopped');
  return exitCode;
}

async function startOrExplain<T extends object>(
  config: Config,
  begin: () => Promise<T>,
): Promise<T | { exitCode: number }> {
  try {
    return await begin();
  } catch (error) {
    const { message, exitCode } = explain(error, config);
    process.stderr.write(`mem: ${message}\n`);
    return { exitCode };
  }
}

async function stopWhen(stopping: Promise<string>, running: RunningService, log: Logger): Promise<number> {
  const end = await Promise.race([stopping, running.migrated]);
  if (typeof end === 'string') log.info({ signal: end }, 'stopping: finishing what was accepted');
  else log.fatal({ why: end.why }, `${end.message}: stopping; start this one in the newer version`);
  await stop(running, log);
  log.info('stopped');
  return typeof end === 'string' ? 0 : 1;
}

async function start(config: Config, log: Logger, channel?: WorkerChannel): Promise<RunningService> {
  const { refusal } = config.served;
  if (refusal !== undefined) throw new StorageError('refused', new Error(refusal));
  // A worker is handed its connections; the supervisor has tried the address.
  if (!channel) await tryListening(config.http);
  let opened: App | undefined;
  const outages = new OutageLog({ log, isBack: async () => opened !== undefined && isUsable(opened) });
  const reportError: ReportError = (error, write) => outages.report(error, write);
  const onError = (err: unknown) => reportError(err, () => log.error({ err }, 'background work failed'));
  const onWarning = (warning: string) => log.warn(warning);
  let onMigrated: ((error: StorageError) => void) | undefined;
  const migrated = new Promise<StorageError>((resolve) => {
    onMigrated = resolve;
  });
  const app = await whenReachable(() => openInstalledApp(config, { onError, onWarning, onMigrated, triesPool: true }), {
    waitMs: START_WAIT_MS,
    onWait: (error) => log.warn({ why: error.why }, `${error.message}; trying for ${START_WAIT_MS / 1000} s`),
  });
  opened = app;
  try {
    const telemetry = openTelemetry(config, log);
    const { corsOrigins, localOnly } = config.http;
    const server = await createServer({
      ...{
        kernel: app.kernel,
        connectors: app.connectors,
        log,
        reportError,
        ...config,
        dashboard: config.dashboard ? dashboardFolder() : undefined,
        corsOrigins,
        localOnly,
        telemetry,
      },
      ...(channel ? { gatherMetrics: () => channel.gather() } : {}),
    });
    await server.listen({ host: config.http.host, port: config.http.port });
    const address = server.server.address();
    const port = typeof address === 'object' && address ? address.port : config.http.port;
    return { app, server, telemetry, port, storedKeys: await countStoredKeys(app), migrated };
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** A server that only reads never writes. */
const isUsable = async ({ kernel: { services } }: App): Promise<boolean> =>
  (await services.database.isWritable()) || services.replica !== undefined;

/** Keys that were made in the store admit as those of MEM_API_KEYS do, also in a store that came with a repository. */
function countStoredKeys({ kernel: { services } }: App): Promise<number> {
  const { database, clock } = services;
  return countKeys(database.forAccount(SELF_HOSTED_ACCOUNT).read, SELF_HOSTED_ACCOUNT, clock.now());
}

/** A start that fails for its address should leave no new store behind. */
async function tryListening({ host, port }: Config['http']): Promise<void> {
  const probe = createSocketServer().listen({ host, port });
  await once(probe, 'listening');
  probe.close();
  await once(probe, 'close');
}

function openTelemetry({ telemetry: { settings } }: Config, log: Logger): Telemetry | undefined {
  if (!settings) return undefined;
  log.info({ to: new URL(settings.url).origin }, 'exporting spans');
  return new Telemetry(settings, (about) => log.warn(about, 'spans could not be exported'));
}

/** Retries while the database is unreachable: it often starts together with the service, but a little later. */
export async function whenReachable<T>(
  open: () => Promise<T>,
  { waitMs, onWait }: { waitMs: number; onWait: (error: StorageError) => void },
): Promise<T> {
  const deadline = performance.now() + waitMs;
  for (let attempt = 1; ; attempt++) {
    try {
      return await open();
    } catch (error) {
      const hopeless = !(error instanceof StorageError) || error.reason !== 'unavailable';
      if (hopeless || performance.now() > deadline) throw error;
      if (attempt === 1) onWait(error);
    }
    await sleep(500);
  }
}

/** Explains a failed start and how to fix it. Only a bug is shown with its stack. */
function explain(error: unknown, config: Config): { message: string; exitCode: number } {
  const { host, port } = config.http;
  const { code, syscall, message, stack } = error as NodeJS.ErrnoException;
  if (error instanceof SchemaError) return { message, exitCode: 1 };
  if (error instanceof StorageError) {
    const where =
      config.postgresDsn === undefined
        ? `MEM_DATA_DIR ${config.dataDir}`
        : (error.where ?? `MEM_POSTGRES_DSN ${addressOfDsn(config.postgresDsn)}`);
    const todo = error.reason === 'damaged' ? ': restore a backup, or choose another folder' : '';
    return {
      message: `${where}: ${message}: ${error.why}${config.postgresDsn === undefined ? todo : ''}`,
      exitCode: error.reason === 'misconfigured' ? 2 : 6,
    };
  }
  if (code === 'EADDRINUSE')
    return {
      message: `port ${port} is already in use on ${host}: choose another with --port or MEM_HTTP_PORT`,
      exitCode: 1,
    };
  if (code === 'EACCES' && syscall === 'listen')
    return {
      message: `port ${port} needs more rights: choose one above 1023 with --port or MEM_HTTP_PORT`,
      exitCode: 1,
    };
  if (syscall === 'listen' || syscall === 'getaddrinfo')
    return { message: `${host} is not an address of this machine: see --host and MEM_HTTP_HOST`, exitCode: 1 };
  return { message: stack ?? message, exitCode: 1 };
}

async function stop({ app, server, telemetry }: RunningService, log: Logger): Promise<void> {
  // Do not wait for requests that are still arriving or for answers that clients do not read.
  setTimeout(() => server.server.closeAllConnections(), PATIENCE_MS).unref();
  setTimeout(() => {
    log.fatal(`still busy after ${SHUTDOWN_MS / 1000} s: giving up`);
    process.exit(1);
  }, SHUTDOWN_MS).unref();
  await server.close();
  await Promise.all([app.close(), telemetry?.close()]);
}
