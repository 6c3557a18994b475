import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SystemAccount, serverAccount, serverBinaries } from './postgres-binaries.ts';

export type PostgresServerOptions = {
  port?: number;
  /** Kept on close; without it the data live in a temporary folder that goes with the server. */
  dataDir?: string;
  /** Off for speed: it matters only after a power cut, not after a killed server. */
  fsync?: boolean;
  settings?: Record<string, string>;
};

export type PostgresServer = {
  dsn: string;
  dataDir: string;
  port: number;
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
  kill9(): Promise<void>;
  restart(): Promise<void>;
  close(): Promise<void>;
};

type ServerPlace = {
  home: string;
  dataDir: string;
  bin: string;
  account: SystemAccount;
  port: number;
  settings: string[];
};

const startTimeoutMs = 20_000;

export async function startPostgres(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  const account = serverAccount();
  const home = mkdtempSync(join(tmpdir(), 'mem-postgres-'));
  give(home, account);
  const guard = startGuard(home);
  const dataDir = options.dataDir ?? join(home, 'data');
  const bin = serverBinaries(home, account);
  if (!existsSync(join(dataDir, 'PG_VERSION'))) initialise({ bin, dataDir, account });
  const port = options.port ?? (await freePort());
  const place = { home, dataDir, bin, account, port, settings: settingsOf(options) };
  let server = await launch(place, guard);

  const end = async (signal: NodeJS.Signals) => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.ref();
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  };
  const stop = (mode: 'fast' | 'immediate' = 'fast') => end(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
  return {
    dsn: `postgres://postgres@127.0.0.1:${port}/postgres`,
    dataDir,
    port,
    stop,
    kill9: () => end('SIGKILL'),
    restart: async () => {
      await stop();
      server = await launch(place, guard);
    },
    close: async () => {
      await stop('immediate');
      rmSync(home, { recursive: true, force: true });
      guard.release();
    },
  };
}

function settingsOf({ fsync = false, settings = {} }: PostgresServerOptions): string[] {
  const onOff = fsync ? 'on' : 'off';
  const all = {
    fsync: onOff,
    full_page_writes: onOff,
    shared_buffers: '128MB',
    max_connections: '200',
    ...settings,
  };
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

function initialise({ bin, dataDir, account }: Pick<ServerPlace, 'bin' | 'dataDir' | 'account'>): void {
  mkdirSync(dataDir, { recursive: true });
  give(dataDir, account);
  // Sorts by language rules, so that a column without COLLATE "C" fails a test.
  const locale = ['--locale-provider=icu', '--icu-locale=en-US', '--locale=C', '--encoding=UTF8'];
  const args = ['-D', dataDir, '-A', 'trust', '-U', 'postgres', '--no-sync', '--no-instructions', ...locale];
  execFileSync(join(bin, 'initdb'), args, { ...runAs(account, dataDir), stdio: ['ignore', 'pipe', 'pipe'] });
}

async function launch(place: ServerPlace, guard: ProcessGuard): Promise<ChildProcess> {
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    const logged = logOf(place).length;
    const server = spawnServer(place, guard);
    if (await ready(server, place.dataDir, deadline)) return server;
    const reason = logOf(place).slice(logged);
    // The orphans of a killed server keep its shared memory, its lock and its port for a moment.
    const orphans = /shared memory block|lock file|could not create any TCP/.test(reason);
    if (!orphans || Date.now() > deadline)
      throw new Error(`PostgreSQL did not start (${server.exitCode ?? server.signalCode}):\n${reason}`);
    await sleep(50);
  }
}

function spawnServer(place: ServerPlace, guard: ProcessGuard): ChildProcess {
  const { home, dataDir, bin, account, port, settings } = place;
  const args = ['-D', dataDir, '-p', `${port}`, '-h', '127.0.0.1', '-k', home, ...settings];
  const log = openSync(logFile(place), 'a');
  const server = spawn(join(bin, 'postgres'), args, {
    ...runAs(account, home),
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  server.unref();
  guard.watch(server.pid);
  server.once('exit', () => guard.watch(undefined));
  return server;
}

async function ready(server: ChildProcess, dataDir: string, deadline: number): Promise<boolean> {
  const pidFile = join(dataDir, 'postmaster.pid');
  while (server.exitCode === null && server.signalCode === null) {
    const lines = linesOf(pidFile);
    if (lines[0] === `${server.pid}` && lines[7]?.trim() === 'ready') return true;
    if (Date.now() > deadline) {
      server.kill('SIGKILL');
      return false;
    }
    await sleep(10);
  }
  return false;
}

/** None where the file is gone: a server that cannot start removes it. */
function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}

type ProcessGuard = { watch(pid: number | undefined): unknown; release(): void };

/**
 * A small process that outlives this one, however it dies: when its input closes, it stops the server that was named
 * last and removes the folder.
 */
function startGuard(home: string): ProcessGuard {
  const script = `
    pid=
    while read -r line; do pid=$line; done
    if [ -n "$pid" ]; then
      kill -QUIT "$pid" 2>/dev/null
      for i in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
    fi
    rm -rf "$0"`;
  const guard = spawn('/bin/sh', ['-c', script, home], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  const input = guard.stdin as Socket;
  guard.unref();
  input.unref();
  return {
    watch: (pid) => input.writable && input.write(`${pid ?? ''}\n`),
    release: () => input.end(),
  };
}

function give(folder: string, account: SystemAccount): void {
  chmodSync(folder, 0o700);
  if (account) chownSync(folder, account.uid, account.gid);
}

function runAs(account: SystemAccount, cwd: string) {
  return { ...account, cwd, env: { LC_ALL: 'C', TZ: 'UTC' } };
}

function logFile({ home }: ServerPlace): string {
  return join(home, 'server.log');
}

function logOf(place: ServerPlace): string {
  return existsSync(logFile(place)) ? readFileSync(logFile(place), 'utf8') : '';
}

/** Below the range the system hands to clients, so that none of them takes the port while the server is down. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000);
    const probe = createServer();
    const free = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false));
      probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
    });
    if (free) return port;
  }
}
