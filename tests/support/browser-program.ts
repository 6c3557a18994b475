import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

const MAC_NAMES = ['Google Chrome', 'Chromium', 'Google Chrome for Testing', 'Microsoft Edge'];
const PLACES: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  linux: [
    ...['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'].map((name) => `/usr/bin/${name}`),
    '/usr/local/bin/chromium',
    '/opt/google/chrome/chrome',
    '/snap/bin/chromium',
  ],
  darwin: ['/Applications', join(homedir(), 'Applications')].flatMap((folder) =>
    MAC_NAMES.map((name) => join(folder, `${name}.app`, 'Contents', 'MacOS', name)),
  ),
};

const HOW = 'install Chrome or Chromium, or set CHROME_PATH to the program of one';
const APT = '/usr/bin/apt-get';
/** A name that only Linux knows, and that is free again when its process dies, however it dies. */
const LOCK = '\0mem-tests-browser';
const INSTALL_MS = 300_000;
/** The longest that finding a browser may take: its own turn and the one of another process before it. */
export const FIND_MS = 2 * INSTALL_MS + 60_000;

export type BrowserSearch = { program: string } | { missing: string };

/** The browser of this machine. Where no confirmation is needed, it is installed first. */
export async function findBrowser(): Promise<BrowserSearch> {
  const { CHROME_PATH: named } = process.env;
  if (named) {
    if (existsSync(named)) return { program: named };
    throw new Error(`CHROME_PATH is ${named}, and nothing is there`);
  }
  const program = installed();
  if (program) return { program };
  const mayInstall = process.getuid?.() === 0 && existsSync('/etc/debian_version') && existsSync(APT);
  return mayInstall ? oneAtATime(install) : { missing: `there is no browser: ${HOW}` };
}

const installed = (): string | undefined => PLACES[process.platform]?.find((place) => existsSync(place));

async function install(): Promise<BrowserSearch> {
  let why = '';
  // Lists of packages that are old or missing are the usual reason for a first failure.
  for (const before of [undefined, ['update', '-qq']]) {
    const program = installed();
    if (program) return { program };
    try {
      if (before) await apt(before);
      await apt(['install', '-y', '-qq', '--no-install-recommends', 'chromium', 'fonts-dejavu-core']);
    } catch (error) {
      why = (error as Error).message.trim().split('\n').at(-1) ?? '';
    }
  }
  const program = installed();
  return program ? { program } : { missing: `there is no browser, and apt-get brought none (${why}): ${HOW}` };
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
    if (performance.now() > deadline) throw new Error('another test run has been installing a browser for too long');
    await sleep(200);
  }
}

function take(): Promise<Server | undefined> {
  const lock = createServer();
  return new Promise((resolve) => {
    lock.once('error', () => resolve(undefined)).listen(LOCK, () => resolve(lock));
  });
}
