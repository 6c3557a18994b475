import type { Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { type Backend, listen, openTestApp, type TestApp, type TestServer } from '../../support/app.ts';
import { useBrowser } from '../../support/browser.ts';
import { builtDashboard } from '../../support/dashboard.ts';
import { realClock } from './window.ts';

/** A server with the dashboard, and a browser, for a file of tests. */
export function useMemory(backend: Backend, fill: (app: TestApp) => Promise<void> = async () => {}) {
  const newPage = useBrowser();
  let app: TestApp;
  let server: TestServer;
  beforeAll(async () => {
    app = await openTestApp(backend, { clock: realClock() });
    server = await listen(app, { dashboard: await builtDashboard(), corsOrigins: [] });
    await fill(app);
  });
  afterAll(async () => {
    await server.close();
    await app.close();
  });
  const open = async (address: string) => {
    const watched = await newPage();
    await watched.page.goto(`${server.url}/${address}`);
    return watched;
  };
  return { app: () => app, server: () => server, newPage, open };
}

export const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
export const entry = (page: Page) => page.getByRole('article', { name: 'Entry' });
export const rows = (page: Page) => page.getByRole('grid', { name: 'Entries' }).getByRole('row');
