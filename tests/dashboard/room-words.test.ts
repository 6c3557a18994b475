import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { useBrowser } from '../support/browser.ts';
import { builtDashboard } from '../support/dashboard.ts';

const planner = { agent_id: 'planner' };
const dashboard = { agent_id: 'dashboard' };

describe.each(backends)('What a room shows on %s', (backend) => {
  const newPage = useBrowser();
  let app: TestApp;
  let server: TestServer;
  beforeAll(async () => {
    app = await openTestApp(backend);
    server = await listen(app, { dashboard: await builtDashboard(), corsOrigins: [] });
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

  it('a reply quotes the message that it answers, and leads to it', async () => {
    const { room_id } = await app.call('rooms.create', { name: 'Talk', label: 'us' }, planner);
    await app.call('rooms.join', { room_id }, dashboard);
    const question = { room_id, content: 'Release on friday?\nOr on monday?' };
    const { message_id } = await app.call('rooms.discuss', question, planner);
    for (let n = 1; n <= 20; n++) await app.call('rooms.discuss', { room_id, content: `Note ${n}` }, planner);
    await app.call('rooms.discuss', { room_id, content: 'On monday', reply_to: message_id }, dashboard);
    const { page, complaints } = await open(`#/rooms/${room_id}`);
    const messages = region(page, 'Discussion').getByRole('listitem');
    const quote = messages.filter({ hasText: 'On monday' }).getByRole('link');
    expect(await quote.innerText()).toBe('planner@us: Release on friday?');
    await quote.click();
    await expect.poll(() => page.url()).toContain(`message=${message_id}`);
    await expect.poll(() => messages.first().getAttribute('aria-current')).toBe('true');
    expect(complaints).toEqual([]);
    await page.close();
  });
});
