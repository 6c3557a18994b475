import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { useBrowser } from '../support/browser.ts';
import { builtDashboard } from '../support/dashboard.ts';
import { realClock } from './support/window.ts';

const CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
/** As it is stored, and as it is shown. */
const TURNED = { path: 'safe\u202efig.exe', shown: 'safe[U+202E]fig.exe' };
const HEBREW = 'שלום-7';

const newPage = useBrowser();

describe.each(backends)('Names on %s', (backend) => {
  let app: TestApp;
  let server: TestServer;
  beforeAll(async () => {
    app = await openTestApp(backend, { clock: realClock() });
    server = await listen(app, { dashboard: await builtDashboard(), corsOrigins: [] });
    const write = (entity_path: string, key: string, agent_id: string) =>
      app.call('entries.write', { entity_path, key, value: `of ${key}` }, { agent_id });
    await write(TURNED.path, `key\u2066one`, `agent\u202etwo`);
    await write('checkout', HEBREW, 'planner');
    for (let no = 0; no < 12; no++) await write('shared', `fact-${no}`, 'planner');
    for (let no = 0; no < 12; no++) {
      const reader = { agent_id: 'reader', session_id: 'work' };
      await app.call('entries.read', { entity_path: 'shared', key: `fact-${no}` }, reader);
    }
    await app.call(
      'outcomes.commit',
      { outcome_ref: 'done', outcome_type: 'success' },
      { agent_id: 'reader', session_id: 'work' },
    );
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
  const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

  it.each([
    '#/overview',
    '#/memory',
    `#/memory/${encodeURIComponent(TURNED.path)}?key=${encodeURIComponent('key\u2066one')}`,
    '#/timeline',
    '#/agents',
    `#/agents/${encodeURIComponent('agent\u202etwo')}`,
  ])('that would reorder the page are shown with marks at %s', async (address) => {
    const { page, complaints } = await open(address);
    await page.getByRole('main').getByText('[U+').first().waitFor();
    expect(await page.getByRole('main').innerText()).not.toMatch(CONTROLS);
    expect(await page.title()).not.toMatch(CONTROLS);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('lead to what is stored, not to what is shown', async () => {
    const { page } = await open('#/overview');
    await region(page, 'Live').getByText(TURNED.shown).first().click();
    await expect.poll(() => decodeURIComponent(page.url())).toContain(`#/memory/${TURNED.path}`);
    await page.getByRole('main').getByText('key[U+2066]one').first().waitFor();
    await page.close();
  });

  it('from right to left are kept apart from what stands beside them', async () => {
    const { page } = await open('#/memory/checkout');
    const name = page.getByRole('main').locator('bdi', { hasText: HEBREW }).first();
    await name.waitFor();
    expect(await name.innerText()).toBe(HEBREW);
    await page.close();
  });

  it('of events are words, with the type for who points at them and in the details', async () => {
    const { page } = await open('#/overview');
    const row = region(page, 'Live').getByRole('row').filter({ hasText: 'done' }).first();
    expect(await row.getByText('Outcome', { exact: true }).getAttribute('title')).toBe('outcome');
    await region(page, 'Live').getByText('Read across agents').first().waitFor();
    await region(page, 'Live').getByText('Read by another agent').first().waitFor();
    await page.goto(`${server.url}/#/timeline?type=write`);
    await page.getByRole('grid', { name: 'Events' }).getByText('Entry written').first().click();
    const details = page.getByRole('complementary', { name: /Event \d+: Entry written/ });
    await details.getByText('write', { exact: true }).waitFor();
    await page.close();
  });

  it('of types are words where they are chosen, and types in the address', async () => {
    const { page } = await open('#/overview');
    await page.getByRole('button', { name: 'type all' }).click();
    await page.getByRole('menuitem', { name: 'Outcome', exact: true }).click();
    await expect.poll(() => page.url()).toContain('type=outcome');
    await page.close();
  });

  it('a read across agents counts once on Overview, though the log has it for both', async () => {
    const { page } = await open('#/overview');
    const legend = region(page, 'Activity').getByRole('listitem').filter({ hasText: 'Reads across agents' });
    await expect.poll(() => legend.innerText()).toMatch(/Reads across agents 12$/);
    await page.close();
  });
});
