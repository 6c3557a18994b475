import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { useBrowser } from '../support/browser.ts';
import { builtDashboard } from '../support/dashboard.ts';
import { expectNoSidewaysScroll, findings, LOOKS, realClock, wear } from './support/window.ts';

const XSS = '<img src=x onerror="document.title=`hacked`">';

describe.each(backends)('Search on %s', (backend) => {
  const newPage = useBrowser();
  let app: TestApp;
  let server: TestServer;
  beforeAll(async () => {
    app = await openTestApp(backend, { clock: realClock() });
    server = await listen(app, { dashboard: await builtDashboard(), corsOrigins: [] });
    const entries = [
      {
        entity_path: 'checkout/payments',
        key: 'retry-policy',
        value: 'Retry the gateway after a timeout, three times.',
      },
      { entity_path: 'checkout/payments', key: 'gateways', value: { order: ['adyen', 'stripe'], because: 'price' } },
      { entity_path: 'infra', key: 'pool-size', value: 'Forty connections are enough.' },
      { entity_path: 'x', key: 'markup', value: `gateway ${XSS}` },
    ];
    for (const entry of entries) await app.call('entries.write', entry, { agent_id: 'deploy-bot' });
  });
  afterAll(async () => {
    await server.close();
    await app.close();
  });

  it('finds as somebody types, marks the words, says why, and opens, with the keyboard alone', async () => {
    const { page, complaints } = await newPage();
    await page.goto(`${server.url}/#/search`);
    await page.getByText('Type to search everything').waitFor();
    await page.keyboard.type('gateway retries');
    const results = page.getByRole('list', { name: 'Results' }).getByRole('listitem');
    await results.filter({ hasText: 'retry-policy' }).locator('p mark', { hasText: 'Retry' }).waitFor();
    expect(new URL(page.url()).hash).toBe('#/search?q=gateway+retries');
    expect(await results.first().innerText()).toContain('retry-policy');
    expect(await results.filter({ hasText: 'pool-size' }).count()).toBe(0);
    const why = page.getByRole('region', { name: 'Why it is here' });
    await why.getByText(/its score of [\d.]+ is the best/).waitFor();
    await why.getByRole('row', { name: 'retries 1 1' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('article', { name: 'Entry' }).getByRole('heading', { name: 'retry-policy' }).waitFor();
    await page.goBack();
    await results.first().waitFor();
    expect(complaints).toEqual([]);
  });

  it('keeps filters as chips, and in the address', async () => {
    const { page } = await newPage();
    await page.goto(`${server.url}/#/search?q=gateway&path=checkout`);
    const results = page.getByRole('list', { name: 'Results' }).getByRole('listitem');
    await results.first().waitFor();
    expect(await results.filter({ hasText: 'markup' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Remove path checkout' }).click();
    await results.filter({ hasText: 'markup' }).waitFor();
    expect(new URL(page.url()).hash).toBe('#/search?q=gateway');
    expect(await page.locator('img').count()).toBe(0);
  });

  it('asks a question by meaning and shows the parts of each score', async () => {
    const { page } = await newPage();
    await page.goto(`${server.url}/#/search?by=meaning`);
    await page.getByRole('searchbox').fill('how often do we retry the gateway?');
    await page.keyboard.press('Enter');
    const results = page.getByRole('list', { name: 'Results' }).getByRole('listitem');
    await results.filter({ hasText: 'retry-policy' }).waitFor();
    const why = page.getByRole('region', { name: 'Why it is here' });
    await why.getByText(/is the sum of these parts/).waitFor();
    await why.getByRole('rowheader', { name: 'Words', exact: true }).waitFor();
  });

  if (backend === 'sqlite')
    it.each(LOOKS)('is accessible, and no wider than the window, $theme at $width px', async (look) => {
      const { page, complaints } = await newPage();
      await wear(page, look);
      await page.goto(`${server.url}/#/search?q=gateway`);
      await page.getByRole('button', { name: /Why/ }).first().click();
      expect(await findings(page)).toEqual([]);
      await expectNoSidewaysScroll(page);
      expect(complaints).toEqual([]);
    });
});
