import { describe, expect, it } from 'vitest';
import { backends } from '../support/app.ts';
import { entry, region, useMemory } from './support/memory.ts';
import { LOOKS, wear } from './support/window.ts';

const PATH = 'team/notes';

/** Without a pointer: with keys alone, as on any window. */
describe.each(backends)('tasks by keys, in every look, on %s', (backend) => {
  const { app, open } = useMemory(backend, async (filled) => {
    for (const agent_id of ['planner', 'tester'])
      await filled.call('entries.write', { entity_path: 'svc/pay', key: `of-${agent_id}`, value: 1 }, { agent_id });
    const of = { agent_id: 'planner', session_id: 'work' };
    await filled.call('entries.read', { entity_path: 'svc/pay', key: 'of-tester' }, of);
    await filled.call('outcomes.commit', { outcome_ref: 'rollout-1', outcome_type: 'regression' }, of);
  });

  it.each(LOOKS)('an entry is written, edited and found, $theme at $width px', async (look) => {
    const key = `note-${look.theme}-${look.width}-${Date.now()}`;
    const { page, complaints } = await open(`#/memory/${PATH}?do=new`);
    await wear(page, look);
    await page.getByLabel('Key', { exact: true }).fill(key);
    await page.getByRole('textbox', { name: 'Value' }).fill('elderberry');
    await page.keyboard.press('Control+Enter');
    await entry(page).getByText('version 1', { exact: true }).waitFor();
    await page.keyboard.press('e');
    await page.getByRole('textbox', { name: 'Value' }).fill('boysenberry');
    await page.keyboard.press('Control+Enter');
    await entry(page).getByText('version 2', { exact: true }).waitFor();
    await region(page, 'Value').getByText('boysenberry').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').waitFor();
    await page.keyboard.type(key);
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    await page.keyboard.type('boysenberry');
    await page.getByRole('main').getByText(key).filter({ visible: true }).first().waitFor();
    expect((await app().call('entries.read', { entity_path: PATH, key })).value).toBe('boysenberry');
    expect(complaints).toEqual([]);
    await page.close();
  });

  it.each(LOOKS)('a trace and an agent are opened, $theme at $width px', async (look) => {
    const { page, complaints } = await open('#/traces');
    await wear(page, look);
    await page.getByRole('main').getByText('planner').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByText('of-tester').first().waitFor();
    expect(new URL(page.url()).hash).toMatch(/^#\/traces\/\w+/);
    const { origin } = new URL(page.url());
    await page.goto('about:blank');
    await page.goto(`${origin}/#/agents`);
    await page.getByText('planner').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).hash).toMatch(/^#\/agents\/.+/);
    expect(complaints).toEqual([]);
    await page.close();
  });
});
