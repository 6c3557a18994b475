import { describe, expect, it } from 'vitest';
import { everyPage, useEveryPage, waitForPage } from './support/every-page.ts';
import { expectNoSidewaysScroll, findings, LOOKS, wear } from './support/window.ts';

describe('Every page', { timeout: 120_000 }, () => {
  const { account, newWindow, visit } = useEveryPage();

  it.each(LOOKS)('is accessible, and no wider than the window, $theme at $width px', async (look) => {
    const opened = await newWindow(account().key);
    const { page, complaints } = opened;
    await wear(page, look);
    for (const listed of everyPage) {
      await visit(page, listed.address);
      await waitForPage(opened, listed);
      expect([listed.id, await findings(page)]).toEqual([listed.id, []]);
      await expectNoSidewaysScroll(page);
      expect(await page.getByRole('main').getByRole('heading', { level: 1 }).count(), listed.id).toBe(1);
    }
    expect(complaints).toEqual([]);
    await page.close();
  });
});
