import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compiled, openCompiling } from '../cortex/compiled.ts';
import { backends, listen, type TestApp, type TestServer } from '../support/app.ts';
import { useBrowser } from '../support/browser.ts';
import { builtDashboard } from '../support/dashboard.ts';

const planner = { agent_id: 'planner' };
const dashboard = { agent_id: 'dashboard' };

describe.each(backends)('What a room shows on %s', (backend) => {
  const newPage = useBrowser();
  let app: TestApp;
  let server: TestServer;
  beforeAll(async () => {
    app = await openCompiling(backend);
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

  it('its activity names what was shared, agreed on and asked for, and leaves digests out', async () => {
    const { room_id } = await app.call('rooms.create', { name: 'Plans', label: 'us' }, planner);
    await app.call('rooms.join', { room_id }, dashboard);
    await app.call('entries.write', { entity_path: 'checkout/plan', key: 'date', value: 'friday' }, planner);
    const { topic_id } = await app.call('rooms.add_topic', { room_id, entity_path: 'checkout/**' }, planner);
    await app.call('rooms.remove_topic', { room_id, topic_id }, planner);
    await app.call('rooms.add_topic', { room_id, entity_path: 'checkout/plan', title: 'The plan' }, planner);
    await app.call('rooms.invite', { room_id }, planner);
    const begun = { room_id, title: 'The date' };
    const { negotiation_id } = await app.call('negotiations.create', begun, planner);
    const step = { room_id, negotiation_id, action: 'propose' as const };
    await app.call('negotiations.propose', { ...step, proposal: 'friday', rationale: 'as the others' }, planner);
    const answer = { room_id, negotiation_id, action: 'counter' as const, proposal: { day: 'monday' } };
    await app.call('negotiations.propose', { ...answer, rationale: 'nobody is there on friday' }, dashboard);
    const asked = { room_id, content: 'Who tests it?', message_type: 'question' as const };
    const { message_id } = await app.call('rooms.discuss', { ...asked, addressed_to: 'planner@us' }, dashboard);
    await app.call('room_documents.add', { room_id, name: 'plan.txt', content: 'On monday.' }, planner);
    await compiled(app);
    const { events } = await app.call('rooms.updates', { room_id, limit: 200 }, planner);
    const { page, complaints } = await open(`#/rooms/${room_id}?part=activity`);
    const rows = page.getByRole('table', { name: 'What happened' }).getByRole('row');
    const row = (event: string) => rows.filter({ hasText: event });
    await row('Step of a negotiation').getByRole('link', { name: 'The date' }).first().waitFor();
    await row('proposed "friday" for The date: as the others').waitFor();
    await row('proposed {"day":"monday"} instead for The date: nobody is there on friday').waitFor();
    await row('added plan.txt').waitFor();
    await row('the text of plan.txt is ready').waitFor();
    const message = row('wrote').getByRole('link', { name: 'a question to planner@us' });
    expect(await message.getAttribute('href')).toContain(`message=${message_id}`);
    await row('shared The plan, from checkout/plan').waitFor();
    await row('Path shared with a room').getByRole('link', { name: 'The plan' }).waitFor();
    await row('Path shared with a room').getByRole('link', { name: 'checkout/**' }).waitFor();
    await row('Topic removed').getByRole('link', { name: 'checkout/**' }).waitFor();
    await row('Account invited').getByRole('link', { name: 'whoever has the token' }).waitFor();
    expect(await region(page, 'What happened').getByText(room_id, { exact: true }).count()).toBe(0);
    expect(events.some(({ event_type }) => event_type === 'brief_compiled')).toBe(true);
    expect(await row('Digest made').count()).toBe(0);
    await page.goto(`${server.url}/#/rooms/${room_id}?part=activity&type=brief_compiled`);
    await row('Digest made').first().waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });
});
