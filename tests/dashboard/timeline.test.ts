import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { useBrowser } from '../support/browser.ts';
import { builtDashboard } from '../support/dashboard.ts';
import { storyClock, writeTraceStory } from './support/trace-story.ts';
import { expectNoSidewaysScroll, findings, LOOKS, wear } from './support/window.ts';

const SCRIPT = '<img src=x onerror="document.title=1">';

const newPage = useBrowser();

describe.each(backends)('Timeline on %s', (backend) => {
  let app: TestApp;
  let server: TestServer;
  beforeAll(async () => {
    const clock = storyClock();
    app = await openTestApp(backend, { clock });
    await writeTraceStory(app);
    clock.catchUp();
    server = await listen(app, { dashboard: await builtDashboard(), corsOrigins: [] });
  });
  afterAll(async () => {
    await server.close();
    await app.close();
  });

  const open = async (address = '', look?: (typeof LOOKS)[number]) => {
    const watched = await newPage();
    if (look) await wear(watched.page, look);
    await watched.page.goto(`${server.url}/#/timeline${address}`);
    return watched;
  };
  const list = (page: Page) => page.getByRole('grid', { name: 'Events' });
  const inspector = (page: Page) => page.getByRole('complementary', { name: /^Event/ });

  it('shows each agent and its branches, and leads from an event to its trace, with keys alone', async () => {
    const { page, complaints } = await open();
    await list(page).getByText('Branch merged').waitFor();
    const lanes = page.getByRole('region', { name: 'Agents over time' });
    for (const name of ['planner', 'deploy-bot', 'sre-oncall', 'longer-retries'])
      await lanes.getByRole('link', { name, exact: true }).waitFor();
    await list(page).focus();
    const rows = await list(page).getByRole('row').allTextContents();
    const at = rows.findIndex((text) => text.includes('regression'));
    for (let i = 0; i < at; i++) await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await inspector(page).getByText('"regression"').waitFor();
    await inspector(page).getByRole('link', { name: 'Open trace' }).press('Enter');
    await page.getByRole('heading', { name: 'Roll out retry policy v7 to eu-west' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('opens the event of an address, with the entries of its commit', async () => {
    const { events } = await app.call('log.list', {});
    const commit = events.find(({ event_type }) => event_type === 'commit');
    const { page } = await open(`?event=${commit?.seq}`);
    await inspector(page).getByText('Wrote 1 entry').waitFor();
    await inspector(page).getByText('retry-policy').waitFor();
    await page.keyboard.press('Escape');
    await inspector(page).waitFor({ state: 'detached' });
    expect(page.url()).not.toContain('event=');
  });

  it('filters by type, agent, path and branch, in the address', async () => {
    const { page } = await open('?type=outcome');
    await list(page).getByText('clean_deploy').waitFor();
    expect(await list(page).getByRole('row').count()).toBe(3);
    await page.getByRole('button', { name: 'agent any' }).click();
    await page.getByRole('menuitem', { name: 'sre-oncall' }).click();
    await list(page).getByText('regression').waitFor({ state: 'detached' });
    expect(await list(page).getByRole('row').count()).toBe(1);
    expect(page.url()).toContain('agent=sre-oncall');
    await page.goto(`${server.url}/#/timeline?branch=longer-retries`);
    await list(page).getByText('Branch created').waitFor();
    expect(await list(page).getByRole('row').count()).toBe(4);
    await page.goto(`${server.url}/#/timeline?path=docs/**&type=write`);
    await list(page).getByText('failover-eu').waitFor();
    expect(await list(page).getByRole('row').count()).toBe(1);
  });

  it('zooms, goes through time and back', async () => {
    const { page } = await open();
    await list(page).getByText('Branch merged').waitFor();
    await page.keyboard.press('-');
    await page.getByRole('button', { name: 'Day', pressed: true }).waitFor();
    for (const zoom of ['Hour', '10 min', '1 min']) {
      await page.keyboard.press('+');
      await page.getByRole('button', { name: zoom, exact: true, pressed: true }).waitFor();
    }
    await page.getByRole('button', { name: 'Hour', exact: true }).click();
    await page.keyboard.press('<');
    await list(page).getByText('Branch merged').waitFor({ state: 'detached' });
    expect(page.url()).toContain('at=');
    await page.getByRole('button', { name: 'Now' }).click();
    await list(page).getByText('Branch merged').waitFor();
  });

  it('follows what happens, holds while it is read, and shows text as text', async () => {
    const { page } = await open();
    await list(page).getByText('Branch merged').waitFor();
    const write = (key: string) =>
      app.call('entries.write', { entity_path: 'live', key, value: SCRIPT, agent_id: 'newcomer' });
    await write(SCRIPT.replaceAll('/', ''));
    await list(page).getByText(SCRIPT).waitFor();
    await list(page).hover();
    await write('second');
    await page.getByRole('button', { name: '1 new' }).click();
    await list(page).getByText('second').waitFor();
    await page.mouse.move(0, 0);
    await page.keyboard.press('p');
    await page.getByText('paused', { exact: true }).waitFor();
    await write('third');
    await page.keyboard.press('p');
    await list(page).getByText('third').waitFor();
    expect(await page.title()).toContain('Timeline');
  });

  if (backend === 'sqlite')
    it.each(LOOKS)('is clean in $theme at $width px', async (look) => {
      const { page } = await open('?event=1', look);
      await inspector(page).getByText('Place in the log').waitFor();
      expect(await findings(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await list(page).getByText('Branch merged').waitFor();
      expect(await findings(page)).toEqual([]);
      await expectNoSidewaysScroll(page);
    });

  it('leads from an event to what it is about, and says what came of it', async () => {
    await app.call('judges.create', {
      judge_id: 'quiet-tools',
      definition: { kind: 'code', checks: [{ check: 'most', of: 'failed_tool_calls', limit: 0 }] },
    });
    const { traces } = await app.call('traces.list', { limit: 1 });
    await app.call('verdicts.judge', { trace_id: traces[0]?.trace_id as string, judge_id: 'quiet-tools' });
    const { page, complaints } = await open();
    const judged = list(page).getByRole('row').filter({ hasText: 'Traces judged' });
    await judged.getByText(/of 1 verdict failed/).waitFor();
    await list(page).getByText('Judge defined').click();
    await inspector(page).getByRole('link', { name: 'Open quiet-tools' }).click();
    await page.getByRole('heading', { name: 'quiet-tools', level: 1 }).waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('on a phone keeps names out of the times', async () => {
    for (let n = 1; n <= 12; n++)
      await app.call('entries.write', { entity_path: 'many/agents', key: `k${n}`, value: n }, { agent_id: `a-${n}` });
    const { page } = await open('', { theme: 'dark', width: 375 });
    const more = page.getByRole('button', { name: /more agents?$/ });
    const lanes = page.getByRole('region', { name: 'Agents over time' });
    await more.waitFor();
    const [button, time] = [
      await more.boundingBox(),
      await lanes
        .getByText(/^\d\d:\d\d$/)
        .last()
        .boundingBox(),
    ];
    expect(button?.y).toBeGreaterThan((time?.y ?? 0) + (time?.height ?? 0) / 2);
    await page.close();
  });
});
