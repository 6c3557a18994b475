import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Backend, backends, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { useBrowser } from '../support/browser.ts';
import { builtDashboard } from '../support/dashboard.ts';
import { expectNoSidewaysScroll, findings, LOOKS, realClock, wear } from './support/window.ts';

const SLOW = { timeout: 60_000 };
const XSS = '<img src=x onerror="document.title=`hacked`">';
const POLICY = { entity_path: 'checkout/payments', key: 'retry-policy' };

function useMemory(backend: Backend, fill: (app: TestApp) => Promise<void> = async () => {}) {
  const newPage = useBrowser();
  let app: TestApp;
  let server: TestServer;
  beforeAll(async () => {
    app = await openTestApp(backend, { clock: realClock() });
    server = await listen(app, { dashboard: await builtDashboard(), corsOrigins: [] });
    await fill(app);
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
  return { app: () => app, server: () => server, newPage, open };
}

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const entry = (page: Page) => page.getByRole('article', { name: 'Entry' });
const rows = (page: Page) => page.getByRole('grid', { name: 'Entries' }).getByRole('row');

describe.each(backends)('Memory on %s', SLOW, (backend) => {
  const { app, open } = useMemory(backend);

  it('writes, changes, compares, deletes and brings back an entry, with the keyboard alone', async () => {
    const { page, complaints } = await open('#/memory');
    await page.getByText('Nothing is stored yet.').waitFor();
    await page.keyboard.press('n');
    await page.getByLabel('Path', { exact: true }).fill('checkout/payments');
    await page.keyboard.press('Tab');
    await page.keyboard.type('retry-policy');
    await page.getByRole('textbox', { name: 'Value' }).focus();
    await page.keyboard.type('Three attempts, then fail over.');
    await page.keyboard.press('Control+Enter');
    await entry(page).getByRole('heading', { name: 'retry-policy' }).waitFor();
    expect(new URL(page.url()).hash).toContain('key=retry-policy');

    await page.getByText('Saved as version 1').waitFor();
    await page.locator('main').focus();
    await page.keyboard.press('e');
    const value = page.getByRole('textbox', { name: 'Value' });
    await value.waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Five attempts, then fail over.');
    await page.keyboard.press('Control+Enter');
    await entry(page).getByText('version 2', { exact: true }).waitFor();
    const diff = region(page, 'History').getByRole('figure', { name: 'Changes from version 1 to 2' });
    await diff.getByText('Five attempts').waitFor();
    expect(await diff.innerText()).toContain('Three attempts');

    await page.keyboard.press('Escape');
    await page.getByRole('grid', { name: 'Entries' }).focus();
    await page.keyboard.press('Enter');
    await entry(page).getByRole('button', { name: 'More' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Delete' }).press('Enter');
    await page.getByText('retry-policy is deleted').waitFor();
    await expect(app().call('entries.read', POLICY)).rejects.toThrow();
    await page.getByRole('button', { name: 'Undo' }).press('Enter');
    await expect
      .poll(async () => (await app().call('entries.history', POLICY)).versions.map(({ deleted }) => deleted))
      .toEqual([false, true, false, false]);
    expect((await app().call('entries.read', POLICY)).value).toBe('Five attempts, then fail over.');
    // What is deleted has no confidence; the console names the answer.
    expect(complaints.filter((complaint) => !complaint.includes('404'))).toEqual([]);
  });
});

describe('Memory', SLOW, () => {
  const MANY = 700;
  const { app, newPage, server, open } = useMemory('sqlite', async (filled) => {
    const write = (key: string, value: unknown, more: object = {}) =>
      filled.call(
        'entries.write',
        { entity_path: 'checkout/payments', key, value, ...more },
        { agent_id: 'deploy-bot' },
      );
    await write(
      'retry-policy',
      { max_attempts: 3, backoff_ms: [200, 800] },
      { confidence: 0.9, memory_type: 'belief' },
    );
    await write('retry-policy', { max_attempts: 5, backoff_ms: [200, 800], because: 'drill 104' }, { confidence: 0.8 });
    for (const [i, outcome_type] of (['success', 'regression'] as const).entries())
      await filled.call(
        'outcomes.commit',
        { outcome_ref: `deploy-${i}`, outcome_type, causal_entry_keys: [POLICY] },
        { agent_id: 'sre-oncall', session_id: `work-${i}` },
      );
    await filled.call('agents.read_from', { ...POLICY, source_agent_id: 'deploy-bot' }, { agent_id: 'planner' });
    await filled.call('entries.write', { entity_path: `x/${XSS}`, key: XSS, value: { [XSS]: XSS } }, { agent_id: XSS });
    for (let from = 0; from < MANY; from += 100)
      await filled.call('commits.create', {
        writes: Array.from({ length: 100 }, (_, i) => ({
          entity_path: `many/p${String(from + i).padStart(4, '0')}`,
          key: 'k',
          value: from + i,
        })),
      });
  });
  const address = '#/memory/checkout/payments?key=retry-policy';

  it('shows paths with counts as they are opened, and jumps to one by its name', async () => {
    const { page } = await open('#/memory');
    const tree = page.getByRole('tree', { name: 'Paths' });
    const many = tree.getByRole('treeitem', { name: /^many/ });
    await many.waitFor();
    expect(await many.innerText()).toMatch(/199\+/);
    await tree.getByRole('treeitem', { name: /^checkout/ }).press('ArrowRight');
    await tree.getByRole('treeitem', { name: /payments/ }).press('Enter');
    await rows(page).getByText('retry-policy').waitFor();
    expect(new URL(page.url()).hash).toBe('#/memory/checkout/payments');
    await page.getByRole('combobox', { name: 'Go to path' }).fill('many/p0042');
    await page.keyboard.press('Enter');
    await expect.poll(() => rows(page).count()).toBe(1);
    await many.press('ArrowRight');
    await tree.getByRole('treeitem', { name: 'Show more' }).first().click();
    await expect.poll(() => tree.getByRole('treeitem').count()).toBeGreaterThan(400);
  });

  it('brings a long list page by page, to its end', async () => {
    const { page } = await open('#/memory/many?sort=path');
    const list = page.getByRole('grid', { name: 'Entries' });
    await list.getByText('p0000/').waitFor();
    await list.focus();
    await expect
      .poll(
        async () => {
          await page.keyboard.press('End');
          return list.getByText(`p0${MANY - 1}/`).count();
        },
        { timeout: 20_000 },
      )
      .toBe(1);
    expect(await list.getAttribute('aria-rowcount')).toBe(String(MANY));
    await page.keyboard.press('Home');
    await list.getByText('p0000/').waitFor();
    // A jump by path, from the address.
    await page.goto(`${server().url}/#/memory/many?sort=path&from=many%2Fp0650`);
    await list.getByText('p0650/').waitFor();
    expect(await list.getByText('p0649/').count()).toBe(0);
  });

  it('keeps filters as chips and in the address', async () => {
    const { page } = await open('#/memory?status=untested&min=0.3');
    await page.getByRole('button', { name: 'Remove status untested' }).waitFor();
    expect(await rows(page).getByText('retry-policy').count()).toBe(0);
    await page.getByRole('button', { name: 'Remove status untested' }).click();
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('menuitem', { name: 'type', exact: true }).click();
    await page.getByRole('combobox', { name: 'type', exact: true }).selectOption('belief');
    await expect.poll(() => rows(page).count()).toBe(1);
    await rows(page).getByText('retry-policy').waitFor();
    expect(new URL(page.url()).hash).toBe('#/memory?min=0.3&type=belief');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => rows(page).count()).toBeGreaterThan(5);
  });

  it('tells the story of a confidence with the words of the service', async () => {
    const { page, complaints } = await open(address);
    const story = region(page, 'Confidence');
    const { steps, summary } = await app().call('entries.confidence', POLICY);
    await story.getByText(summary.slice(1)).waitFor();
    await story.getByText(/regression of sre-oncall/).waitFor();
    await story.getByRole('img', { name: `Confidence in ${steps.length} steps` }).waitFor();
    await page.keyboard.press('[');
    await expect.poll(() => story.locator('[aria-current="step"]').innerText()).toContain('success of sre-oncall');
    expect(new URL(page.url()).hash).toContain(`step=${steps.length - 2}`);
    await region(page, 'Read by').getByText('planner').first().waitFor();
    await region(page, 'Led to').getByRole('row').filter({ hasText: 'deploy-1' }).waitFor();
    await region(page, 'Edges').getByRole('row').nth(1).waitFor();
    expect(complaints).toEqual([]);
  });

  it('solves a conflict without losing what was typed', async () => {
    const { page } = await open(`${address}&do=edit`);
    const value = page.getByRole('textbox', { name: 'Value' });
    await value.fill('{ "max_attempts": 7, "big": 12345678901234567890 }');
    await app().call('entries.write', { ...POLICY, value: { max_attempts: 6 } }, { agent_id: 'other' });
    await page.getByText('was written by other meanwhile').waitFor();
    // What was typed outlives a reload.
    await page.reload();
    await expect.poll(() => value.inputValue()).toContain('"max_attempts": 7');
    await page.getByRole('button', { name: 'Save as version 3' }).click();
    const conflict = region(page, 'Somebody else changed it first');
    await conflict.waitFor();
    expect(await conflict.getByRole('figure', { name: 'Theirs, version 3' }).innerText()).toContain('6');
    expect(await conflict.getByRole('figure', { name: 'Yours' }).innerText()).toContain('7');
    await conflict.getByRole('button', { name: 'Keep mine as version 4' }).click();
    await entry(page).getByText('version 4', { exact: true }).waitFor();
    await region(page, 'Value').getByText('12345678901234567890').waitFor();
    await region(page, 'History').getByRole('combobox', { name: 'from' }).selectOption('1');
    await region(page, 'History').getByRole('button', { name: 'Restore v1' }).click();
    await entry(page).getByText('version 5', { exact: true }).waitFor();
    expect((await app().call('entries.read', POLICY)).value).toEqual({ max_attempts: 3, backoff_ms: [200, 800] });
  });

  it('erases for good after a dry run and the typed name', async () => {
    const erasable = { entity_path: 'users/4711', key: 'note' };
    await app().call('entries.write', { ...erasable, value: 'private' });
    const { page } = await open('#/memory/users/4711?key=note');
    await entry(page).getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Erase' }).click();
    const dialog = page.getByRole('dialog', { name: 'Erase for good' });
    await dialog.getByRole('region', { name: 'This would be removed:' }).getByText('versions').waitFor();
    const erase = dialog.getByRole('button', { name: 'Erase' });
    expect(await erase.isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill('users/4711/note');
    await erase.click();
    await page.getByText(/Erased 1 version, receipt/).waitFor();
    await expect(app().call('entries.history', erasable)).rejects.toThrow();
  });

  it('shows at once what another window writes', async () => {
    const { page } = await open('#/memory/live');
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
    await app().call('entries.write', { entity_path: 'live', key: 'fresh', value: 1 });
    await rows(page).getByText('fresh').waitFor();
  });

  it('shows text as text, whatever it says', async () => {
    const { page, complaints } = await open(`#/memory/x/${encodeURIComponent(XSS)}?key=${encodeURIComponent(XSS)}`);
    await entry(page).getByRole('heading', { name: XSS }).waitFor();
    await region(page, 'Value').getByText('<img src=x onerror=').first().waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.title()).toBe(`${XSS} · mem`);
    expect(complaints).toEqual([]);
  });

  it.each(LOOKS)('is accessible, and no wider than the window, $theme at $width px', async (look) => {
    const { page, complaints } = await newPage();
    await wear(page, look);
    await page.goto(`${server().url}/${address}`);
    await region(page, 'Edges').getByRole('row').nth(1).waitFor();
    await region(page, 'Led to').getByRole('row').nth(1).waitFor();
    expect(await findings(page)).toEqual([]);
    await expectNoSidewaysScroll(page);
    await page.goto(`${server().url}/#/memory/checkout/payments?do=new`);
    await page.getByRole('textbox', { name: 'Value' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.goto(`${server().url}/#/memory`);
    await rows(page).first().waitFor();
    expect(await findings(page)).toEqual([]);
    await expectNoSidewaysScroll(page);
    expect(complaints).toEqual([]);
  });
});
