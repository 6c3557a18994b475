import { describe, expect, it } from 'vitest';
import { everyPage, quiet, thingsOfTheirOwn, useEveryPage, waitForPage } from './support/every-page.ts';
import { expectNoSidewaysScroll, findings, LOOKS, wear } from './support/window.ts';

describe('Every page', () => {
  const { account, newWindow, story, visit } = useEveryPage();

  it.each(LOOKS)('is accessible, and no wider than the window, $theme at $width px', async (look) => {
    const opened = await newWindow(account().key);
    const { page, complaints } = opened;
    await wear(page, look);
    for (const listed of everyPage) {
      await visit(page, listed.address);
      await waitForPage(opened, listed);
      expect([listed.id, await findings(page)]).toEqual([listed.id, []]);
      await expectNoSidewaysScroll(page, listed.id);
      expect(await page.getByRole('main').getByRole('heading', { level: 1 }).count(), listed.id).toBe(1);
    }
    for (const address of thingsOfTheirOwn(story())) {
      await visit(page, address);
      await quiet(opened);
      await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
      expect([address, await findings(page)]).toEqual([address, []]);
      await expectNoSidewaysScroll(page, address);
    }
    expect(complaints).toEqual([]);
    await page.close();
  });
});
