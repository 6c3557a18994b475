import { describe, expect, it } from 'vitest';
import { backends } from '../support/app.ts';
import { entry, region, rows, useMemory } from './support/memory.ts';

const SLOW = { timeout: 60_000 };
const POLICY = { entity_path: 'checkout/payments', key: 'retry-policy' };

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
    const deleted = page.getByText('retry-policy is deleted').locator('..');
    await deleted.getByRole('button', { name: 'Undo' }).press('Enter');
    await expect
      .poll(async () => (await app().call('entries.history', POLICY)).versions.map((version) => version.deleted))
      .toEqual([false, true, false, false]);
    expect((await app().call('entries.read', POLICY)).value).toBe('Five attempts, then fail over.');
    expect(complaints).toEqual([]);
  });
});

describe('Lists of memory', SLOW, () => {
  const MANY = 700;
  const { app, server, open } = useMemory('sqlite', async (filled) => {
    const value = { max_attempts: 3 };
    await filled.call('entries.write', { ...POLICY, value, memory_type: 'belief' });
    await filled.call('outcomes.commit', {
      outcome_ref: 'deploy-1',
      outcome_type: 'success',
      causal_entry_keys: [POLICY],
    });
    await filled.call('entries.write', { entity_path: 'x', key: 'last', value });
    for (let from = 0; from < MANY; from += 100)
      await filled.call('commits.create', {
        writes: Array.from({ length: 100 }, (_, i) => ({
          entity_path: `many/p${String(from + i).padStart(4, '0')}`,
          key: 'k',
          value: from + i,
        })),
      });
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

  it('shows at once what another window writes', async () => {
    const { page } = await open('#/memory/live');
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
    await app().call('entries.write', { entity_path: 'live', key: 'fresh', value: 1 });
    await rows(page).getByText('fresh').waitFor();
  });
});
