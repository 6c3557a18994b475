import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { useBrowser } from '../support/browser.ts';
import { builtDashboard } from '../support/dashboard.ts';
import { expectNoSidewaysScroll, findings, LOOKS, realClock, wear } from './support/window.ts';

const grave = (found: string[]) => found.filter((finding) => /^(serious|critical)/.test(finding));
const XSS = '<img src=x onerror="document.title=`hacked`">';
const PATHS = ['checkout/payments', 'infra/eu-west', 'docs/runbooks'];

/** Three agents who write, read each other's entries and commit outcomes. */
async function fill(app: TestApp): Promise<void> {
  const agents = ['deploy-bot', 'reviewer', XSS];
  for (const [i, agent_id] of agents.entries())
    await app.call(
      'entries.write',
      { entity_path: PATHS[i] as string, key: 'retry-policy', value: { n: i }, confidence: 0.8 },
      { agent_id },
    );
  await app.call('agents.set_profile', { agent_id: 'deploy-bot', description: 'Rolls out changes', tags: ['deploy'] });
  await app.call('agents.set_capabilities', {
    agent_id: 'deploy-bot',
    capabilities: [{ name: 'payment-retries', description: XSS }],
  });
  for (const [i, agent_id] of agents.entries()) {
    const session_id = `session-${i}`;
    const entity_path = PATHS[(i + 1) % PATHS.length] as string;
    await app.call('entries.read', { entity_path, key: 'retry-policy' }, { agent_id, session_id });
    await app.call(
      'outcomes.commit',
      {
        outcome_ref: `deploy-${i}`,
        outcome_type: i === 0 ? 'success' : 'failure',
        causal_entry_keys: [`${entity_path}/retry-policy`],
      },
      { agent_id, session_id },
    );
  }
}

const newPage = useBrowser();

describe.each(backends)('Agents on %s', (backend) => {
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
  const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

  it('lists them, finds one by what it can do, and opens it, with the keyboard alone', async () => {
    const { page, complaints } = await open('#/overview');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    const row = page.getByRole('table', { name: 'Agents' }).getByRole('row', { name: /deploy-bot/ });
    await row.waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('payment');
    await region(page, 'Can do it').getByText('deploy-bot').waitFor();
    await region(page, 'Can do it')
      .getByRole('row', { name: /deploy-bot/ })
      .focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'deploy-bot' }).waitFor();
    await page.getByText('Rolls out changes').waitFor();
    await region(page, 'Its timeline').getByText('Entry written').first().waitFor();
    expect(complaints).toEqual([]);
  });

  it('adds a rule to the contracts of an agent, which holds, and takes it back', async () => {
    const { page, complaints } = await open('#/agents/deploy-bot');
    const contracts = region(page, 'Contracts');
    await contracts.getByRole('button', { name: 'Add rule' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Path').fill('checkout/**');
    await dialog.getByLabel('Least confidence').fill('0.5');
    await dialog.getByRole('button', { name: 'Add rule' }).click();
    await contracts.getByText('confidence at least 0.50').waitFor();
    const bad = { entity_path: 'checkout/payments', key: 'other', value: 1, confidence: 0.2 };
    await expect(app.call('entries.write', bad, { agent_id: 'deploy-bot' })).rejects.toThrow();
    await contracts.getByRole('button', { name: 'Remove the rule for checkout/**' }).click();
    await contracts.getByText('It has set no rules').waitFor();
    expect((await app.call('agents.profile', { agent_id: 'deploy-bot' })).contracts).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('draws the graph, and fills the profile of what keys select in it', async () => {
    const { page, complaints } = await open('#/agents?view=graph');
    const graph = page.getByRole('application');
    await page.locator('canvas[data-settled]').waitFor();
    expect(await graph.getAttribute('aria-label')).toContain('3 agents, 3 paths and 3 outcomes');
    await expect.poll(() => inked(page)).toBeGreaterThan(200);
    await graph.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => page.url()).toContain('selected=agent');
    await region(page, 'Calibration').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'All agents' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('deploy-0');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'deploy-0' }).waitFor();
    await region(page, 'Committed by').getByRole('link', { name: 'deploy-bot' }).click();
    await page.getByRole('heading', { name: 'deploy-bot' }).waitFor();
    await graph.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toContain('#/agents/deploy-bot');
    expect(complaints).toEqual([]);
  });

  it('shows what happens while it is open', async () => {
    const { page } = await open('#/agents');
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
    await app.call('entries.write', { entity_path: 'a/b', key: 'k', value: 1 }, { agent_id: 'newcomer' });
    await page.getByRole('link', { name: 'newcomer' }).waitFor();
    const { agents } = await app.call('agents.list', {});
    expect(agents.map(({ agent_id }) => agent_id)).toContain('newcomer');
  });

  it('says that an agent is not known', async () => {
    const { page } = await open('#/agents/nobody');
    await page.getByText('This agent has done nothing yet').waitFor();
  });

  if (backend !== 'sqlite') return;

  it.each(LOOKS)('is sound in $theme at $width px', async (look) => {
    const { page, complaints } = await newPage();
    await wear(page, look);
    for (const [address, text] of [
      [`#/agents/${encodeURIComponent(XSS)}`, 'Reads most'],
      ['#/agents?view=graph&selected=agent:deploy-bot', 'Reads most'],
    ] as const) {
      await page.goto(`${server.url}/${address}`);
      await page.getByText(text).first().waitFor();
      await expectNoSidewaysScroll(page);
      expect(grave(await findings(page))).toEqual([]);
    }
    expect(await page.title()).not.toBe('hacked');
    expect(complaints).toEqual([]);
  });
});

/** How many points of the canvas are not empty. */
const inked = (page: Page): Promise<number> =>
  page.evaluate<number>(`(() => {
    const canvas = document.querySelector('canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return data.filter((value, i) => i % 4 === 3 && value > 0).length;
  })()`);
