import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { useBrowser } from '../support/browser.ts';
import { builtDashboard } from '../support/dashboard.ts';
import { openHosted } from '../support/hosted.ts';
import { realClock } from './support/window.ts';

const XSS = '<img src=x onerror="document.title=`hacked`">';

const newPage = useBrowser();

describe('Admin', () => {
  let app: TestApp;
  let server: TestServer;
  beforeAll(async () => {
    app = await openTestApp('sqlite', { clock: realClock() });
    server = await listen(app, { dashboard: await builtDashboard(), corsOrigins: [] });
    await app.call('entries.write', { entity_path: 'checkout/payments', key: 'retry-policy', value: XSS });
    await app.call('keys.create', { name: XSS });
    await app.call('teams.create', { name: XSS, slug: 'first' });
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

  it('verifies the chain of the audit trail, and shows a line and all that one did', async () => {
    const { page, complaints } = await open('#/admin/audit');
    await page.getByRole('button', { name: 'Verify chain' }).click();
    await page.getByText(/The chain holds: \d+ lines recomputed/).waitFor();
    await page.getByRole('row', { name: /entries.write/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('checkout/payments/retry-policy').first().waitFor();
    await page.getByRole('button', { name: 'Only this resource' }).click();
    await expect.poll(() => page.url()).toContain('resource=');
    await expect.poll(() => page.getByRole('row', { name: /keys.create/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('row', { name: /keys.create/ }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('keeps less only after the words are typed', async () => {
    const { page, complaints } = await open('#/admin/retention');
    await page.getByRole('group', { name: 'Traces' }).getByRole('button', { name: 'After' }).click();
    await page.getByLabel('Traces: number of days').fill('30');
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill('keep less');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Retention saved').waitFor();
    expect(await app.call('retention.read', {})).toMatchObject({ traces_days: 30, payloads_days: null });
    expect(complaints).toEqual([]);
  });

  it('makes a team, adds a member, removes and brings back', async () => {
    const { page, complaints } = await open('#/admin/teams');
    await page.getByRole('button', { name: 'New team' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Payments and tax');
    await page.getByRole('button', { name: 'Create team' }).click();
    await page.getByRole('button', { name: 'Add member' }).click();
    await page.getByRole('dialog').getByLabel('E-mail').fill('ada@example.com');
    await page.getByRole('dialog').getByRole('button', { name: 'Add member' }).click();
    await page.getByRole('button', { name: 'Remove ada@example.com' }).click();
    await page.getByText('It has no member yet.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Remove ada@example.com' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('shows usage, limits and consumers', async () => {
    const { page, complaints } = await open('#/admin/usage?days=7');
    await page.getByRole('img', { name: /^Requests a day in the last 7 days/ }).waitFor();
    await page.goto(`${server.url}/#/admin/health`);
    await page.getByRole('row', { name: /retention.enforce_new/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('It gave up on nothing.').waitFor();
    expect(complaints).toEqual([]);
  });
});

describe.each(backends)('Export and import on %s', (backend) => {
  it('takes the whole account out as a file, and into an empty one', async () => {
    const full = await openTestApp(backend, { clock: realClock() });
    const empty = await openTestApp(backend, { clock: realClock() });
    const dashboard = await builtDashboard();
    const [from, to] = [await listen(full, { dashboard }), await listen(empty, { dashboard })];
    try {
      for (let i = 0; i < 20; i++) await full.call('entries.write', { entity_path: 'a/b', key: `k${i}`, value: i });
      const { page, complaints } = await newPage();
      await page.goto(`${from.url}/#/admin/transfer`);
      const downloading = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export', exact: true }).click();
      const download = await downloading;
      const file = await download.path();
      await page.getByText(/lines, .*, are in your downloads/).waitFor();
      expect(download.suggestedFilename()).toMatch(/^mem-export-\d{4}-\d\d-\d\d\.jsonl$/);
      expect(readFileSync(file, 'utf8').split('\n').length).toBeGreaterThan(20);
      await page.getByText('This account is in use').waitFor();
      await handOver(page, file, 'Check file');
      await page.getByText(/the file can be imported/).waitFor();

      await page.goto(`${to.url}/#/admin/transfer`);
      await handOver(page, file, 'Import');
      await page.getByText(/are in the account/).waitFor();
      const { entries } = await empty.call('entries.list', { entity_path: 'a/b' });
      expect(entries).toHaveLength(20);

      await page.getByLabel('File of an export').setInputFiles({
        name: 'other.jsonl',
        mimeType: 'text/plain',
        buffer: Buffer.from('hello\n'),
      });
      await page.getByRole('button', { name: 'Check file' }).click();
      await page.getByText('its first line is no header').waitFor();
      expect(complaints).toEqual([]);
    } finally {
      for (const one of [from, to, full, empty]) await one.close();
    }
  });
});

async function handOver(page: Page, file: string, action: string): Promise<void> {
  await page.getByLabel('File of an export').setInputFiles(file);
  await page.getByRole('button', { name: action, exact: true }).click();
}

describe('Keys of a hosted service', () => {
  let hosted: Awaited<ReturnType<typeof openHosted>>;
  let adminKey: string;
  let agentKey: string;
  beforeAll(async () => {
    hosted = await openHosted('sqlite', {
      app: { clock: realClock() },
      http: { dashboard: await builtDashboard(), corsOrigins: [] },
    });
    adminKey = (await hosted.newAccount()).key;
    agentKey = (await hosted.newKey(adminKey, { scopes: [{ pattern: 'a/**', permission: 'READ' }] })).key;
  });
  afterAll(() => hosted.close());

  const signedIn = async (key: string, address: string) => {
    const watched = await newPage();
    await watched.page.addInitScript(`sessionStorage.setItem('mem.key', ${JSON.stringify(key)})`);
    await watched.page.goto(`${hosted.server.url}/${address}`);
    return watched;
  };

  it('are made with scopes and shown once, rotated, and revoked with the name typed', async () => {
    const { page, complaints } = await signedIn(adminKey, '#/admin/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('ci runner');
    await dialog.getByLabel('May', { exact: true }).fill('checkout/**');
    await dialog.getByLabel('Permission').selectOption('READ');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const key = (await page.getByRole('figure', { name: 'The key' }).innerText()).trim();
    expect((await hosted.as(key, { method: 'GET', path: '/api/v1/me' })).json).toMatchObject({
      key: { name: 'ci runner', scopes: [{ pattern: 'checkout/**', permission: 'READ' }] },
    });
    await page.getByRole('button', { name: 'I have it' }).click();
    expect(await page.content()).not.toContain(key);

    await page.getByRole('row', { name: /ci runner/ }).click();
    await page.getByRole('button', { name: 'Rotate' }).click();
    await page.getByLabel('The old key works for').selectOption('0');
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    const second = (await page.getByRole('figure', { name: 'The key' }).innerText()).trim();
    expect(second).not.toBe(key);
    await page.getByRole('button', { name: 'I have it' }).click();

    await page.getByRole('row', { name: /ci runner.* active/ }).click();
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('ci runner');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('ci runner is revoked').waitFor();
    expect((await hosted.as(second, { method: 'GET', path: '/api/v1/me' })).status).toBe(401);
    expect(complaints).toEqual([]);
  });

  it('that do not administer see no page of admins, and are told so at its address', async () => {
    const { page } = await signedIn(agentKey, '#/agents');
    await page.getByRole('navigation', { name: 'Main', exact: true }).getByRole('link', { name: 'Agents' }).waitFor();
    expect(await page.getByRole('link', { name: 'Keys' }).count()).toBe(0);
    await page.goto(`${hosted.server.url}/#/admin/keys`);
    await page.getByText('This key may not see this').waitFor();
    await page.getByText(/This is for admins\. Ask who administers the account/).waitFor();
  });
});
