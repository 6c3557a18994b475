import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { FIND_MS, findBrowser } from './browser-program.ts';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // No host name outside this machine resolves, neither for the browser nor for its pages.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/** A page, and what it did that a user would not see. */
export type WatchedPage = {
  page: Page;
  /** Errors of its scripts, what the console calls an error, and what its policy forbade. */
  complaints: string[];
  /** Origins of everything it asked for. */
  asked: Set<string>;
};

/** One browser for a file of tests. Where the machine has none and gets none, they are skipped and say why. */
export function useBrowser(): () => Promise<WatchedPage> {
  let browser: Browser | undefined;
  let missing = '';
  beforeAll(async () => {
    const found = await findBrowser();
    if ('program' in found)
      browser = await chromium.launch({ executablePath: found.program, headless: true, args: FLAGS });
    else {
      ({ missing } = found);
      console.warn(`tests in a browser are skipped: ${missing}`);
    }
  }, FIND_MS);
  afterAll(() => browser?.close());
  beforeEach(({ skip }) => skip(browser === undefined, missing));
  // Pages have nothing in common, and go with their browser.
  return async () => watch(await (browser as Browser).newPage());
}

/** Longer than a page takes on a machine that is busy with other tests, shorter than a test may take. */
const WAIT_MS = 90_000;

async function watch(page: Page): Promise<WatchedPage> {
  page.setDefaultTimeout(WAIT_MS);
  const complaints: string[] = [];
  const asked = new Set<string>();
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol !== 'data:' && protocol !== 'blob:') asked.add(origin);
  });
  await page.exposeFunction('tellForbidden', (what: string) => complaints.push(`forbidden: ${what}`));
  await page.addInitScript(`
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) => {
      tellForbidden([violatedDirective, blockedURI, sourceFile].join(' '));
    });
  `);
  return { page, complaints, asked };
}
