import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { useBrowser } from '../support/browser.ts';
import { builtDashboard } from '../support/dashboard.ts';
import { fillBriefing, fillConnectors } from './support/review-story.ts';
import { expectNoSidewaysScroll, findings, LOOKS, realClock, wear } from './support/window.ts';

describe.each(backends)('Briefing and connectors on %s', (backend) => {
  const newPage = useBrowser();
  let app: TestApp;
  let server: TestServer;
  let folder: string;
  beforeAll(async () => {
    folder = await builtDashboard();
    app = await openTestApp(backend, { clock: realClock() });
    server = await listen(app, { dashboard: folder, corsOrigins: [] });
    await fillBriefing(app);
    await fillConnectors(app);
    // The briefing follows the log.
    const briefing = () => app.call('briefing.read', { agent: 'deploy-bot' });
    while ((await briefing()).validated.length === 0) await app.jobs.sweep();
  });
  afterAll(async () => {
    await server.close();
    await app.close();
  });

  it('shows what an agent is told and why, and asks again for another', async () => {
    const { page, complaints } = await newPage();
    await page.goto(`${server.url}/#/briefing`);
    await page.getByLabel('For the agent').fill('deploy-bot');
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).hash).toBe('#/briefing?agent=deploy-bot');
    const section = (name: string) => page.getByRole('region', { name, exact: true });
    await section('Held up').getByText('4 successes, 0 failures').waitFor();
    await section('Failed').getByText('0 successes, 5 failures').waitFor();
    await section('How to').getByText('failover-order').waitFor();
    expect(complaints).toEqual([]);
  });

  it('shows connectors and tries a dead letter again', async () => {
    const { page, complaints } = await newPage();
    await page.goto(`${server.url}/#/connectors`);
    await page
      .getByRole('row', { name: /example/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Retry delivery-1' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText(/Failed again: its number is odd/).waitFor();
    await page.getByRole('button', { name: 'Retry all 2 shown' }).click();
    await page.getByText('0 transformed, 2 failed again').waitFor();
    await page.getByRole('link', { name: 'example' }).first().click();
    await page.getByText('export MEM_CONNECTOR_EXAMPLE_SECRET').waitFor();
    await page.getByText(`${server.url}/api/v1/webhooks/example`).waitFor();
    await page.getByRole('table', { name: 'Last deliveries' }).getByRole('row').nth(2).waitFor();
    expect(complaints).toEqual([]);
  });

  it('appear only where their modules answer', async () => {
    const bare = await openTestApp('sqlite', { clock: realClock(), modules: [] });
    const small = await listen(bare, { dashboard: folder, corsOrigins: [] });
    const { page } = await newPage();
    await page.goto(small.url);
    const navigation = page.getByRole('navigation', { name: 'Main', exact: true });
    await navigation.getByRole('link', { name: 'Connectors' }).waitFor();
    expect(await navigation.getByRole('link', { name: 'Branches' }).count()).toBe(0);
    expect(await navigation.getByRole('link', { name: 'Pull requests' }).count()).toBe(0);
    await small.close();
    await bare.close();
  });

  it.each(LOOKS)('are accessible, and no wider than the window, $theme at $width px', async (look) => {
    const { page, complaints } = await newPage();
    await wear(page, look);
    const found: string[] = [];
    for (const [address, text] of [
      ['#/briefing?agent=deploy-bot&path=checkout', 'failover-order'],
      ['#/connectors/example', 'MEM_CONNECTOR_EXAMPLE_SECRET'],
    ] as const) {
      await page.goto(`${server.url}/${address}`);
      await page.getByRole('main').getByText(text).first().waitFor();
      found.push(...(await findings(page)).map((finding) => `${address} ${finding}`));
      await expectNoSidewaysScroll(page);
    }
    expect(found).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
