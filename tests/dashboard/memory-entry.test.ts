import { describe, expect, it } from 'vitest';
import { backends } from '../support/app.ts';
import { entry, region, rows, useMemory } from './support/memory.ts';
import { expectNoSidewaysScroll, findings, LOOKS, wear } from './support/window.ts';

const XSS = '<img src=x onerror="document.title=`hacked`">';
const POLICY = { entity_path: 'checkout/payments', key: 'retry-policy' };

describe.each(backends)('An entry of memory on %s', (backend) => {
  const { app, newPage, server, open } = useMemory(backend, async (filled) => {
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
  });
  const address = '#/memory/checkout/payments?key=retry-policy';

  it('tells the story of a confidence with the words of the service', async () => {
    const { page, complaints } = await open(address);
    const story = region(page, 'Confidence');
    const { steps, summary } = await app().call('entries.confidence', POLICY);
    await story.getByText(summary.slice(1)).waitFor();
    await story.getByText(/regression of sre-oncall/).waitFor();
    const chart = story.getByRole('img', { name: `Confidence in ${steps.length} steps` });
    // All of it happened a moment ago: the day would say nothing.
    await expect
      .poll(() => chart.locator('text').allTextContents())
      .toContainEqual(expect.stringMatching(/^\d\d:\d\d$/));
    await page.keyboard.press('[');
    await expect.poll(() => story.locator('[aria-current="step"]').innerText()).toContain('success of sre-oncall');
    expect(new URL(page.url()).hash).toContain(`step=${steps.length - 2}`);
    await region(page, 'Read by').getByText('planner').first().waitFor();
    await region(page, 'Led to').getByRole('row').filter({ hasText: 'deploy-1' }).waitFor();
    await region(page, 'Edges').getByRole('row').nth(1).waitFor();
    expect(complaints).toEqual([]);
  });

  it('draws all steps of a long story, from none to full confidence, and no change where there is none', async () => {
    const often = { entity_path: 'checkout/payments', key: 'often-failed' };
    await app().call('entries.write', { ...often, value: 1, confidence: 0.8 });
    for (let n = 1; n <= 90; n++) {
      const outcome = { outcome_ref: `often-${n}`, outcome_type: 'failure' as const, causal_entry_keys: [often] };
      await app().call('outcomes.commit', outcome, { agent_id: 'sre-oncall', session_id: `often-${n}` });
    }
    const { page, complaints } = await open('#/memory/checkout/payments?key=often-failed');
    const story = region(page, 'Confidence');
    const chart = story.getByRole('img', { name: /^Confidence in 91 steps, from 0\.80/ });
    await expect.poll(() => chart.locator('text').allTextContents()).toEqual(expect.arrayContaining(['0.0', '1.0']));
    const turns = await chart
      .locator('path')
      .evaluateAll((paths) => Math.max(...paths.map((path) => path.getAttribute('d')?.split('V').length ?? 0)));
    expect(turns).toBe(91);
    await expect.poll(() => story.getByRole('listitem').count()).toBe(5);
    expect(await story.getByRole('listitem').locator('.bad').count()).toBe(0);
    await chart.click({ position: { x: 16, y: 20 } });
    await expect.poll(() => story.locator('[aria-current="step"]').innerText()).toContain('written by');
    expect(complaints).toEqual([]);
  });

  it('scrolls by itself, and leaves the paths and the list where they are', async () => {
    const { page } = await open(address);
    await region(page, 'Edges').getByRole('row').nth(1).waitFor();
    await entry(page)
      .getByRole('link', { name: /^Edges/ })
      .click();
    await expect.poll(() => page.evaluate<number>(`document.querySelector('article').scrollTop`)).toBeGreaterThan(0);
    expect(await page.evaluate<number>(`document.querySelector('main').scrollTop`)).toBe(0);
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
    const yours = conflict.getByRole('figure', { name: 'Yours' });
    expect(await yours.innerText()).toContain('7');
    // Typed in one line, it is compared line by line.
    expect(await yours.innerText()).not.toContain('{ "max_attempts"');
    await conflict.getByRole('button', { name: 'Keep mine as version 4' }).click();
    await entry(page).getByText('version 4', { exact: true }).waitFor();
    await region(page, 'Value').getByText('12345678901234567890').waitFor();
    await region(page, 'History').getByRole('combobox', { name: 'from' }).selectOption('1');
    await region(page, 'History').getByRole('button', { name: 'Restore v1' }).click();
    await entry(page).getByText('version 5', { exact: true }).waitFor();
    expect((await app().call('entries.read', POLICY)).value).toEqual({ max_attempts: 3, backoff_ms: [200, 800] });
  });

  it('says where JSON is wrong, and shows a deletion as nothing but removed lines', async () => {
    const at = { entity_path: 'checkout/payments', key: `going-${Date.now()}` };
    await app().call('entries.write', { ...at, value: { a: 1 } });
    const { page } = await open(`#/memory/checkout/payments?key=${at.key}&do=edit`);
    await page.getByRole('textbox', { name: 'Value' }).fill('{\n  "a": x\n}');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Not JSON in line 2, column 8: a value is missing').waitFor();
    await app().call('entries.delete', at);
    await page.goto(`${server().url}/#/memory/checkout/payments?key=${at.key}`);
    const diff = region(page, 'History').getByRole('figure', { name: 'Changes from version 1 to 2' });
    await diff.getByText('removed:').first().waitFor();
    expect(await diff.getByText('added:').count()).toBe(0);
  });

  it('says what to do where a branch is protected, and keeps what was typed', async () => {
    await app().call('branches.create', { name: 'release' });
    await app().call('branches.protect', { name: 'release' });
    const { page } = await open('#/memory/checkout/payments?do=new&branch=release');
    await page.getByLabel('Key', { exact: true }).fill('new-one');
    await page.getByRole('textbox', { name: 'Value' }).fill('typed');
    await page.keyboard.press('Control+Enter');
    const refused = page.getByRole('alert');
    await refused.getByText('This was not done').waitFor();
    await refused.getByText('Write on another branch and open a pull request').waitFor();
    expect(await page.getByRole('textbox', { name: 'Value' }).inputValue()).toBe('typed');
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
    let answer = () => {};
    const late = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/api/v1/**', (route) => late.then(() => route.continue()));
    await erase.click();
    // The service erases in one step: how much it is, and how long it has taken.
    await dialog.getByText('Erasing 1 version').waitFor();
    await dialog.getByText('still working, 2 s').waitFor();
    answer();
    await page.getByText(/Erased 1 version, receipt/).waitFor();
    await expect(app().call('entries.history', erasable)).rejects.toThrow();
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
