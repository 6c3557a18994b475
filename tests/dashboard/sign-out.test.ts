import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBrowser } from '../support/browser.ts';
import { builtDashboard } from '../support/dashboard.ts';
import { type Hosted, type NewAccount, openHosted, remove, write } from '../support/hosted.ts';
import { realClock } from './support/window.ts';

const ENTRY = '#/memory/plans/secret?key=launch';

describe('one tab and two accounts', () => {
  const newPage = useBrowser();
  let hosted: Hosted;
  let alice: NewAccount;
  let bob: NewAccount;
  beforeAll(async () => {
    const http = { dashboard: await builtDashboard(), corsOrigins: [] };
    hosted = await openHosted('sqlite', { app: { clock: realClock() }, http });
    [alice, bob] = [await hosted.newAccount(), await hosted.newAccount()];
    await hosted.as(alice.key, write('plans/secret', 'launch', 'value of alice'));
    await hosted.as(bob.key, write('plans/secret', 'launch', 'value of bob'));
  });
  afterAll(() => hosted.close());

  const signIn = async (page: Page, key: string) => {
    await page.getByRole('dialog', { name: 'Sign in' }).waitFor();
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
  };
  const entry = (page: Page) => page.getByRole('article', { name: 'Entry' });
  const stored = (page: Page) => page.evaluate<string>('JSON.stringify([sessionStorage, localStorage])');

  it('signing out leaves nothing on the screen or in the tab', async () => {
    const { page } = await newPage();
    await page.goto(`${hosted.server.url}/${ENTRY}&do=edit`);
    await signIn(page, alice.key);
    await page.getByRole('textbox', { name: 'Value' }).fill('typed by alice');
    await expect.poll(() => stored(page)).toContain('typed by alice');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('dialog', { name: 'Sign in' }).waitFor();
    expect(await page.content()).not.toContain('launch');
    expect(await stored(page)).not.toMatch(/alice|mem_sk/);
    expect(new URL(page.url()).hash).not.toContain('secret');
    await signIn(page, bob.key);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.goto(`${hosted.server.url}/${ENTRY}`);
    await entry(page).getByText('value of bob').waitFor();
    expect(await page.content()).not.toContain('alice');
  });

  it('a key in place of one that was revoked shows nothing of that one, not even what was typed', async () => {
    const { page } = await newPage();
    const { key_id, key } = await hosted.newKey(alice.key);
    await page.goto(`${hosted.server.url}/${ENTRY}&do=edit`);
    await signIn(page, key);
    await page.getByRole('textbox', { name: 'Value' }).fill('typed by alice');
    await expect.poll(() => stored(page)).toContain('typed by alice');
    await hosted.as(alice.key, remove(`/api/v1/admin/api-keys/${key_id}`));
    await page.keyboard.press('Escape');
    await page.goto(`${hosted.server.url}/#/timeline`);
    await signIn(page, bob.key);
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await page.goto(`${hosted.server.url}/${ENTRY}&do=edit`);
    await expect.poll(() => page.getByRole('textbox', { name: 'Value' }).inputValue()).toBe('value of bob');
    expect(await page.content()).not.toContain('alice');
  });
});
