import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { useBrowser } from '../support/browser.ts';
import { builtDashboard } from '../support/dashboard.ts';
import { proxyBelow } from '../support/sub-path-proxy.ts';

describe('the dashboard in a browser', () => {
  const newPage = useBrowser();
  let app: TestApp;
  let server: TestServer;
  let proxy: Awaited<ReturnType<typeof proxyBelow>>;
  beforeAll(async () => {
    app = await openTestApp('sqlite');
    server = await listen(app, { dashboard: await builtDashboard(), localOnly: true, corsOrigins: [] });
    proxy = await proxyBelow('/tools/mem', server.url);
  });
  afterAll(async () => {
    proxy.close();
    await server.close();
    await app.close();
  });

  it.each([
    ['at the root', () => `${server.url}/`],
    ['below a path of a proxy', () => `${proxy.url}/`],
    ['by its name, below a path of a proxy', () => `${proxy.url}/dashboard`],
  ])('starts %s, under its policy, and asks nobody else', async (_, address) => {
    const { page, complaints, asked } = await newPage();
    await page.goto(address());
    await page.locator('#root > *').first().waitFor();
    expect(new URL(page.url()).pathname).toBe(new URL('./', address()).pathname);
    expect(complaints).toEqual([]);
    expect(asked).toEqual(new Set([new URL(address()).origin]));
    expect(await page.context().cookies()).toEqual([]);
  });

  it('is led to from the documentation', async () => {
    const { page } = await newPage();
    await page.goto(`${proxy.url}/docs`);
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await page.locator('#root > *').first().waitFor();
    expect(new URL(page.url()).pathname).toBe('/tools/mem/');
  });
});
