import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Backend, backends, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { useBrowser } from '../support/browser.ts';
import { builtDashboard } from '../support/dashboard.ts';
import { cutPx, realClock } from './support/window.ts';

const newPage = useBrowser();
const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

const XSS = '<img src=x onerror="document.title=`hacked`">';

async function serve(backend: Backend): Promise<{ app: TestApp; server: TestServer }> {
  const app = await openTestApp(backend, { clock: realClock() });
  return { app, server: await listen(app, { dashboard: await builtDashboard(), corsOrigins: [] }) };
}

async function openAt({ url }: TestServer, address: string) {
  const watched = await newPage();
  await watched.page.goto(`${url}/${address}`);
  return watched;
}

/** Requests to these addresses wait until the function that it returns is called. */
async function holdBack(page: Page, addresses: string): Promise<() => void> {
  let go = () => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  await page.route(addresses, async (route) => {
    await held;
    await route.continue();
  });
  return go;
}

describe.each(backends)('Overview of an empty store on %s', (backend) => {
  let app: TestApp;
  let server: TestServer;
  beforeEach(async () => {
    ({ app, server } = await serve(backend));
  });
  afterEach(async () => {
    await server.close();
    await app.close();
  });

  const open = (address = '') => openAt(server, address);

  it('shows commands that fill it, and a copied one works', async () => {
    const { page, complaints } = await open();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByText('Nothing is stored yet.').waitFor();
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    const command = await page.evaluate<string>('navigator.clipboard.readText()');
    await promisify(execFile)('sh', ['-c', command.replace('curl ', 'curl -sf ')]);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await section(page, 'Live').getByText('retry-policy').waitFor();
    expect(complaints).toEqual([]);
  });

  it('shows the first entry and what follows without asking by a timer', async () => {
    const { page } = await newPage();
    await page.addInitScript(`{
      const set = setInterval;
      setInterval = (run, ms, ...given) => (ms < 5_000 ? set(run, ms, ...given) : 0);
    }`);
    await page.goto(server.url);
    await page.getByText('Nothing is stored yet.').waitFor();
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
    for (const key of ['first', 'second']) {
      await app.call('entries.write', { entity_path: 'checkout', key, value: 1 }, { agent_id: `writer-${key}` });
      await section(page, 'Live')
        .getByRole('row')
        .filter({ hasText: `checkout/${key}` })
        .first()
        .waitFor();
      await section(page, 'Agents, last hour').getByText(`writer-${key}`).waitFor();
    }
  });

  it('loads demo data with one click, shows it, leads through it, and removes it with one click', async () => {
    const { page, complaints } = await open();
    await page.getByText('Nothing is stored yet.').waitFor();
    await page.keyboard.press('c');
    await page.getByRole('menuitem', { name: 'SDK call' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Load demo data' }).waitFor();
    await page.getByText('The tour shows demo data, and loads it first').waitFor();
    await page.getByRole('button', { name: 'Take the tour' }).click();
    const tour = page.getByRole('region', { name: 'Tour' });
    await tour.getByText('1 of 5').waitFor();
    await tour.getByRole('button', { name: 'Next' }).click();
    await tour.getByText('Arrow keys walk through the bars').waitFor();
    await page.setViewportSize({ width: 375, height: 812 });
    await tour.getByText('Choose an hour or a month above. Table shows the numbers.').waitFor();
    await page.setViewportSize({ width: 1280, height: 720 });
    for (let step = 2; step < 5; step++) await tour.getByRole('button', { name: 'Next' }).click();
    await tour.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Take the tour' }).click();
    await tour.getByText('1 of 5').waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Memory' }).first().click();
    await page.waitForURL(/#\/memory/);
    await tour.waitFor({ state: 'hidden' });
    await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).first().click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(await tour.count()).toBe(0);
    await section(page, 'Needs a person').getByText('p2_incident of deploy-2229').waitFor();
    await section(page, 'Needs a person').getByText('Contested').first().waitFor();
    await section(page, 'Needs a person').getByText('Stale read').first().waitFor();
    await section(page, 'Confidence moved').getByText('retry-policy').waitFor();
    await section(page, 'Agents, last hour').getByText('demo-deploy-bot').waitFor();
    await section(page, 'Live').getByText('deploy-2231').waitFor();
    const { traces } = await app.call('traces.list', { limit: 50 });
    for (const { trace_id } of traces) {
      const trace = await app.call('traces.read', { trace_id });
      for (const { started_at } of trace.tool_calls) {
        expect(Date.parse(started_at)).toBeGreaterThanOrEqual(Date.parse(trace.session_started_at ?? ''));
        expect(Date.parse(started_at)).toBeLessThanOrEqual(Date.parse(trace.session_ended_at));
      }
    }
    await app.call('entries.write', { entity_path: 'demo/notes', key: 'mine', value: 'not of the demo' });
    await app.call('entries.write', { entity_path: 'demo/infra/eu-west', key: 'pool-size', value: 'changed by me' });
    // What the service concluded from the work of the agents is there too, and goes with them.
    await app.call('entries.read', { entity_path: 'demo/checkout/payments', key: 'lesson-contrast-deploy-2224' });
    const { total_entries } = await app.call('stats.read', {});
    await page.getByRole('button', { name: 'Remove demo data' }).click();
    const kept = '1 stays, since others changed it. Counts of the past stay.';
    await page.getByText(`Demo data removed: ${total_entries - 2} entries. ${kept}`).waitFor();
    const { entries } = await app.call('entries.list', {});
    expect(entries.map(({ key }) => key)).toEqual(['pool-size', 'mine']);
    await expect.poll(() => page.getByRole('button', { name: 'Remove demo data' }).count()).toBe(0);
    await app.call('entries.erase', { entity_path: 'demo/**' });
    await page.getByText('Nothing is stored yet.').waitFor();
    expect((await app.call('agents.list', {})).agents.filter(({ agent_id }) => agent_id.startsWith('demo'))).toEqual(
      [],
    );
    expect(complaints).toEqual([]);
  });
});

describe.each(backends)('Overview on %s', (backend) => {
  let app: TestApp;
  let server: TestServer;
  beforeAll(async () => {
    ({ app, server } = await serve(backend));
    const as = { agent_id: XSS };
    await app.call('entries.write', { entity_path: `demo/${XSS}`.replaceAll('*', ''), key: XSS, value: XSS }, as);
    await app.call('outcomes.commit', { outcome_ref: XSS, outcome_type: 'p1_incident' }, as);
  });
  afterAll(async () => {
    await server.close();
    await app.close();
  });

  const open = (address = '') => openAt(server, address);

  it('shows what is written at once, in every window', async () => {
    const [first, second] = [await open(), await open()];
    for (const { page } of [first, second]) await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
    await app.call(
      'entries.write',
      { entity_path: 'a/b', key: 'fresh', value: 1, confidence: 0.4 },
      { agent_id: 'writer' },
    );
    for (const { page } of [first, second])
      await section(page, 'Live').getByRole('row').filter({ hasText: 'fresh' }).getByText('0.40').waitFor();
  });

  it('names an entry whose confidence moved in full beside a long agent, with the whole movement and its last step', async () => {
    const at = { entity_path: 'checkout/payments', key: 'retry-policy' };
    await app.call('entries.write', { ...at, value: 3, confidence: 0.8 }, { agent_id: 'writer' });
    for (const outcome_type of ['failure', 'success'] as const) {
      const as = { agent_id: 'platform/reliability/deployment-coordinator', session_id: outcome_type };
      await app.call('entries.read', at, as);
      await app.call('outcomes.commit', { outcome_ref: `moved-${outcome_type}`, outcome_type }, as);
    }
    const { outcomes } = await app.call('outcomes.list', { limit: 2 });
    const steps = outcomes.map(({ entries }) => entries[0]);
    const [low, end] = [steps[0]?.confidence_before?.toFixed(2), steps[0]?.confidence_after?.toFixed(2)];
    const { page } = await newPage();
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(server.url);
    const row = section(page, 'Confidence moved').getByRole('listitem').filter({ hasText: 'retry-policy' });
    await row.getByText(`0.80 → ${end}`).waitFor();
    await row.getByText(`last: success, ${low} → ${end}`, { exact: true }).waitFor();
    const path = row.getByText('checkout/payments', { exact: true }).locator('..');
    expect([await cutPx(path), await cutPx(row)]).toEqual([0, 0]);
  });

  it('says of a confidence that moved that the entry was written again since', async () => {
    const at = { entity_path: 'checkout/payments', key: 'repaired' };
    await app.call('entries.write', { ...at, value: 3, confidence: 0.8 });
    const lost = { outcome_ref: 'moved-repaired', outcome_type: 'regression' as const, causal_entry_keys: [at] };
    await app.call('outcomes.commit', lost);
    await app.call('branches.create', { name: 'repair' });
    await app.call('entries.write', { ...at, branch: 'repair', value: 5, confidence: 0.8 });
    await app.call('branches.merge', { name: 'repair' });
    const { version } = await app.call('entries.read', at);
    const { page } = await open();
    const row = section(page, 'Confidence moved').getByRole('listitem').filter({ hasText: 'repaired' });
    await row.getByText(`now v${version}, at 0.80`).waitFor();
    expect(await row.locator('.bad').count()).toBe(0);
  });

  it('shows agents that worked before those as whom people only looked', async () => {
    await app.call('entries.write', { entity_path: 'a/b', key: 'seen', value: 1 }, { agent_id: 'worked-before' });
    await app.call('entries.read', { entity_path: 'a/b', key: 'seen' }, { agent_id: 'dashboard', session_id: 'look' });
    const { page } = await open();
    const agents = section(page, 'Agents, last hour').getByRole('listitem');
    await agents.filter({ hasText: 'worked-before' }).waitFor();
    const names = await agents.getByRole('link').allTextContents();
    expect(names.indexOf('dashboard')).not.toBe(0);
    if (names.includes('dashboard')) expect(names.at(-1)).toBe('dashboard');
  });

  it('holds new rows back while somebody reads, and while it is paused', async () => {
    const { page } = await open();
    const live = section(page, 'Live');
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
    await live.getByRole('row').nth(1).hover();
    const topOfList = async () => (await live.getByRole('table').boundingBox())?.y;
    const top = await topOfList();
    await app.call('entries.write', { entity_path: 'a/b', key: 'held', value: 1 });
    await live.getByRole('button', { name: 'Show 1 new' }).waitFor();
    expect(await topOfList()).toBe(top);
    expect(await live.getByText('held').count()).toBe(0);
    // A pointer on its way there leaves the list, which shows them too.
    await live.getByRole('button', { name: 'Show 1 new' }).dispatchEvent('click');
    await live.getByText('held').waitFor();
    await page.mouse.move(0, 0);
    await page.keyboard.press('p');
    await page.getByRole('status').filter({ hasText: 'Paused' }).waitFor();
    await app.call('entries.write', { entity_path: 'a/b', key: 'meanwhile', value: 1 });
    await page.keyboard.press('p');
    await live.getByText('meanwhile').waitFor();
  });

  it('keeps its range and its filters in the address', async () => {
    const { page } = await open('#/overview?range=7d&type=outcome');
    const seven = page.getByRole('button', { name: '7 d' });
    await seven.waitFor();
    expect(await seven.getAttribute('aria-pressed')).toBe('true');
    await section(page, 'Live').getByRole('row').filter({ hasText: 'p1_incident' }).waitFor();
    expect(await section(page, 'Live').getByText('fresh').count()).toBe(0);
    await section(page, 'Live').getByRole('button', { name: 'Remove type outcome' }).click();
    await page.getByRole('button', { name: '30 d' }).click();
    expect(new URL(page.url()).hash).toBe('#/overview?range=30d');
  });

  it('draws entries, agents and outcomes over time, with every number a key away', async () => {
    const { page, complaints } = await open('#/overview?range=24h');
    const trends = section(page, 'Over time');
    const { points } = await app.call('series.read', { unit: 'hour', include_agents: true });
    const sum = (type: string) => points.reduce((total, { counts }) => total + (counts[type] ?? 0), 0);
    const most = Math.max(...points.map(({ agents }) => agents ?? 0));
    expect(most).toBeGreaterThan(1);
    const line = (name: string, note: string) => trends.getByRole('figure').filter({ hasText: name }).getByText(note);
    await line('Entries written', `${sum('write')} in all`).waitFor();
    await line('Active agents', `at most ${most}`).waitFor();
    await line('Outcomes', `${sum('outcome')} in all`).waitFor();

    const chart = trends.getByRole('img', { name: /^Active agents per hour in the last 24 hours, highest at / });
    expect(await chart.getAttribute('aria-label')).toMatch(new RegExp(` with ${most}$`));
    const places: number[] = [];
    await chart.focus();
    for (let i = 0; i < 24; i++) {
      await page.keyboard.press('ArrowLeft');
      places.push(Number(await chart.locator('div span').last().textContent()));
    }
    expect(Math.max(...places)).toBe(most);
    await page.keyboard.press('Escape');

    await trends.getByRole('button', { name: 'Table' }).click();
    const table = trends.getByRole('region', { name: 'Entries, agents and outcomes per hour in the last 24 hours' });
    expect(await table.getByRole('columnheader').allTextContents()).toEqual([
      'Entries written',
      'Active agents',
      'Outcomes',
    ]);
    expect(await table.getByRole('row').count()).toBe(25);
    const last = points.at(-1);
    const cells = await table.getByRole('row').last().getByRole('cell').allTextContents();
    expect(cells).toEqual([last?.counts.write ?? 0, last?.agents ?? 0, last?.counts.outcome ?? 0].map(String));
    expect(complaints).toEqual([]);
  });

  it('keeps the place of its lines free, so that nothing moves when they come', async () => {
    const { page } = await newPage();
    const answer = await holdBack(page, '**/series?*include_agents*');
    await page.goto(server.url);
    const live = section(page, 'Live');
    await live.getByRole('row').nth(1).waitFor();
    const before = await live.boundingBox();
    answer();
    await expect.poll(() => section(page, 'Over time').getByRole('img').count()).toBe(3);
    expect((await live.boundingBox())?.y).toBe(before?.y);
  });

  it.each([1440, 375])('moves nothing when it says that there is demo data, %i px wide', async (width) => {
    const as = { agent_id: 'demo-writer' };
    await app.call('entries.write', { entity_path: 'demo/said', key: `at-${width}`, value: 1 }, as);
    const { page } = await newPage();
    await page.setViewportSize({ width, height: 812 });
    const answer = await holdBack(page, '**/entries?*demo*');
    await page.goto(server.url);
    await section(page, 'Live').getByRole('row').nth(1).waitFor();
    await expect.poll(() => section(page, 'Over time').getByRole('img').count()).toBe(3);
    const places = () =>
      Promise.all(
        ['Activity', 'Over time', 'Needs a person', 'Live'].map(
          async (name) => (await section(page, name).boundingBox())?.y,
        ),
      );
    const before = await places();
    answer();
    await page.getByRole('button', { name: 'Remove demo data' }).waitFor();
    expect(await places()).toEqual(before);
    await app.call('entries.erase', { entity_path: 'demo/said' });
  });

  it('has room for its lines on a phone', async () => {
    const { page } = await newPage();
    await page.setViewportSize({ width: 375, height: 812 });
    await page.goto(server.url);
    const charts = section(page, 'Over time').getByRole('img');
    await expect.poll(() => charts.count()).toBe(3);
    for (const chart of await charts.all()) {
      const box = await chart.boundingBox();
      expect(box?.width).toBeGreaterThan(300);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(375);
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375);
  });

  it('asks each question of its first answers once, before the app is there', async () => {
    const { page } = await newPage();
    const asked: string[] = [];
    let beforeTheApp = 0;
    page.on('request', (request) => {
      if (request.url().includes('/api/v1/') && !request.url().includes('/stream')) asked.push(request.url());
    });
    page.on('requestfinished', (request) => {
      if (/\/main-\w+\.js$/.test(request.url())) beforeTheApp = asked.length;
    });
    // A busy machine may take longer than the answers are kept.
    await page.addInitScript('const now = performance.now.bind(performance); performance.now = () => now() / 100;');
    // The app comes late, so that what is asked before it is known.
    await page.route('**/main-*.js', async (route) => {
      await expect.poll(() => asked.some((url) => url.includes('/api/v1/log?'))).toBe(true);
      await route.continue();
    });
    await page.goto(server.url);
    await section(page, 'Live').getByRole('row').nth(1).waitFor();
    expect(beforeTheApp).toBe(11);
    expect(asked.filter((url, i) => asked.indexOf(url) !== i)).toEqual([]);
  });

  it('shows text as text, whatever it says', async () => {
    const { page, complaints } = await open();
    await section(page, 'Live').getByText(XSS).first().waitFor();
    await section(page, 'Needs a person').getByText(`p1_incident of ${XSS}`).waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.title()).toBe('Overview · mem');
    expect(complaints).toEqual([]);
  });

  it('finds events of a type behind any number of others', async () => {
    const writes = Array.from({ length: 120 }, (_, i) => ({ entity_path: 'a/many', key: `k${i}`, value: i }));
    await app.call('commits.create', { writes });
    const { page } = await open('#/overview?type=outcome');
    await section(page, 'Live').getByRole('row').filter({ hasText: 'p1_incident' }).waitFor();
    await app.call('outcomes.commit', { outcome_ref: 'late-1', outcome_type: 'success' }, { agent_id: 'writer' });
    await section(page, 'Live').getByText('late-1').waitFor();
    await section(page, 'Live').getByRole('button', { name: 'Remove type outcome' }).click();
    await section(page, 'Live').getByText('k119').waitFor();
  });
});

/** Lists of the others are not long enough for so many outcomes. */
describe.each(backends)('Overview of many outcomes on %s', (backend) => {
  let app: TestApp;
  let server: TestServer;
  beforeAll(async () => {
    ({ app, server } = await serve(backend));
    const commit = (outcome_type: 'failure' | 'success', n: number) =>
      Promise.all(
        Array.from({ length: n }, (_, i) => {
          const outcome_ref = `${outcome_type}-${i}`;
          const as = { agent_id: 'many-outcomes', session_id: outcome_ref };
          return app.call('outcomes.commit', { outcome_ref, outcome_type }, as);
        }),
      );
    await app.call('entries.write', { entity_path: 'a/b', key: 'one', value: 1 });
    await commit('failure', 6);
    await commit('success', 209);
  });
  afterAll(async () => {
    await server.close();
    await app.close();
  });

  it('counts failures that are older than the newest 200, in all and of an agent', async () => {
    const { page } = await newPage();
    await page.goto(server.url);
    const line = section(page, 'Agents, last hour').getByRole('listitem').filter({ hasText: 'many-outcomes' });
    await line.getByText('215 outcomes').waitFor();
    await line.getByText('6 failed').waitFor();
    await page.getByText('209 succeeded, 6 failed').waitFor();
    const activity = section(page, 'Activity');
    await activity.getByText('Failed outcomes').first().waitFor();
    await activity.getByRole('button', { name: 'Table' }).click();
    const header = await activity.getByRole('columnheader').allTextContents();
    const cells = await activity.locator('tbody td').allTextContents();
    const failed = cells.filter((_, i) => i % header.length === header.indexOf('Failed outcomes'));
    expect(failed.reduce((sum, n) => sum + Number(n), 0)).toBe(6);
  });
});
