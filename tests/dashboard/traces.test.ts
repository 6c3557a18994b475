import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { useBrowser } from '../support/browser.ts';
import { builtDashboard } from '../support/dashboard.ts';
import { storyClock, type TraceStory, writeTraceStory } from './support/trace-story.ts';
import { expectNoSidewaysScroll, findings, LOOKS, wear } from './support/window.ts';

const SCRIPT = '<img src=x onerror="document.title=1">';

const newPage = useBrowser();

describe.each(backends)('Traces on %s', (backend) => {
  let app: TestApp;
  let server: TestServer;
  let story: TraceStory;
  beforeAll(async () => {
    const clock = storyClock();
    app = await openTestApp(backend, { clock });
    story = await writeTraceStory(app);
    clock.catchUp();
    server = await listen(app, { dashboard: await builtDashboard(), corsOrigins: [] });
  });
  afterAll(async () => {
    await server.close();
    await app.close();
  });

  const open = async (address: string, look?: (typeof LOOKS)[number]) => {
    const watched = await newPage();
    if (look) await wear(watched.page, look);
    await watched.page.goto(`${server.url}/#/traces${address}`);
    return watched;
  };
  const steps = (page: Page) => page.getByRole('treegrid');
  const inspector = (page: Page) => page.getByRole('complementary', { name: /^Step:/ });

  it('finds a failed task by its filters and shows why, with keys alone', async () => {
    const { page, complaints } = await open('');
    const list = page.getByRole('grid', { name: 'Traces' });
    await list.getByText('Failover drill of eu-west').waitFor();
    expect(await list.getByRole('row').count()).toBe(3);
    await page.keyboard.press('/');
    await page.keyboard.type('policy v7');
    await list.getByText('Failover drill of eu-west').waitFor({ state: 'detached' });
    await list.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Roll out retry policy v7 to eu-west' }).waitFor();
    expect(page.url()).toContain(`#/traces/${story.incident}`);
    await page.getByText('verified').waitFor();
    await steps(page).getByText('stale').waitFor();
    // The session, the first attempt, what it read and did.
    for (let i = 0; i < 6; i++) await page.keyboard.press(']');
    await inspector(page).getByText('Read as v1, now v2').waitFor();
    await inspector(page).getByText('"fail-fast"').waitFor();
    await inspector(page).getByText('not credited: the entry says something else than what was read').waitFor();
    expect(page.url()).toContain('step=read-1');
    await page.keyboard.press('Escape');
    await inspector(page).getByText('Read as v1').waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  it('shows what was read with the version then and now, and what the outcome did to it', async () => {
    const { page } = await open(`/${story.incident}`);
    const memory = page.getByRole('region', { name: 'Memory in this trace' });
    const row = memory.getByRole('row').filter({ hasText: 'pool-size' });
    await row.getByText('v2').waitFor();
    expect(await row.textContent()).toContain('sre-oncall');
    expect(await row.textContent()).toContain('not credited');
    await memory.getByRole('row').filter({ hasText: 'failover-eu' }).getByText('v1, same').waitFor();
    await row.click();
    await inspector(page).getByText('Read as v1, now v2').waitFor();
  });

  it('folds, shows payloads, tokens and cost, and the tree', async () => {
    const { page } = await open(`/${story.incident}`);
    const call = steps(page).getByRole('row').filter({ hasText: 'claude-sonnet-4' }).first();
    await call.waitFor();
    expect(await call.textContent()).toContain('11,030');
    await steps(page).getByText('kubectl apply').click();
    await inspector(page).getByText('"cluster"').waitFor();
    const before = await steps(page).getByRole('row').count();
    await steps(page).focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowLeft');
    await steps(page).getByText('kubectl apply').waitFor({ state: 'detached' });
    expect(await steps(page).getByRole('row').count()).toBeLessThan(before);
    await page.getByRole('button', { name: 'Tree' }).click();
    expect(page.url()).toContain('view=tree');
    await steps(page).getByText('ping gateway').waitFor();
  });

  it('marks two traces and shows where they part', async () => {
    const { page, complaints } = await open('');
    const list = page.getByRole('grid', { name: 'Traces' });
    await list.getByText('Roll out retry policy v6').waitFor();
    await list.focus();
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
    await page.getByRole('link', { name: 'Compare' }).click();
    const first = page.getByRole('row').filter({ hasText: 'First divergence' });
    await first.waitFor();
    expect(await first.count()).toBe(1);
    await page.getByText(/of \d+ steps are the same/).waitFor();
    await page.reload();
    await first.waitFor();
    expect(complaints).toEqual([]);
  });

  it('shows new traces without moving what is read', async () => {
    const { page } = await open('?agent=newcomer');
    await page.getByText('No trace matches').waitFor();
    await page.goto(`${server.url}/#/traces`);
    const list = page.getByRole('grid', { name: 'Traces' });
    await list.getByText('Failover drill').waitFor();
    const report = { outcome_ref: 'live-1', outcome_type: 'success', task_input: SCRIPT } as const;
    await app.call('outcomes.commit', { ...report, agent_id: 'newcomer', session_id: 'live' });
    await list.getByText(SCRIPT).waitFor();
    await list.hover();
    await app.call('outcomes.commit', { ...report, outcome_ref: 'live-2', agent_id: 'newcomer', session_id: 'live-2' });
    await page.getByRole('button', { name: '1 new' }).click();
    await list.getByText('live-2').waitFor();
    expect(await page.title()).toContain('Traces');
  });

  it('counts what each agent and outcome has, within the other filters, and as traces come', async () => {
    const { page, complaints } = await open('?path=infra/**');
    const rows = (menu: string) => page.getByRole('menu', { name: menu }).getByRole('menuitem');
    const count = (menu: string, name: string, n: string) =>
      rows(menu)
        .filter({ hasText: new RegExp(`^${name}\\s*${n}$`) })
        .waitFor();
    const seen = await app.call('traces.list', { entity_path: 'infra/**', limit: 100 });
    const of = (wanted: Partial<(typeof seen.traces)[number]>) =>
      String(
        seen.traces.filter((trace) => Object.entries(wanted).every(([k, v]) => trace[k as 'agent_id'] === v)).length,
      );
    await page.getByRole('button', { name: 'outcome any' }).click();
    await count('outcome any', 'regression', of({ outcome_type: 'regression' }));
    await count('outcome any', 'p1_incident', '0');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'agent any' }).click();
    await count('agent any', 'deploy-bot', of({ agent_id: 'deploy-bot' }));
    await rows('agent any').filter({ hasText: 'deploy-bot' }).click();
    expect(page.url()).toContain('agent=deploy-bot');
    await page.getByRole('button', { name: 'outcome any' }).click();
    await count('outcome any', 'success', of({ agent_id: 'deploy-bot', outcome_type: 'success' }));
    await page.keyboard.press('Escape');
    await page.goto(`${server.url}/#/traces?agent=latecomer`);
    await page.getByRole('button', { name: 'outcome any' }).click();
    await count('outcome any', 'success', '0');
    const report = { outcome_ref: 'late-1', outcome_type: 'success', task_input: 'Late' } as const;
    await app.call('outcomes.commit', { ...report, agent_id: 'latecomer', session_id: 'late' });
    await count('outcome any', 'success', '1');
    expect(complaints).toEqual([]);
  });

  it.each(['q=retry', 'errors=with', 'session=nobody', 'outcome_ref=deploy-2231'])(
    'counts nothing with %s, by which the search does not filter as the list does',
    async (filter) => {
      const { page } = await newPage();
      const counted: object[] = [];
      page.on('request', (request) => {
        if (!request.url().endsWith('/traces/search')) return;
        const { facets, limit, ...filters } = request.postDataJSON();
        if (facets) counted.push(filters);
      });
      const success = (name: string | RegExp) => page.getByRole('menuitem', { name, exact: true }).waitFor();
      await page.goto(`${server.url}/#/traces?${filter}`);
      await page.getByRole('link', { name: 'Connectors' }).waitFor();
      await page.getByRole('button', { name: 'outcome any' }).click();
      await success('success');
      await page.keyboard.press('Escape');
      await page.goto(`${server.url}/#/traces`);
      await page.getByRole('button', { name: 'outcome any' }).click();
      await success(/^success\s*\d+$/);
      expect(counted).toEqual([{}]);
      await page.close();
    },
  );

  it('says of a number that it may be higher where more traces match than are counted', async () => {
    const { page } = await newPage();
    await page.route('**/traces/search', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), complete: false } });
    });
    await page.goto(`${server.url}/#/traces`);
    await page.getByRole('button', { name: 'outcome any' }).click();
    await page.getByRole('menuitem', { name: /^regression\s*\d+\+$/ }).waitFor();
    await page.getByRole('menuitem', { name: 'p1_incident', exact: true }).waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('says what is wrong with an address', async () => {
    const { page } = await open('/nothing-of-this-name');
    await page.getByRole('alert').getByText('not_found').waitFor();
  });

  if (backend === 'sqlite')
    it.each(LOOKS)('is clean in $theme at $width px', async (look) => {
      const { page } = await open('', look);
      await page.getByRole('grid', { name: 'Traces' }).getByText('Failover drill').waitFor();
      expect(await findings(page)).toEqual([]);
      await expectNoSidewaysScroll(page);
      await page.goto(`${server.url}/#/traces/${story.incident}?step=read-1`);
      await inspector(page).getByText('Read as v1').waitFor();
      expect(await findings(page)).toEqual([]);
      await expectNoSidewaysScroll(page);
      await page.goto(`${server.url}/#/traces/compare?a=${story.success}&b=${story.incident}`);
      await page.getByText('First divergence', { exact: true }).waitFor();
      expect(await findings(page)).toEqual([]);
      await expectNoSidewaysScroll(page);
    });
});
