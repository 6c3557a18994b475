import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { useEveryPage } from './support/every-page.ts';

/** What the row says that the keys are at, of a table or of a list that names its active row. */
const rowWithFocus = (page: Page) =>
  page.evaluate<string>(`(() => {
    const at = document.activeElement;
    const row = document.getElementById(at?.getAttribute('aria-activedescendant') ?? '') ?? at?.closest('[data-row]');
    return row?.querySelector('a, .strong')?.textContent ?? row?.textContent ?? '';
  })()`);

describe('Esc from one thing', () => {
  const { open } = useEveryPage();

  it.each(['#/agents', '#/judges?status=all', '#/pulls?state=all', '#/traces', '#/branches?status=all'])(
    'leads back to its row in the list as it was left, and the keys go on there: %s',
    async (address) => {
      const { page } = await open(address);
      await page.getByRole('main').getByRole('row').nth(2).waitFor();
      const seen: string[] = [];
      for (let i = 0; i < 2; i++) {
        await page.keyboard.press('j');
        seen.push(await rowWithFocus(page));
      }
      const [first, second] = seen;
      expect(first).not.toBe(second);
      await page.keyboard.press('Enter');
      await expect.poll(() => new URL(page.url()).hash).not.toBe(address);
      await page.getByRole('navigation').getByRole('link').first().waitFor();
      await expect
        .poll(async () => {
          await page.keyboard.press('Escape');
          return new URL(page.url()).hash;
        })
        .toBe(address);
      await expect.poll(() => rowWithFocus(page)).toBe(second);
      await page.keyboard.press('k');
      expect(await rowWithFocus(page)).toBe(first);
    },
  );
});
