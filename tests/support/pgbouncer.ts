import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { installPackages, mayInstall } from './debian-packages.ts';
import { serverAccount } from './postgres-binaries.ts';
import { freePort } from './postgres-server.ts';

const PLACES = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer'];
const HOW = 'install pgbouncer, or set PGBOUNCER_PATH to the program';
const START_MS = 10_000;

const installed = (): string | undefined => PLACES.find((place) => existsSync(place));

/** The pgbouncer of this machine. Where no confirmation is needed, it is installed first. */
export async function findPgbouncer(): Promise<{ program: string } | { missing: string }> {
  const { PGBOUNCER_PATH: named } = process.env;
  if (named) return { program: named };
  const why = installed() || !mayInstall() ? '' : await installPackages(['pgbouncer'], () => installed() !== undefined);
  const program = installed();
  return program ? { program } : { missing: `there is no pgbouncer${why && ` (${why})`}: ${HOW}` };
}

export type Pgbouncer = {
  /** The same database through the pooler. */
  through(dsn: string): string;
  /** A command of its admin console, such as RECONNECT. */
  admin(command: string): Promise<pg.QueryResult>;
  close(): Promise<void>;
};

export type PgbouncerOptions = {
  program: string;
  /** Of the server behind it; the databases are its own. */
  dsn: string;
  mode: 'session' | 'transaction';
  /** Everything else has its default. */
  settings?: Record<string, string | number>;
};

export async function startPgbouncer({ program, dsn, mode, settings = {} }: PgbouncerOptions): Promise<Pgbouncer> {
  const home = mkdtempSync(join(tmpdir(), 'mem-pgbouncer-'));
  const account = serverAccount();
  const port = await freePort();
  const all = {
    ...{ listen_addr: '127.0.0.1', listen_port: port, unix_socket_dir: '', pool_mode: mode },
    ...{ auth_type: 'trust', auth_file: join(home, 'users'), admin_users: 'postgres' },
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  const { port: behind } = new URL(dsn);
  const files = {
    users: '"postgres" ""\n"mem_login" ""\n',
    'pgbouncer.ini': `[databases]\n* = host=127.0.0.1 port=${behind}\n[pgbouncer]\n${lines.join('\n')}\n`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
  if (account)
    for (const path of [home, ...Object.keys(files).map((name) => join(home, name))])
      chownSync(path, account.uid, account.gid);
  const child = spawn(program, ['-q', join(home, 'pgbouncer.ini')], {
    ...account,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const console_ = `postgres://postgres@127.0.0.1:${port}/pgbouncer`;
  const through = (address: string) => Object.assign(new URL(address), { port: String(port) }).href;
  try {
    await whenUp(child, console_);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return {
    through,
    admin: (command) => ask(console_, command),
    async close() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function whenUp(child: ChildProcess, dsn: string): Promise<void> {
  let output = '';
  child.stderr?.on('data', (data) => {
    output += data;
  });
  const deadline = performance.now() + START_MS;
  for (;;) {
    const isUp = await ask(dsn, 'SHOW VERSION').then(
      () => true,
      () => false,
    );
    if (isUp) return;
    if (child.exitCode !== null || performance.now() > deadline) throw new Error(`pgbouncer did not start: ${output}`);
    await sleep(20);
  }
}

async function ask(dsn: string, command: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: dsn });
  await client.connect();
  try {
    return await client.query(command);
  } finally {
    await client.end();
  }
}
