import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { useBrowser } from '../support/browser.ts';
import { builtDashboard } from '../support/dashboard.ts';
import { storyClock, writeTraceStory } from './support/trace-story.ts';

const newPage = useBrowser();

describe.each(backends)('What evaluation shows on %s', (backend) => {
  let app: TestApp;
  let server: TestServer;
  beforeAll(async () => {
    const clock = storyClock();
    app = await openTestApp(backend, { clock });
    server = await listen(app, { dashboard: await builtDashboard(), corsOrigins: [] });
    await writeTraceStory(app);
    clock.catchUp();
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
  const rowsOf = (page: Page, table: string) => page.getByRole('table', { name: table, exact: true }).getByRole('row');

  it('the backfill of a behavior names it, and what it found is no failure', async () => {
    await app.call('behaviors.create', {
      ...{ behavior_id: 'ends-badly', name: 'Ends badly' },
      matcher: [{ check: 'outcome', in: ['success', 'clean_deploy'], not: true }],
    });
    const running = async () =>
      (await app.call('backfills.list', {})).backfills.some(({ status }) => status === 'running');
    while (await running()) await app.jobs.sweep();
    const { page, complaints } = await open('#/backfills');
    const row = rowsOf(page, 'Backfills').nth(1);
    const found = row.getByRole('link', { name: '1 matched' });
    await found.waitFor();
    expect(await found.getAttribute('class')).not.toBe('bad');
    expect(await row.getByText('all active judges').count()).toBe(0);
    await row.getByRole('link', { name: 'Ends badly' }).click();
    await page.getByRole('heading', { name: 'Ends badly', level: 1 }).waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });
});
