import { once } from 'node:events';
import { createServer as createSocketServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { addressOfDsn, hasStore, locateLocalMemory, locationReason } from '@mem-service/mcp/location';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { admissionOf, describeAdmission, keyOfClientOnly } from './admitted.ts';
import type { App } from './app.ts';
import { type Config, ConfigError, readEnvironment } from './config.ts';
import { SchemaError, StorageError } from './db/index.ts';
import { createServer } from './http/server.ts';
import { openInstalledApp } from './installed.ts';
import { SELF_HOSTED_ACCOUNT } from './kernel/index.ts';
import { createLogger } from './logger.ts';
import { countKeys } from './modules/keys/index.ts';
import { Telemetry } from './telemetry/index.ts';
import { VERSION } from './version.ts';

const START_WAIT_MS = 30_000;
const PATIENCE_MS = 10_000;
const SHUTDOWN_MS = 15_000;
const SAME_SIGNAL_MS = 500;

type RunningService = {
  app: App;
  server: FastifyInstance;
  telemetry: Telemetry | undefined;
  port: number;
  storedKeys: number;
};

/** Runs the service until it receives a signal to stop. */
export async function serve(config: Config): Promise<number> {
  if (config.telemetry.problems.length > 0) throw new ConfigError(config.telemetry.problems.join('\n'));
  const log = createLogger(config.logLevel);
  for (const warning of [...config.warnings, keyOfClientOnly(config) ?? []].flat()) log.warn(warning);
  const elsewhere = memoryLeftAside(config);
  let running: RunningService;
  try {
    running = await start(config, log);
  } catch (error) {
    const { message, exitCode } = explain(error, config);
    process.stderr.write(`mem: ${message}\n`);
    return exitCode;
  }
  // Listen for signals first: as soon as "listening" is logged, an operator may stop the service.
  const stopping = stopSignal();
  process.stdout.write(welcome(config, { ...running, elsewhere }));
  const signal = await stopping;
  log.info({ signal }, 'stopping: finishing what was accepted');
  await stop(running, log);
  log.info('stopped');
  return 0;
}

async function start(config: Config, log: Logger): Promise<RunningService> {
  const { refusal } = config.served;
  if (refusal !== undefined) throw new StorageError('refused', new Error(refusal));
  await tryListening(config.http);
  const onError = (err: unknown) => log.error({ err }, 'background work failed');
  const app = await whenReachable(() => openInstalledApp(config, { onError }), {
    waitMs: START_WAIT_MS,
    onWait: (error) => log.warn({ why: error.why }, `${error.message}; trying for ${START_WAIT_MS / 1000} s`),
  });
  try {
    const telemetry = openTelemetry(config, log);
    const { corsOrigins, localOnly } = config.http;
    const server = await createServer({ kernel: app.kernel, log, ...config, corsOrigins, localOnly, telemetry });
    await server.listen({ host: config.http.host, port: config.http.port });
    const address = server.server.address();
    const port = typeof address === 'object' && address ? address.port : config.http.port;
    return { app, server, telemetry, port, storedKeys: await countStoredKeys(app) };
  } catch (error) {
    await app.close();
    throw error;
  }
}

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

/** The memory that commands in this folder have had so far, where this start begins another one that hides it. */
function memoryLeftAside({ served }: Config): string | undefined {
  if (served.by !== 'served' || hasStore(served)) return undefined;
  const usual = locateLocalMemory(readEnvironment(), process.cwd());
  return usual.at !== served.at && hasStore(usual) ? usual.at : undefined;
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
        : `MEM_POSTGRES_DSN ${addressOfDsn(config.postgresDsn)}`;
    return { message: `${where}: ${message}: ${error.why}`, exitCode: 6 };
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

/**
 * The first signal stops the service gracefully, a later one at once. Under npm, Ctrl-C arrives twice: from the terminal
 * and from npm.
 */
function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    let first: { signal: string; at: number } | undefined;
    const onSignal = (signal: string) => {
      const at = performance.now();
      if (first && (signal !== first.signal || at - first.at > SAME_SIGNAL_MS)) process.exit(1);
      first ??= { signal, at };
      resolve(signal);
    };
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  });
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

type FirstScreen = Pick<RunningService, 'port' | 'storedKeys'> & { elsewhere: string | undefined };

/** The first screen. */
function welcome(config: Config, { port, storedKeys, elsewhere }: FirstScreen): string {
  const { host } = config.http;
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  const url = `http://${shown}:${port}`;
  const everywhere = shown === 'localhost' && host !== 'localhost' ? ' (all interfaces)' : '';
  const rows = [
    ['listening', `${url}${everywhere}`],
    ['docs', `${url}/docs`],
    ['data', dataText(config)],
    ...(elsewhere === undefined ? [] : [['new', newText(elsewhere)]]),
    ['auth', authText(config, storedKeys)],
    ['open to', describeAdmission(admissionOf(config))],
  ];
  return `mem ${VERSION}\n\n${rows.map(([name = '', text]) => `  ${name.padEnd(11)}${text}\n`).join('')}\n`;
}

function dataText({ served, dataDir }: Config): string {
  if (served.kind === 'postgres') return `${served.at} (PostgreSQL, from ${served.by})`;
  const why = {
    served: 'in the folder it was started in',
    found: locationReason({ by: 'found' }),
    own: 'your own store',
  };
  return `${dataDir} (SQLite, ${served.by in why ? why[served.by as keyof typeof why] : `from ${served.by}`})`;
}

const newText = (elsewhere: string): string =>
  `an empty store, which commands in this folder now use. Your memory so far: MEM_DATA_DIR=${shellWord(elsewhere)} mem serve`;

const shellWord = (text: string): string =>
  /^[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

function authText({ hosted, apiKeys: { length: keys } }: Config, storedKeys: number): string {
  if (hosted) return 'on: keys of accounts (hosted). Make an account with: mem create-account <name>';
  if (keys === 0) return 'off: set MEM_API_KEYS to require a key';
  const given = `on: ${counted(keys, 'key')}`;
  return storedKeys === 0
    ? given
    : `${given} of MEM_API_KEYS, ${counted(storedKeys, 'key')} in the store (mem list-keys)`;
}

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;
