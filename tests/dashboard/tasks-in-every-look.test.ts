import { describe, expect, it } from 'vitest';
import { layIncidents } from '../contract/incidents.ts';
import { backends } from '../support/app.ts';
import { entry, region, useMemory } from './support/memory.ts';
import { fillConnectors } from './support/review-story.ts';
import { LOOKS, type Look, wear } from './support/window.ts';

const PATH = 'team/notes';
const nameOf = ({ theme, width }: Look): string => `${theme}-${width}`;

/** Without a pointer: with keys alone, as on any window. */
describe.each(backends)('tasks by keys, in every look, on %s', (backend) => {
  const { app, server, newPage, open } = useMemory(backend, async (filled) => {
    for (const agent_id of ['planner', 'tester'])
      await filled.call('entries.write', { entity_path: 'svc/pay', key: `of-${agent_id}`, value: 1 }, { agent_id });
    const of = { agent_id: 'planner', session_id: 'work' };
    await filled.call('entries.read', { entity_path: 'svc/pay', key: 'of-tester' }, of);
    await filled.call('outcomes.commit', { outcome_ref: 'rollout-1', outcome_type: 'regression' }, of);
    await fillConnectors(filled);
  });

  /** A window in a look, where nothing is done with a pointer. */
  const openAs = async (look: Look, address: string) => {
    const watched = await newPage();
    await wear(watched.page, look);
    const goTo = (next: string) => watched.page.goto(`${server().url}/${next}`);
    await goTo(address);
    return { ...watched, goTo, press: (key: string) => watched.page.keyboard.press(key) };
  };

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

  it.each(LOOKS)('a branch is made and its change reviewed and merged, $theme at $width px', async (look) => {
    const branch = `experiment/${nameOf(look)}`;
    const { page, complaints, press, goTo } = await openAs(look, '#/branches');
    await page.getByRole('heading', { name: 'Branches', level: 1 }).waitFor();
    await press('n');
    await page.getByLabel('Name').fill(branch);
    await press('Enter');
    await page.getByRole('heading', { name: branch }).waitFor();
    await app().call('entries.write', { entity_path: 'svc/pay', key: nameOf(look), value: 'elderberry', branch });
    await page
      .getByRole('article', { name: `svc/pay/${nameOf(look)}` })
      .getByText('elderberry')
      .waitFor();
    const title = `Berries of ${nameOf(look)}`;
    const { id } = await app().call('pull_requests.create', { title, source_branch: branch }, { agent_id: 'planner' });
    await goTo(`#/pulls/${id}`);
    await page.getByRole('heading', { name: title }).waitFor();
    await press('a');
    await page.getByRole('dialog').getByRole('textbox').waitFor();
    await page.keyboard.type('Berries it is.');
    await press('Control+Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText('Nothing stands in the way of the merge.').waitFor();
    await press('m');
    await page.getByRole('dialog', { name: 'Merge pull request' }).getByText('1 entry added').waitFor();
    await press('Control+Enter');
    await page.getByText('Merged: Three-way.').waitFor();
    const merged = await app().call('entries.read', { entity_path: 'svc/pay', key: nameOf(look) });
    expect(merged.value).toBe('elderberry');
    expect(complaints).toEqual([]);
    await page.close();
  });

  it.each(LOOKS)('an event is opened, and an agent briefed, $theme at $width px', async (look) => {
    const { page, complaints, press, goTo } = await openAs(look, '#/timeline');
    await page.getByRole('grid', { name: 'Events' }).getByRole('row').nth(1).waitFor();
    await press('j');
    await press('Enter');
    await page.getByRole('complementary', { name: /^Event/ }).waitFor();
    await press('Escape');
    await goTo('#/briefing');
    await page.getByLabel('For the agent').fill('tester');
    await press('Enter');
    await expect.poll(() => new URL(page.url()).hash).toBe('#/briefing?agent=tester');
    await page.getByRole('main').getByText('of-tester').first().waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it.each(LOOKS)('a delivery is tried again, and a key made, $theme at $width px', async (look) => {
    const { page, complaints, press, goTo } = await openAs(look, '#/connectors');
    await page.getByRole('button', { name: 'Retry delivery-1' }).focus();
    await press('Enter');
    await page.getByText(/Failed again: its number is odd/).waitFor();
    await goTo('#/admin/keys');
    await page.getByRole('button', { name: 'New key' }).waitFor();
    await press('n');
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill(nameOf(look));
    await press('Enter');
    await page.getByRole('figure', { name: 'The key' }).waitFor();
    await page.getByRole('button', { name: 'I have it' }).focus();
    await press('Enter');
    const { keys } = await app().call('keys.list', {});
    expect(keys.map(({ name }) => name)).toContain(nameOf(look));
    expect(complaints).toEqual([]);
    await page.close();
  });

  it.each(LOOKS)('an incident is acknowledged and its judge listed, $theme at $width px', async (look) => {
    const judge_id = `judge-${nameOf(look)}`;
    const checks = [{ check: 'outcome' as const, in: ['success' as const] }];
    const { traces } = await app().call('traces.list', { agent_id: 'planner' });
    await app().call('judges.create', { judge_id, definition: { kind: 'code', checks }, status: 'draft' });
    const laid = { trace_id: traces[0]?.trace_id as string, judge_ids: [judge_id] };
    const [incident_id = ''] = await layIncidents(app(), { as: {} }, laid);
    const { page, complaints, press, goTo } = await openAs(look, `#/incidents/${incident_id}`);
    await page.getByRole('heading', { name: `${judge_id} fails for planner`, level: 1 }).waitFor();
    await press('a');
    await region(page, 'What happened').getByText('Acknowledged').waitFor();
    expect((await app().call('incidents.read', { incident_id })).status).toBe('acknowledged');
    await goTo('#/judges');
    await page.getByRole('main').getByText(judge_id).filter({ visible: true }).first().waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it.each(LOOKS)('a room is made, joined and talked in, $theme at $width px', async (look) => {
    const { page, complaints, press } = await openAs(look, '#/rooms');
    await page.getByRole('button', { name: 'New room' }).waitFor();
    await press('n');
    const dialog = page.getByRole('dialog', { name: 'New room' });
    await dialog.getByLabel('Name').fill(`Room ${nameOf(look)}`);
    await press('Enter');
    await page.getByRole('heading', { name: `Room ${nameOf(look)}`, level: 1 }).waitFor();
    await region(page, 'Discussion').getByLabel('Say something').fill('Elderberries?');
    await press('Control+Enter');
    await region(page, 'Discussion').getByRole('listitem').getByText('Elderberries?').waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });
});
