import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { INSTALL_MS, installPackages, mayInstall } from './debian-packages.ts';

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
  return mayInstall() ? install() : { missing: `there is no browser: ${HOW}` };
}

const installed = (): string | undefined => PLACES[process.platform]?.find((place) => existsSync(place));

async function install(): Promise<BrowserSearch> {
  const why = await installPackages(['chromium', 'fonts-dejavu-core'], () => installed() !== undefined);
  const program = installed();
  return program ? { program } : { missing: `there is no browser, and apt-get brought none (${why}): ${HOW}` };
}
