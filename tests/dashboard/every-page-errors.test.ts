import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { askingPages, everyPage, useEveryPage, waitForPage } from './support/every-page.ts';

const CALLS = '**/api/v1/**';
const DETAIL = 'it broke for the test';
const problem = (status: number, code: string) => ({
  status,
  json: { type: `urn:mem:error:${code}`, title: code, status, code, detail: DETAIL },
});

describe('Every page', () => {
  const { open, visit } = useEveryPage();
  const alerts = (page: Page) => page.getByRole('main').getByRole('alert');
  const again = (page: Page) => page.getByRole('main').getByRole('button', { name: 'Try again' });
  /** How far the words of errors are from the left edge of the page, or of their pane, at least. */
  const fromTheEdge = (page: Page) =>
    page.evaluate<number>(`
      Math.min(...[...document.querySelectorAll('main [role="alert"]')].filter((alert) => alert.innerText.includes('${DETAIL}')).map((alert) => {
        let pane = alert.parentElement;
        while (pane.tagName !== 'MAIN' && getComputedStyle(pane).borderLeftWidth === '0px') pane = pane.parentElement;
        return alert.firstElementChild.getBoundingClientRect().left - pane.getBoundingClientRect().left;
      }))
    `);
  const loading = (page: Page) => page.locator('main [aria-label="Loading"]');

  it.each(askingPages)('$id shows progress, then that it failed, and loads when asked to try again', async (listed) => {
    const opened = await open('#/nowhere');
    const { page } = opened;
    let answer = () => {};
    const late = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(CALLS, (route) => late.then(() => route.fulfill(problem(500, 'internal'))));
    await visit(page, listed.address);
    await page.locator('main').locator('[aria-label="Loading"] > *, progress').first().waitFor();
    answer();
    await alerts(page).filter({ hasText: DETAIL }).first().waitFor();
    await expect.poll(() => loading(page).count()).toBe(0);
    // What could not be asked is not said to be empty.
    expect(await page.getByRole('main').innerText()).not.toMatch(/^(Nothing|No \w+( yet)?$|No \w+ matches)/m);
    expect(await page.getByRole('heading', { name: 'This page could not be shown' }).count()).toBe(0);
    await page.unroute(CALLS);
    // One part of the page after the other.
    await expect
      .poll(
        async () => {
          if ((await again(page).count()) > 0) await again(page).first().click();
          return alerts(page).count();
        },
        { timeout: 10_000 },
      )
      .toBe(0);
    await waitForPage(opened, listed);
    await page.close();
  });

  it('says that the server is busy wherever one goes meanwhile, and is whole when it is not', async () => {
    const opened = await open('#/nowhere');
    const { page } = opened;
    await page.route(CALLS, (route) => route.fulfill(problem(503, 'unavailable')));
    for (const { address } of askingPages) {
      await visit(page, address);
      await alerts(page).filter({ hasText: DETAIL }).first().waitFor();
      expect([address, await fromTheEdge(page)]).toEqual([address, expect.toSatisfy((px: number) => px >= 12)]);
    }
    await page.unroute(CALLS);
    for (const listed of everyPage) {
      await visit(page, listed.address);
      await waitForPage(opened, listed);
      expect([listed.id, await alerts(page).count()]).toEqual([listed.id, 0]);
    }
  });
});
