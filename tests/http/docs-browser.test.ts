import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { useBrowser, type WatchedPage } from '../support/browser.ts';
import { WHOLE_PAGE } from '../support/docs-page.ts';
import { send } from '../support/wire.ts';

const KEY = 'a-key-of-the-test';

describe('the documentation page in a browser', () => {
  const newPage = useBrowser();
  let app: TestApp;
  let server: TestServer;
  beforeAll(async () => {
    app = await openTestApp('sqlite');
    server = await listen(app, { apiKeys: [KEY] });
    await app.call('entries.write', { entity_path: 'shop/checkout', key: 'retry policy', value: 'three times' });
  });
  afterAll(async () => {
    await server.close();
    await app.close();
  });

  // It takes a browser seconds to draw: once is enough.
  let opened: Promise<WatchedPage> | undefined;
  const open = (): Promise<WatchedPage> => {
    opened ??= newPage().then(async (watched) => {
      await watched.page.setViewportSize(WHOLE_PAGE);
      await watched.page.goto(`${server.url}/docs`);
      await watched.page.locator('.opblock').first().waitFor();
      return watched;
    });
    return opened;
  };

  const operation = (page: Page, method: string, path: string) =>
    page.locator(`.opblock-${method}`).filter({ has: page.locator(`[data-path="${path}"]`) });

  async function giveKey(page: Page): Promise<void> {
    await page.locator('.auth-wrapper .authorize').first().click();
    const dialog = page.locator('.modal-ux');
    await dialog.locator('input').first().fill(KEY);
    await dialog.getByRole('button', { name: 'Apply credentials' }).first().click();
    await dialog.locator('.btn-done').first().click();
  }

  /** Fills in the parameters, sends, and gives what is shown. */
  async function tryOut(page: Page, [method, path]: [string, string], given: Record<string, string>) {
    const block = operation(page, method, path);
    await block.locator('.opblock-summary-control').click();
    for (const [name, text] of Object.entries(given))
      await block.locator(`tr[data-param-name="${name}"] input`).fill(text);
    await block.locator('.execute').click();
    const answer = block.locator('.live-responses-table');
    await answer.waitFor();
    return {
      status: (await answer.locator('tbody .response-col_status').first().innerText()).trim(),
      body: await answer.locator('.highlight-code').first().innerText(),
    };
  }

  it('draws every operation, asks no other host and complains of nothing', async () => {
    const { page, complaints, asked } = await open();
    const { json } = await send(server.url, { method: 'GET', path: '/docs/openapi.json' });
    const described = Object.values(json.paths as Record<string, object>).flatMap((methods) => Object.keys(methods));
    await expect.poll(() => page.locator('.opblock').count()).toBe(described.length);
    expect(await page.title()).toBe('mem API');
    expect(await page.locator('.errors-wrapper').count()).toBe(0);
    expect(complaints).toEqual([]);
    expect(asked).toEqual(new Set([server.url]));
  });

  it('sends what is tried out, with the key that was given', async () => {
    const { page, complaints, asked } = await open();
    await giveKey(page);
    const { status, body } = await tryOut(page, ['get', '/api/v1/entries/{entity_path}/{key}'], {
      entity_path: 'shop/checkout',
      key: 'retry policy',
    });
    expect({ status, body }).toEqual({ status: '200', body: expect.stringContaining('three times') });
    expect(complaints).toEqual([]);
    expect(asked).toEqual(new Set([server.url]));
  });

  it('keeps no key for longer than the tab, and uses the one that the tab has of the dashboard', async () => {
    const { page } = await newPage();
    await page.goto(`${server.url}/docs`);
    await page.locator('.opblock').first().waitFor();
    await giveKey(page);
    await page.locator('.authorize.locked').first().waitFor();
    expect(await page.evaluate('JSON.stringify([localStorage, document.cookie])')).not.toContain(KEY);
    await page.reload();
    await page.locator('.authorize.unlocked').first().waitFor();
    await page.evaluate(`sessionStorage.setItem('mem.key', '${KEY}')`);
    await page.reload();
    await page.locator('.authorize.locked').first().waitFor();
  });
});
