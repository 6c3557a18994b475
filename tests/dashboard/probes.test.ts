import { operations } from '@mem-service/contract';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { PROBE_MODULES } from '../../packages/dashboard/src/data/probe-modules.ts';
import { listen, openTestApp } from '../support/app.ts';
import { useBrowser } from '../support/browser.ts';
import { builtDashboard } from '../support/dashboard.ts';
import { get, openHosted } from '../support/hosted.ts';
import { realClock } from './support/window.ts';

const { 'me.read': _, ...metered } = PROBE_MODULES;
const PATHS = new Set((Object.keys(metered) as (keyof typeof metered)[]).map((name) => operations[name].http.path));

const newPage = useBrowser();

/** A page that asks nothing which could be a probe, and what it asks. */
async function openQuietly(url: string, key?: string) {
  const { page } = await newPage();
  const asked: { path: string; status: number }[] = [];
  page.on('response', (answer) => asked.push({ path: new URL(answer.url()).pathname, status: answer.status() }));
  if (key !== undefined) await page.addInitScript(`sessionStorage['mem.key'] ??= ${JSON.stringify(key)}`);
  await page.goto(`${url}/#/admin/retention`);
  return { page, probes: () => asked.filter(({ path }) => PATHS.has(path)), asked };
}

const shown = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main', exact: true }).getByRole('link', { name, exact: true });

/** Everything that the page found out on its own is known when its navigation has stopped growing. */
const waitUntilIdle = (page: Page) =>
  page.evaluate('new Promise((done) => requestIdleCallback(() => setTimeout(() => requestIdleCallback(done), 500)))');

describe('What is installed', () => {
  const http = async () => ({ dashboard: await builtDashboard(), corsOrigins: [] });

  it('is found out without a call that is metered or counted, with a key for the whole account', async () => {
    const hosted = await openHosted('sqlite', { app: { clock: realClock() }, http: await http() });
    const { key } = await hosted.newAccount();
    const { page, probes } = await openQuietly(hosted.server.url, key);
    for (const name of ['Traces', 'Judges', 'Pull requests', 'Connectors', 'Teams']) await shown(page, name).waitFor();
    await waitUntilIdle(page);
    expect(probes()).toEqual([]);
    const { json } = await hosted.as(key, get('/api/v1/admin/usage'));
    expect(json).toMatchObject({ errors: 0, top_paths: [] });
    await page.close();
    await hosted.close();
  });

  it('is asked for where a key may see a part only, as far as it is installed', async () => {
    const hosted = await openHosted('sqlite', {
      app: { clock: realClock(), modules: [] },
      http: await http(),
    });
    const { key: admin } = await hosted.newAccount();
    const { key } = await hosted.newKey(admin, { scopes: [{ pattern: 'team/**', permission: 'READ' }] });
    const { page, probes } = await openQuietly(hosted.server.url, key);
    await shown(page, 'Traces').waitFor();
    await waitUntilIdle(page);
    expect(await shown(page, 'Usage').count()).toBe(0);
    expect(await shown(page, 'Branches').count()).toBe(0);
    expect(probes().map(({ path }) => path)).toContain('/api/v1/traces');
    expect(probes().filter(({ status }) => status === 404 || status === 501)).toEqual([]);
    await page.close();
    await hosted.close();
  });

  it('is found out by asking where the service does not say', async () => {
    const app = await openTestApp('sqlite', { clock: realClock(), modules: [] });
    const server = await listen(app, await http());
    const { page } = await newPage();
    await page.route(`${server.url}/`, async (route) => {
      if (route.request().headers().accept === 'application/json') await route.fulfill({ status: 200, body: '<html>' });
      else await route.continue();
    });
    await page.goto(`${server.url}/#/admin/retention`);
    await shown(page, 'Traces').waitFor();
    await waitUntilIdle(page);
    expect(await shown(page, 'Branches').count()).toBe(0);
    await page.close();
    await server.close();
    await app.close();
  });
});
