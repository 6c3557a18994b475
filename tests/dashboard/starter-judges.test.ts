import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { useBrowser } from '../support/browser.ts';
import { builtDashboard } from '../support/dashboard.ts';
import { storyClock } from './support/trace-story.ts';

const newPage = useBrowser();

describe.each(backends)('pages of a store without judges on %s', (backend) => {
  let app: TestApp;
  let server: TestServer;
  beforeAll(async () => {
    app = await openTestApp(backend, { clock: storyClock() });
    server = await listen(app, { dashboard: await builtDashboard(), corsOrigins: [] });
  });
  afterAll(async () => {
    await server.close();
    await app.close();
  });

  it('add the starter judges with a click', async () => {
    const { page, complaints } = await newPage();
    await page.goto(`${server.url}/#/judges`);
    await page.getByText('No judge yet').waitFor();
    await page.getByRole('button', { name: 'Add the starter judges' }).click();
    await page.getByText('10 judges added.').waitFor();
    await page.getByRole('link', { name: 'No failed tools' }).waitFor();
    expect(await page.getByRole('button', { name: 'Add the starter judges' }).count()).toBe(0);
    expect((await app.call('judges.list', {})).judges).toHaveLength(10);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('ask nobody to look after the outcomes of an agent that was erased', async () => {
    const agent_id = 'agent/gone';
    const cause = { entity_path: 'svc/pay', key: 'limit' };
    await app.call('entries.write', { ...cause, value: 5 });
    const outcome = (outcome_ref: string, more: object = {}) =>
      app.call('outcomes.commit', { outcome_ref, outcome_type: 'p1_incident', causal_entry_keys: [cause], ...more });
    await outcome('of-somebody-else');
    await outcome('of-the-erased', { agent_id });
    await app.call('agents.erase', { agent_id });
    const { page } = await newPage();
    await page.goto(server.url);
    const needs = page.getByRole('region', { name: 'Needs a person' });
    await needs.getByText('of-somebody-else').waitFor();
    expect(await needs.getByText('erased/').count()).toBe(0);
    await page.close();
  });
});
