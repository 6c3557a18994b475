import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { useBrowser } from '../support/browser.ts';
import { builtDashboard } from '../support/dashboard.ts';
import { fillReview, type ReviewStory, XSS } from './support/review-story.ts';
import { expectNoSidewaysScroll, findings, LOOKS, realClock, wear } from './support/window.ts';

const newPage = useBrowser();

describe.each(backends)('Pull requests on %s', (backend) => {
  let app: TestApp;
  let server: TestServer;
  let story: ReviewStory;
  beforeAll(async () => {
    app = await openTestApp(backend, { clock: realClock() });
    server = await listen(app, { dashboard: await builtDashboard(), corsOrigins: [] });
    story = await fillReview(app);
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

  it('a pull request with conflicts is resolved one by one, approved and merged', async () => {
    const { page, complaints } = await open(`#/pulls/${story.conflicting}`);
    await page.getByText('Something stands in the way of the merge:').waitFor();
    expect(await main(page).getByRole('button', { name: 'Merge', exact: true }).isDisabled()).toBe(true);
    await page.getByRole('link', { name: 'Resolve conflicts' }).click();
    const conflicts = page.getByRole('navigation', { name: 'Conflicts of the merge' });
    await conflicts.getByText('2 of 2 open').waitFor();
    await conflicts.getByRole('button', { name: /gateway-timeout/ }).click();
    await page.getByRole('region', { name: 'Base' }).getByText('3 s are not enough').waitFor();
    await page.getByRole('region', { name: 'Source: fix/settlement' }).getByText(XSS).waitFor();
    await page.getByRole('button', { name: 'Take target' }).click();
    await conflicts.getByText('1 of 2 open').waitFor();
    await page.getByRole('region', { name: 'Target: main' }).getByText('36', { exact: true }).waitFor();
    await page.getByLabel('Own value').fill('{ "hours": 40 ');
    await page.getByRole('button', { name: 'Take this value' }).click();
    await page.getByText('This is not JSON.').waitFor();
    await page.getByLabel('Own value').fill('{ "hours": 40, "timezone": "UTC" }');
    await page.getByRole('button', { name: 'Take this value' }).click();
    await conflicts.getByText('All conflicts are resolved.').waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByLabel('What you have to say').fill('Forty hours it is.');
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).last().click();
    await page.getByText('Nothing stands in the way of the merge.').waitFor();
    await main(page).getByRole('button', { name: 'Merge', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Merge pull request' });
    await dialog.getByText('0 entries added, 1 modified').waitFor();
    expect(await dialog.getByRole('option').allTextContents()).toContain('Three-way');
    await dialog.getByRole('button', { name: 'Merge', exact: true }).click();
    await page.getByText('Merged: Three-way.').waitFor();
    const { entries } = await app.call('entries.list', { entity_path: 'checkout/payments' });
    expect(entries.find(({ key }) => key === 'settlement-window')?.value).toEqual({ hours: 40, timezone: 'UTC' });
    expect(complaints).toEqual([]);
  });

  if (backend !== 'sqlite') return;

  it('a pull request is reviewed with the keyboard alone', async () => {
    const { page, complaints } = await open('#/pulls');
    await page.getByRole('row', { name: /Fewer retries/ }).waitFor();
    await page.getByRole('row', { name: /Fewer retries/ }).focus();
    await press(page, 'Enter');
    const policy = page.getByRole('article', { name: 'checkout/payments/retry-policy' });
    await policy.getByText('Why not keep 200 ms').waitFor();
    await policy.getByRole('row', { name: /max_attempts.*5.*3/ }).waitFor();
    await press(page, ']');
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toMatch(/^Changes of checkout/);
    await press(page, 'r');
    await page.getByRole('dialog', { name: 'Review' }).waitFor();
    await page.keyboard.type('Looks right.');
    await press(page, 'Control+Enter');
    await page.getByText('Commented', { exact: true }).waitFor();
    await page.goto(`${server.url}/#/pulls/${story.pull}?part=reviews`);
    await page.getByText('Looks right.').waitFor();
    await page.goto(`${server.url}/#/pulls/${story.pull}?part=checks`);
    await page.getByRole('heading', { name: 'memory_ci' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('a pull request is closed, and open again by Undo', async () => {
    const { page } = await open(`#/pulls/${story.pull}`);
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Close' }).click();
    await page.getByText('Closed without a merge.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Request changes' }).waitFor();
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
    await seen(`#/pulls/${story.pull}`, 'max_attempts');
    await seen(`#/pulls/${story.pull}?part=checks`, 'memory_ci');
    await seen(`#/pulls/${story.pull}?part=reviews`, 'Why not keep');
    expect(found).toEqual([]);
    expect(await page.locator('img').count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
