import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { useBrowser } from '../support/browser.ts';
import { builtDashboard } from '../support/dashboard.ts';
import { fillReview, XSS } from './support/review-story.ts';
import { expectNoSidewaysScroll, findings, LOOKS, realClock, wear } from './support/window.ts';

const BRANCH = 'experiment/fewer-retries';

const newPage = useBrowser();

describe.each(backends)('Branches on %s', (backend) => {
  let app: TestApp;
  let server: TestServer;
  beforeAll(async () => {
    app = await openTestApp(backend, { clock: realClock() });
    server = await listen(app, { dashboard: await builtDashboard(), corsOrigins: [] });
    await fillReview(app);
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
  const main = (page: Page) => page.getByRole('main');
  const press = async (page: Page, ...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };

  it('branches are listed, created, protected, compared and closed', async () => {
    const { page, complaints } = await open('#/branches');
    const row = page.getByRole('row', { name: new RegExp(BRANCH) });
    await row.getByRole('img', { name: /3 ahead/ }).waitFor();
    await row.getByText('planner').first().waitFor();
    await press(page, 'n');
    await page.getByLabel('Name').fill('experiment/new');
    await press(page, 'Enter');
    await page.getByRole('heading', { name: 'experiment/new' }).waitFor();
    await app.call('entries.write', { entity_path: 'a/b', key: 'fresh', value: XSS, branch: 'experiment/new' });
    await page.getByRole('article', { name: 'a/b/fresh' }).getByText(XSS).waitFor();
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Protect…' }).click();
    await press(page, 'Enter');
    await page.getByText('taken back by a later write').waitFor();
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'End the protection' }).click();
    await page.getByText('Everybody who may write to it').waitFor();
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Close' }).click();
    await main(page).getByText('closed', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await main(page).getByText('active', { exact: true }).waitFor();
    await page.goto(`${server.url}/#/branches?view=compare&from=main&to=${BRANCH}`);
    const deleted = page.getByRole('article', { name: 'checkout/payments/sandbox-cards' });
    await deleted.getByText('deleted').waitFor();
    expect(complaints).toEqual([]);
  });

  it('on a phone a change stands in order, the part that is shown is in view, and an arrow leads back', async () => {
    const { page, complaints } = await newPage();
    await wear(page, { theme: 'light', width: 375 });
    await page.goto(`${server.url}/#/branches/${BRANCH}`);
    const change = page.getByRole('article', { name: 'checkout/payments/retry-policy' });
    const boxOf = async (locator: Locator) => (await locator.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const [choose, name, kind, moved] = await Promise.all([
      boxOf(change.getByRole('checkbox')),
      boxOf(change.getByRole('link').first()),
      boxOf(change.getByText('modified')),
      boxOf(change.getByText('0.62').first()),
    ]);
    expect(name.x - (choose.x + choose.width)).toBeLessThan(20);
    expect(moved.x).toBeGreaterThan(name.x);
    expect(kind.y).toBeGreaterThanOrEqual(moved.y + moved.height);
    await page.getByRole('link', { name: 'Back to Branches' }).click();
    await page.getByRole('heading', { name: 'Branches', level: 1 }).waitFor();
    expect(await page.getByRole('link', { name: /^Back to/ }).count()).toBe(0);
    await page.goto(`${server.url}/#/branches?view=quarantine`);
    const tab = await boxOf(page.getByRole('tab', { name: 'Quarantine' }));
    expect(tab.x + tab.width).toBeLessThan(376);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('memory is rolled back after a look and a typed word, and that is undone', async () => {
    const value = async () =>
      (await app.call('entries.list', { entity_path: 'lab', branch: 'experiment/lab' })).entries[0]?.value;
    await app.call('branches.create', { name: 'experiment/lab' });
    const at = { entity_path: 'lab', key: 'x', branch: 'experiment/lab' };
    await app.call('entries.write', { ...at, value: 'first' });
    await app.call('tags.create', { name: 'lab-1', ref: 'experiment/lab' });
    await app.call('entries.write', { ...at, value: 'second' });
    const { page, complaints } = await open('#/branches?view=tags');
    await page.getByRole('button', { name: 'Actions of lab-1' }).click();
    await page.getByRole('menuitem', { name: 'Roll back to it' }).click();
    await page.getByRole('article', { name: 'lab/x' }).getByText('first').waitFor();
    await page.getByRole('button', { name: 'Roll back…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Roll back' });
    expect(await dialog.getByRole('button', { name: 'Roll back', exact: true }).isDisabled()).toBe(true);
    await page.keyboard.type('experiment/lab');
    await press(page, 'Enter');
    await page.getByText('Rolled back: 1 restored, 0 deleted').waitFor();
    expect(await value()).toBe('first');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Rollback undone').waitFor();
    expect(await value()).toBe('second');
    expect(complaints).toEqual([]);
  });

  it.each(LOOKS)('are accessible, and no wider than the window, $theme at $width px', async (look) => {
    const { page, complaints } = await newPage();
    await wear(page, look);
    const found: string[] = [];
    const seen = async (address: string, text: string) => {
      await page.goto(`${server.url}/${address}`);
      await main(page).getByText(text).first().waitFor();
      found.push(...(await findings(page)).map((finding) => `${address} ${finding}`));
      await expectNoSidewaysScroll(page);
    };
    await seen(`#/branches/${BRANCH}`, 'max_attempts');
    await seen('#/branches?view=tags', 'before-the-drill');
    await seen('#/branches?view=merges', 'fix/settlement into main');
    await seen('#/branches?view=compare&from=tags/before-the-drill&to=main', 'settlement-window');
    await seen('#/branches?view=rollback&branch=experiment/lab&state=lab-1', 'second');
    expect(found).toEqual([]);
    expect(await page.locator('img').count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
