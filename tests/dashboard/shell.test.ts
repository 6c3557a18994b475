import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { useBrowser } from '../support/browser.ts';
import { builtDashboard } from '../support/dashboard.ts';
import { findings, LOOKS, realClock, wear } from './support/window.ts';

const KEY = 'a-long-random-secret';

describe('the dashboard', () => {
  const newPage = useBrowser();
  let app: TestApp;
  let server: TestServer;
  let folder: string;
  beforeAll(async () => {
    folder = await builtDashboard();
    app = await openTestApp('sqlite', { clock: realClock() });
    server = await listen(app, { dashboard: folder, corsOrigins: [] });
    const value = { max_attempts: 3 };
    await app.call(
      'entries.write',
      { entity_path: 'checkout/payments', key: 'retry-policy', value },
      { agent_id: 'deploy-bot' },
    );
  });
  afterAll(async () => {
    await server.close();
    await app.close();
  });

  it('shows which page it is in the navigation, also in a low window', async () => {
    const { page } = await newPage();
    await page.setViewportSize({ width: 1280, height: 500 });
    await page.goto(`${server.url}/#/admin/health`);
    const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Health' });
    await link.waitFor();
    await expect.poll(async () => (await link.boundingBox())?.y).toBeLessThan(500 - 28);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Skip to the page');
  });

  it('begins with the pages that it had before in the tab', async () => {
    const { page } = await newPage();
    await page.goto(server.url);
    const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Judges' });
    await link.waitFor();
    await expect.poll(() => page.evaluate(`sessionStorage.getItem('mem.pages')`)).toContain('judges.list');
    await page.route('**/api/v1/**', async () => {});
    await page.reload();
    await link.waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('is used with the keyboard alone: palette, keys, theme, skip link', async () => {
    const { page, complaints } = await newPage();
    await page.goto(server.url);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Skip to the page');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement?.id')).toBe('main');
    const theme = () => page.evaluate('document.documentElement.dataset.theme');
    const before = await theme();
    await page.keyboard.press('t');
    expect(await theme()).not.toBe(before);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Search or jump to' });
    await palette.getByRole('combobox').waitFor();
    await page.keyboard.type('retry');
    await palette.getByRole('option').filter({ hasText: 'retry-policy' }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).hash).toBe('#/memory/checkout/payments?key=retry-policy');
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await expect.poll(() => new URL(page.url()).hash).toBe('#/overview');
    expect(complaints).toEqual([]);
  });

  it('takes what is typed right after Ctrl+K into the field, however slow the network is', async () => {
    const { page } = await newPage();
    await page.goto(`${server.url}/#/traces`);
    await page.getByRole('heading', { name: 'Traces', level: 1 }).waitFor();
    await page.route('**/*.js', async () => {});
    const theme = () => page.evaluate('document.documentElement.dataset.theme');
    const before = await theme();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('tax g o');
    expect(await theme()).toBe(before);
    expect(new URL(page.url()).hash).toBe('#/traces');
    expect(await page.getByRole('combobox', { name: 'Search or jump to' }).inputValue()).toBe('tax g o');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('reaches rows with j and k, a filter with / and the list with Esc, from anywhere on a page', async () => {
    const outcome_ref = 'deploy-7';
    const report = { outcome_ref, outcome_type: 'success', task_input: 'Roll out' } as const;
    await app.call('outcomes.commit', report, { agent_id: 'deploy-bot', session_id: 's-7' });
    const { page } = await newPage();
    const hash = () => new URL(page.url()).hash;
    await page.goto(`${server.url}/#/traces`);
    await page.getByRole('row').filter({ hasText: outcome_ref }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Roll out' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await expect.poll(hash).toBe('#/traces');
    await page.goto(`${server.url}/#/agents`);
    await page.getByRole('link', { name: 'deploy-bot' }).waitFor();
    await page.keyboard.press('k');
    await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toMatch(/^deploy-bot/);
    await page.goto(`${server.url}/#/memory`);
    await page.getByRole('button', { name: 'Filter' }).waitFor();
    await page.keyboard.press('/');
    await page.getByRole('menuitem').first().waitFor();
  });

  it('leaves keys to a field that is typed into, and all of them when they are turned off', async () => {
    const { page } = await newPage();
    await page.goto(server.url);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.type('t?');
    expect(await page.getByRole('combobox').inputValue()).toBe('t?');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('checkbox', { name: /Single keys/ }).uncheck();
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('copies what it asked as a curl command that works', async () => {
    const { page } = await newPage();
    await page.goto(server.url);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy as' }).click();
    await page.getByRole('menuitem', { name: 'curl' }).click();
    await page.getByText('Copied').waitFor();
    const command = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(command).toMatch(/^curl \\\n {2}'http:\/\/[^']+\/api\/v1\/series\?/);
    const url = /'([^']+)'/.exec(command)?.[1] as string;
    expect(await (await fetch(url)).json()).toMatchObject({ unit: 'minute' });
  });

  it('copies an MCP call that works, of a tool that is not there unasked too, and with every filter', async () => {
    for (const [address, found] of [
      ['#/branches', 'branches'],
      ['#/memory?min=0.5&sort=path', 'retry-policy'],
      ['#/incidents', 'incidents'],
      ['#/alerts', 'alerts'],
    ] as const) {
      const { page } = await newPage();
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.goto(`${server.url}/${address}`);
      await page.getByRole('button', { name: 'Copy as' }).first().click();
      await page.getByRole('menuitem', { name: 'MCP call' }).click();
      await page.getByText('Copied').waitFor();
      const command = await page.evaluate<string>('navigator.clipboard.readText()');
      const { stdout } = await promisify(execFile)('sh', ['-c', command.replace('curl ', 'curl -sf ')]);
      expect(stdout).toContain(found);
      expect(stdout).not.toMatch(/isError|"error"/);
    }
  });

  it('offers no MCP call where no tool does what the page shows', async () => {
    const { page } = await newPage();
    await page.goto(`${server.url}/#/patterns`);
    await page.getByRole('button', { name: 'Copy as' }).first().click();
    const item = page.getByRole('menuitem', { name: 'MCP call' });
    await item.getByText('no tool').waitFor();
    expect(await item.isDisabled()).toBe(true);
  });

  it('copies from an empty search, too', async () => {
    const { page } = await newPage();
    await page.goto(`${server.url}/#/search`);
    await page.getByRole('searchbox').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('c');
    await page.getByRole('menuitem', { name: 'MCP call' }).waitFor();
  });

  it('closes a menu with Esc, and not what is behind it', async () => {
    const { page } = await newPage();
    await page.goto(`${server.url}/#/memory/checkout/payments?key=retry-policy`);
    await page.getByRole('article', { name: 'Entry' }).getByRole('button', { name: 'Copy as' }).click();
    await page.getByRole('menuitem', { name: 'curl' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('menuitem', { name: 'curl' }).waitFor({ state: 'hidden' });
    expect(page.url()).toContain('key=retry-policy');
  });

  it('shows all pages of a phone by group, until the address changes', async () => {
    const { page } = await newPage();
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${server.url}/#/memory`);
    const more = page.getByRole('navigation').getByRole('button', { name: 'More' });
    const sheet = page.getByRole('dialog', { name: 'More' });
    await more.click();
    await expect
      .poll(() => sheet.getByRole('heading').allTextContents())
      .toEqual(expect.arrayContaining(['Review', 'Evaluation', 'Admin']));
    await page.evaluate('location.hash = "#/traces"');
    await sheet.waitFor({ state: 'hidden' });
    await more.click();
    await sheet.getByRole('link', { name: 'Traces', exact: true }).click();
    await sheet.waitFor({ state: 'hidden' });
  });

  it('leads back to the list from what is not there', async () => {
    const { page } = await newPage();
    await page.goto(`${server.url}/#/traces/01K9ZZZZZZZZZZZZZZZZZZZZZZ`);
    const main = page.getByRole('main');
    await main.getByText('This is not there').waitFor();
    expect(await main.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await main.getByRole('link', { name: 'Back to Traces' }).click();
    await page.waitForURL(/#\/traces$/);
  });

  it('lists each key once', async () => {
    const { page } = await newPage();
    await page.goto(`${server.url}/#/memory`);
    await page.getByRole('main').getByText('checkout').first().waitFor();
    await page.keyboard.press('?');
    const onPage = page.getByRole('dialog').getByRole('region', { name: 'On a page' });
    await onPage.waitFor();
    const keys = (await onPage.locator('kbd').allTextContents()).filter((key) => key !== 'g');
    expect(keys).toContain('j');
    expect(keys.toSorted()).toEqual([...new Set(keys)].toSorted());
    expect(keys).not.toContain('Escape');
  });

  it('offers a first rule for alerts only where there is none', async () => {
    const { page } = await newPage();
    await page.goto(`${server.url}/#/alerts`);
    await page.getByText('Set a first rule').waitFor();
    await app.call('alert_rules.create', { rule_id: 'too-slow', metric: 'duration_ms', above: 30_000 });
    await page.reload();
    await page.getByRole('region', { name: 'Rules' }).getByText('too-slow').waitFor();
    await page.getByText('No alert', { exact: true }).waitFor();
    expect(await page.getByText('Set a first rule').count()).toBe(0);
  });

  it('says that an address leads nowhere', async () => {
    const { page } = await newPage();
    await page.goto(`${server.url}/#/nowhere`);
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    await page.getByRole('link', { name: 'Go to Overview' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  it.each(LOOKS)('has accessible overlays, $theme at $width px', async (look) => {
    const { page } = await newPage();
    await wear(page, look);
    await page.goto(server.url);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('option').first().waitFor();
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    expect(await findings(page)).toEqual([]);
  });

  it('asks for a key over the page, and keeps it for the tab only', async () => {
    const locked = await listen(app, { dashboard: folder, corsOrigins: [], apiKeys: [KEY] });
    const { page } = await newPage();
    await page.goto(`${locked.url}/#/overview?range=24h`);
    const dialog = page.getByRole('dialog', { name: 'Sign in' });
    await dialog.waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByText('A key is needed to see this').first().waitFor();
    expect(await page.getByText('This key may not see this').count()).toBe(0);
    await page.getByLabel('API key').fill('wrong');
    await page.evaluate('document.querySelector("dialog").dataset.seen = "before"');
    await page.keyboard.press('Enter');
    await dialog.getByText('does not accept this key').waitFor();
    // It is still the same dialog: it was never away.
    expect(await page.evaluate('document.querySelector("dialog").dataset.seen')).toBe('before');
    await page.getByLabel('API key').fill(KEY);
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Live' }).getByText('retry-policy').waitFor();
    expect(new URL(page.url()).hash).toBe('#/overview?range=24h');
    const kept = await page.evaluate<string[]>('[JSON.stringify(localStorage), document.cookie, location.href]');
    expect(kept.join()).not.toContain(KEY);
    await page.reload();
    await page.getByRole('region', { name: 'Live' }).getByText('retry-policy').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await dialog.waitFor();
    await locked.close();
  });

  it('survives a server that goes away and comes back, and goes on where it was', async () => {
    const second = await listen(app, { dashboard: folder, corsOrigins: [] });
    const port = Number(new URL(second.url).port);
    const { page } = await newPage();
    await page.goto(second.url);
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
    await second.close();
    await page.getByRole('status').filter({ hasText: 'Reconnecting' }).waitFor();
    await page.getByText('The server cannot be reached').first().waitFor({ timeout: 30_000 });
    await page.getByRole('region', { name: 'Live' }).getByText('retry-policy').waitFor();
    await app.call('entries.write', { entity_path: 'checkout/payments', key: 'while-away', value: 1 });
    const third = await listen(app, { dashboard: folder, corsOrigins: [] }, port);
    await page.getByRole('region', { name: 'Live' }).getByText('while-away').waitFor({ timeout: 60_000 });
    await expect.poll(() => page.getByText('The server cannot be reached').count()).toBe(0);
    await third.close();
  });

  it('opens a page that could not be loaded while the server was away, once it is back', async () => {
    const second = await listen(app, { dashboard: folder, corsOrigins: [] });
    const port = Number(new URL(second.url).port);
    const { page } = await newPage();
    await page.goto(second.url);
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
    await second.close();
    const go = (id: string) => page.evaluate(`location.hash = '#/${id}'`);
    await go('branches');
    await page.getByText('This page could not be shown').waitFor();
    await go('overview');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const third = await listen(app, { dashboard: folder, corsOrigins: [] }, port);
    await expect.poll(() => page.getByText('The server cannot be reached').count()).toBe(0);
    await go('branches');
    await page.getByRole('heading', { name: 'Branches', level: 1 }).waitFor();
    await third.close();
  });

  it('goes on by itself, or on Esc, after a refusal that passes', async () => {
    const { page } = await newPage();
    let isRefusing = true;
    await page.route('**/api/v1/**', (route) => {
      const problem = {
        type: 'urn:mem:error:unauthenticated',
        title: 'Unauthenticated',
        status: 401,
        code: 'unauthenticated',
      };
      return isRefusing ? route.fulfill({ status: 401, json: { ...problem, detail: 'no key' } }) : route.continue();
    });
    const dialog = page.getByRole('dialog', { name: 'Sign in' });
    const signedOut = async () => {
      isRefusing = true;
      await page.goto(`${server.url}/#/agents`);
      await page.reload();
      await dialog.waitFor();
    };
    await signedOut();
    await page.keyboard.press('Escape');
    expect(await dialog.count()).toBe(1);
    isRefusing = false;
    await page.getByRole('link', { name: 'deploy-bot' }).waitFor();
    expect(await dialog.count()).toBe(0);
    await page.addInitScript(`{
      const set = setTimeout;
      setTimeout = (run, ms, ...given) => (ms === 2_000 ? 0 : set(run, ms, ...given));
    }`);
    await signedOut();
    isRefusing = false;
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'deploy-bot' }).waitFor();
    expect(await dialog.count()).toBe(0);
  });

  it('shows what failed and offers another try, while the rest stays', async () => {
    const { page } = await newPage();
    let isBroken = true;
    await page.route('**/api/v1/series?*', (route) => {
      const problem = {
        type: 'urn:mem:error:internal',
        title: 'Internal',
        status: 500,
        detail: 'it broke',
        code: 'internal',
      };
      return isBroken ? route.fulfill({ status: 500, json: problem }) : route.continue();
    });
    await page.goto(server.url);
    const activity = page.getByRole('region', { name: 'Activity' });
    await activity.getByText('it broke').waitFor();
    await page.getByRole('region', { name: 'Live' }).getByText('retry-policy').waitFor();
    isBroken = false;
    await activity.getByRole('button', { name: 'Try again' }).click();
    await activity.getByRole('img').first().waitFor();
  });

  it('loads at most 250 kB before Overview is shown', async () => {
    const { page } = await newPage();
    const sizes: number[] = [];
    page.on('requestfinished', async (request) => {
      if (!request.url().includes('/api/')) sizes.push((await request.sizes()).responseBodySize);
    });
    await page.goto(server.url);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const total = sizes.reduce((sum, size) => sum + size, 0);
    expect(total).toBeGreaterThan(50_000);
    expect(total).toBeLessThan(250_000);
  });
});
