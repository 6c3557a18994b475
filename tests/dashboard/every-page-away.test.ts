import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { remove } from '../support/hosted.ts';
import { askingPages, everyPage, titleOf, useEveryPage, waitForPage } from './support/every-page.ts';

describe('Every page', () => {
  const { account, hosted, open, visit } = useEveryPage();
  const banner = (page: Page) => page.getByRole('status').filter({ hasText: 'The server cannot be reached' });
  const alerts = (page: Page) => page.getByRole('main').getByRole('alert');

  it('keeps what it shows while the network is gone, says so, and goes on when it is back', async () => {
    const opened = await open('#/nowhere');
    const { page } = opened;
    for (const listed of everyPage) {
      await visit(page, listed.address);
      await waitForPage(opened, listed);
      const rows = await page.getByRole('main').getByRole('row').count();
      await page.context().setOffline(true);
      await banner(page).waitFor();
      // An event of the background may have come in the last moment of the network.
      const kept = await page.getByRole('main').getByRole('row').count();
      expect(kept, listed.id).toBeGreaterThanOrEqual(rows);
      expect([listed.id, await alerts(page).allInnerTexts()]).toEqual([listed.id, []]);
      await page.context().setOffline(false);
      await banner(page).waitFor({ state: 'detached' });
    }
  });

  it('that is opened without a network says so, and appears when it is back', async () => {
    const opened = await open('#/nowhere');
    const { page } = opened;
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    for (const listed of everyPage) {
      await page.context().setOffline(true);
      await visit(page, listed.address);
      await banner(page).waitFor();
      // A page whose script could not be loaded is loaded as a whole once the network is back.
      const isMissing = () => page.getByRole('button', { name: 'Load again' }).isVisible();
      const isThere = async () => (await page.title()) === titleOf(listed);
      await expect.poll(async () => (await isMissing()) || (await isThere())).toBe(true);
      const whole = (await isMissing()) ? page.waitForEvent('load') : undefined;
      await page.context().setOffline(false);
      await whole;
      await banner(page).waitFor({ state: 'detached' });
      await waitForPage(opened, listed);
      expect([listed.id, await alerts(page).allInnerTexts()]).toEqual([listed.id, []]);
    }
  });

  it('asks for another key when that of the tab is revoked, and is there once it has one', async () => {
    const newKey = () => hosted().newKey(account().key, { key_type: 'admin' });
    let held = await newKey();
    const opened = await open('#/nowhere', held.key);
    const { page } = opened;
    await page.getByRole('link', { name: 'Keys' }).waitFor();
    for (const listed of askingPages) {
      const next = await newKey();
      const { status } = await hosted().as(account().key, remove(`/api/v1/admin/api-keys/${held.key_id}`));
      expect(status).toBeLessThan(300);
      await visit(page, listed.address);
      const dialog = page.getByRole('dialog', { name: 'Sign in' });
      await dialog.getByText('does not accept this key').waitFor();
      await page.getByLabel('API key').fill(next.key);
      await page.keyboard.press('Enter');
      await dialog.waitFor({ state: 'detached' });
      await waitForPage(opened, listed);
      expect([listed.id, await alerts(page).allInnerTexts()]).toEqual([listed.id, []]);
      expect(page.url()).toContain(listed.address);
      held = next;
    }
  });
});
