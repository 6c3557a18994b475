import { residentMemory } from '../processes.mjs';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-features=SpareRendererForSitePerProcess',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];
const SIZE = { width: 1440, height: 900 };
export const WAIT_MS = 60_000;

/** The browser of this machine, found as the tests find it. */
export async function openBrowser({ browserProgram }) {
  const { findBrowser } = await import(browserProgram);
  const found = await findBrowser();
  if (!('program' in found)) throw new Error(found.missing);
  const { chromium } = await import('playwright-core');
  return chromium.launch({ executablePath: found.program, headless: true, args: FLAGS });
}

/** A window with a cache of its own, signed in as the dashboard keeps it: for the tab. Errors of the page are thrown by `close`. */
export async function openPage(browser, { url, key }) {
  const context = await browser.newContext({ viewport: SIZE });
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS);
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.addInitScript(`sessionStorage.setItem('mem.key', ${JSON.stringify(key)})`);
  const devtools = await context.newCDPSession(page);
  await devtools.send('Performance.enable');
  return {
    page,
    devtools,
    goto: (address) => page.goto(`${url}/${address}`),
    async close() {
      await context.close();
      if (errors.length > 0) throw new Error(`the page failed: ${errors[0]}`);
    },
  };
}

const MB = 1024 * 1024;

/** Seconds of work of the main thread, by the clock and of the processor, and bytes of script objects. */
export async function metricsOf(devtools) {
  const { metrics } = await devtools.send('Performance.getMetrics');
  const of = (name) => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
  return { at: of('Timestamp'), busy: of('TaskDuration'), cpu: of('ThreadTime'), heapMb: of('JSHeapUsedSize') / MB };
}

/** What the tab's process has to itself, which is what the browser's own task manager shows, and the objects of its scripts. */
export async function memoryOf(browser, devtools) {
  await devtools.send('HeapProfiler.collectGarbage');
  const { heapMb } = await metricsOf(devtools);
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const renderers = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => residentMemory(id).own);
  return { heapMb, ownMb: Math.max(...renderers) };
}
