import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { backends } from '../support/app.ts';
import { entry, region, rows, useMemory } from './support/memory.ts';

const POLICY = { entity_path: 'checkout/payments', key: 'retry-policy' };

describe.each(backends)('Memory on %s', (backend) => {
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
    const deleted = page.getByText('retry-policy is deleted').locator('..');
    await deleted.getByRole('button', { name: 'Undo' }).press('Enter');
    await expect
      .poll(async () => (await app().call('entries.history', POLICY)).versions.map((version) => version.deleted))
      .toEqual([false, true, false, false]);
    expect((await app().call('entries.read', POLICY)).value).toBe('Five attempts, then fail over.');
    expect(complaints).toEqual([]);
  });
});

describe('Lists of memory', () => {
  const MANY = 700;
  /** Has no room in a row; it wrote the first hundred. */
  const LONG_NAME = `agent-${'with-a-long-name-'.repeat(5)}`;
  const { app, server, newPage, open } = useMemory('sqlite', async (filled) => {
    const value = { max_attempts: 3 };
    await filled.call('entries.write', { ...POLICY, value, memory_type: 'belief' });
    await filled.call('outcomes.commit', {
      outcome_ref: 'deploy-1',
      outcome_type: 'success',
      causal_entry_keys: [POLICY],
    });
    await filled.call('entries.write', { entity_path: 'x', key: 'last', value });
    for (let from = 0; from < MANY; from += 100)
      await filled.call(
        'commits.create',
        {
          writes: Array.from({ length: 100 }, (_, i) => ({
            entity_path: `many/p${String(from + i).padStart(4, '0')}`,
            key: 'k',
            value: from + i,
          })),
        },
        { agent_id: from === 0 ? LONG_NAME : 'short' },
      );
  });

  it('shows paths with counts as they are opened, and jumps to one by its name', async () => {
    const { page } = await open('#/memory');
    const tree = page.getByRole('tree', { name: 'Paths' });
    const many = tree.getByRole('treeitem', { name: /^many/ });
    await many.waitFor();
    expect(await many.innerText()).toMatch(/700$/);
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

  it('says which level of the tree could not be loaded, and tries again', async () => {
    const { page } = await open('#/memory');
    let isBroken = true;
    const json = {
      type: 'urn:mem:error:internal',
      title: 'Internal',
      status: 500,
      detail: 'it broke',
      code: 'internal',
    };
    await page.route('**/api/v1/tree?*entity_path=checkout*', (route) =>
      isBroken ? route.fulfill({ status: 500, json }) : route.continue(),
    );
    const item = page.getByRole('tree', { name: 'Paths' }).getByRole('treeitem');
    await item.filter({ hasText: 'checkout' }).press('ArrowRight');
    await item.filter({ hasText: 'This could not be loaded' }).waitFor();
    isBroken = false;
    await item.filter({ hasText: 'Try again' }).press('Enter');
    await item.filter({ hasText: 'payments' }).waitFor();
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

  it('shows each row in its place after far moves, and what is cut off of it', async () => {
    const { page } = await open('#/memory/many?sort=path');
    const list = page.getByRole('grid', { name: 'Entries' });
    await list.getByText('p0000/').waitFor();
    expect(await titlesOfCut(list)).toContainEqual(expect.stringContaining(LONG_NAME));
    await expect
      .poll(
        async () => {
          await list.press('End');
          return list.getAttribute('aria-rowcount');
        },
        { timeout: 20_000 },
      )
      .toBe(String(MANY));
    for (const share of [0.9, 0.2, 0.21, 0.6, 1]) {
      await list.evaluate((grid, to) => {
        grid.scrollTop = grid.scrollHeight * to;
      }, share);
      await expect.poll(() => misplaced(list)).toEqual([]);
      // Those around them follow, so that a short move finds them there.
      await expect.poll(() => countAbove(list)).toBe(6);
    }
    expect(await titlesOfCut(list)).not.toContainEqual(expect.stringContaining(LONG_NAME));
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

  it('shows at once what another window writes', async () => {
    const { page } = await open('#/memory/live');
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
    await app().call('entries.write', { entity_path: 'live', key: 'fresh', value: 1 });
    await rows(page).getByText('fresh').waitFor();
  });

  it('shows what was written between its answer and the first event, and asks once where nothing was', async () => {
    const { page } = await newPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    const lists = () => asked.filter((path) => path === '/api/v1/entries').length;
    let follow = () => {};
    const isHeld = new Promise<void>((resolve) => {
      follow = resolve;
    });
    await page.route('**/api/v1/stream*', async (route) => {
      await isHeld;
      await route.continue();
    });
    await page.goto(`${server().url}/#/memory/between`);
    await page.getByText('No entry is stored at between').waitFor();
    await app().call('entries.write', { entity_path: 'between', key: 'missed', value: 1 });
    follow();
    await rows(page).getByText('missed').waitFor();
    expect(lists()).toBe(2);
    await page.reload();
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
    await rows(page).getByText('missed').waitFor();
    await page.evaluate('new Promise((done) => setTimeout(() => requestIdleCallback(done), 1500))');
    expect(lists()).toBe(3);
  });
});

/** What is wrong with the rows of a list by path: another entry or place than their number says, or none where there is room. */
const misplaced = (list: Locator): Promise<string[]> =>
  list.evaluate((grid) => {
    const shown = grid.getBoundingClientRect();
    const all = [...grid.querySelectorAll('[role="row"]')].map((row) => ({
      text: row.textContent ?? '',
      index: Number(row.getAttribute('aria-rowindex')) - 1,
      at: row.getBoundingClientRect(),
    }));
    const wrong = all.filter(({ text, index, at }) => {
      const isElsewhere = Math.abs(at.top - shown.top + grid.scrollTop - index * at.height) > 1;
      return isElsewhere || !text.includes(`p${String(index).padStart(4, '0')}/k`);
    });
    const [first, last] = [all.at(0)?.at, all.at(-1)?.at];
    const isFull = first && last && first.top <= shown.top && last.bottom >= shown.bottom - 1;
    return [...wrong.map(({ text }) => text), ...(isFull ? [] : ['not full'])];
  });

const countAbove = (list: Locator): Promise<number> =>
  list.evaluate((grid) => {
    const { top } = grid.getBoundingClientRect();
    return [...grid.querySelectorAll('[role="row"]')].filter((row) => row.getBoundingClientRect().bottom <= top).length;
  });

/** Points at what may be cut off, which gives it a title. */
async function titlesOfCut(list: Locator): Promise<string[]> {
  const cut = list.locator('.cut');
  for (const one of await cut.all()) await one.dispatchEvent('pointerover');
  return cut.evaluateAll((all) => all.map((one) => one.getAttribute('title') ?? ''));
}
