import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

const APT = '/usr/bin/apt-get';
/** A name that only Linux knows, and that is free again when its process dies, however it dies. */
const LOCK = '\0mem-tests-packages';
export const INSTALL_MS = 300_000;

/** As root on Debian, where no confirmation is needed. */
export const mayInstall = (): boolean =>
  process.getuid?.() === 0 && existsSync('/etc/debian_version') && existsSync(APT);

/** Installs packages unless they are there. Returns why it failed, if it did. */
export function installPackages(names: readonly string[], isThere: () => boolean): Promise<string> {
  return oneAtATime(async () => {
    let why = '';
    // Lists of packages that are old or missing are the usual reason for a first failure.
    for (const before of [undefined, ['update', '-qq']]) {
      if (isThere()) return '';
      try {
        if (before) await apt(before);
        await apt(['install', '-y', '-qq', '--no-install-recommends', ...names]);
      } catch (error) {
        why = (error as Error).message.trim().split('\n').at(-1) ?? '';
      }
    }
    return why;
  });
}

function apt(args: readonly string[]): Promise<unknown> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return run(APT, ['-o', 'DPkg::Lock::Timeout=120', ...args], { env, timeout: INSTALL_MS / 2, maxBuffer: 2 ** 26 });
}

/** While no other thread or process of a test run does the same. */
async function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + INSTALL_MS;
  for (;;) {
    const lock = await take();
    if (lock) return work().finally(() => lock.close());
    if (performance.now() > deadline) throw new Error('another test run has been installing packages for too long');
    await sleep(200);
  }
}

function take(): Promise<Server | undefined> {
  const lock = createServer();
  return new Promise((resolve) => {
    lock.once('error', () => resolve(undefined)).listen(LOCK, () => resolve(lock));
  });
}
