import { openApp } from './app.ts';
import type { Config } from './config.ts';
import { createServer } from './http/server.ts';
import { createLogger } from './logger.ts';
import { VERSION } from './version.ts';

const SHUTDOWN_MS = 15_000;

/** Starts the service and stays until it is told to stop. */
export async function serve(config: Config): Promise<number> {
  const log = createLogger(config.logLevel);
  for (const warning of config.warnings) log.warn(warning);
  const app = await openApp({ ...config, onError: (err) => log.error({ err }, 'background work failed') });
  const server = await createServer({ kernel: app.kernel, log, ...config, corsOrigins: config.http.corsOrigins });
  try {
    await server.listen({ host: config.http.host, port: config.http.port });
  } catch (error) {
    await app.close();
    throw error;
  }
  const address = server.server.address();
  process.stdout.write(welcome(config, typeof address === 'object' && address ? address.port : config.http.port));
  const signal = await stopSignal();
  log.info({ signal }, 'stopping: finishing what was accepted');
  setTimeout(() => {
    log.fatal('still busy after 15 s: giving up');
    process.exit(1);
  }, SHUTDOWN_MS).unref();
  await server.close();
  await app.close();
  log.info('stopped');
  return 0;
}

function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(signal));
  });
}

function welcome(config: Config, port: number): string {
  const { host } = config.http;
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  const url = `http://${reachable}:${port}`;
  const everywhere = reachable === 'localhost' && host !== 'localhost' ? ' (all interfaces)' : '';
  const data =
    config.postgresDsn === undefined ? `${config.dataDir} (SQLite)` : `${safeDsn(config.postgresDsn)} (PostgreSQL)`;
  const keys = config.apiKeys.length;
  const auth =
    keys === 0
      ? 'off: anyone who can reach this address may read and write. Set MEM_API_KEYS to change that.'
      : `on: ${keys} key${keys === 1 ? '' : 's'}`;
  return `mem ${VERSION}\n\n  listening  ${url}${everywhere}\n  docs       ${url}/docs\n  data       ${data}\n  auth       ${auth}\n\n`;
}

/** Without user and password. */
function safeDsn(dsn: string): string {
  const { host, pathname } = new URL(dsn);
  return `postgres://${host}${pathname}`;
}
